// Programs with models of 100 resource types.
await import('../in-process/compile-cost.ts')
await import('../http-client/compile-cost.ts')
