/** Runs the tests with random databases again, with many more of them. */
process.env.PROPERTY_SCALE ??= '10'

await import('../cli/any-schema.test.ts')
