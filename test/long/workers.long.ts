/** Kills workers again, many more times. */
process.env.PROPERTY_SCALE ??= '20'

await import('../trouble/workers.test.ts')
