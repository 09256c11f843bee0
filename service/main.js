import { enableCompileCache } from 'node:module'

// Compilation takes half of the startup time, so later starts read compiled code from Node's compile cache. This file runs
// before the cache is enabled. It is JavaScript because loading Node's TypeScript compiler takes a tenth of the startup time.
enableCompileCache()
const { runCommand } = await import('./run-command.ts')
await runCommand()
