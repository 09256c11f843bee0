#!/usr/bin/env node
import { enableCompileCache } from 'node:module'

// Later starts read compiled code from the cache.
enableCompileCache()
const { runCli } = await import('./run-cli.ts')
await runCli(process.argv.slice(2))
