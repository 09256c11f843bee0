import { enableCompileCache } from 'node:module'

// Compiling takes half of a start: what was compiled once is kept where Node keeps such things, if it can be. This file is
// the one that comes before the keeping, so it is JavaScript: to load the compiler of Node takes a tenth of a start.
enableCompileCache()
const { runCommand } = await import('./command.ts')
await runCommand()
