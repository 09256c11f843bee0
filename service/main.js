import { enableCompileCache } from 'node:module'

// Compiling takes half of a start: what was compiled once is kept where Node keeps such things, if it can be. This file is
// the one that comes before the keeping, so it is written in what needs no compiler: to load Node's takes a tenth of a start.
enableCompileCache()
const { runCommand } = await import('./command.ts')
await runCommand()
