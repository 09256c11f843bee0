import { enableCompileCache } from 'node:module'

// Compiling takes half of a start: what was compiled once is kept where Node keeps such things, if it can be.
enableCompileCache()
const { runCommand } = await import('./command.ts')
await runCommand()
