/** Runs the tests with the legacy database again, by every resource and attribute. */
process.env.LEGACY_WALK = 'complete'

await import('../cli/legacy.test.ts')
