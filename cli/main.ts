#!/usr/bin/env node
import * as nodeModule from 'node:module'

// Later starts read compiled code from the cache. Older versions of Node.js have none; a later check names the versions that work.
nodeModule.enableCompileCache?.()
const { runCli } = await import('./run-cli.ts')
await runCli(process.argv.slice(2))
