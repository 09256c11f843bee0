/** Kills workers again, many more times. */
process.env.PROPERTY_SCALE ??= '10'

await import('../trouble/workers.test.ts')
