/** Compiles programs with models of 100 resource types. */
process.env.PROPERTY_SCALE ??= '10'

await import('../in-process/compile-cost.test.ts')
await import('../http-client/compile-cost.test.ts')
