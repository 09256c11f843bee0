/** Runs the tests with random databases again, with many more of them, and those of declarations with all options. */
process.env.PROPERTY_SCALE ??= '10'

await import('../cli/schemas/any-schema.test.ts')
await import('../cli/evaluate.test.ts')
