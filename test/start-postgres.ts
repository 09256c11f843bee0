import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PostgresServer } from './postgres-server.ts'

let server: PostgresServer | undefined
let template: Readonly<{ path: string; remove: () => Promise<void> }> | undefined

/** Starts PostgreSQL for the test run, and compiles the modules that most files of tests import. */
export async function globalSetup(): Promise<void> {
  await Promise.all([startServer(), fillCompileCache()])
}

/**
 * Loads modules in a process, which leaves them in the cache of compiled modules. Each file of tests is a process: without a cache,
 * half of its CPU time goes into compiling the same modules.
 */
async function fillCompileCache(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache')
  // A run of tests within this one finds the modules in the cache.
  if (process.env.LAPIDARY_TEST_POSTGRES_TEMPLATE !== undefined) return
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'load-modules.ts')])
}

/**
 * Starts PostgreSQL, unless `LAPIDARY_TEST_POSTGRES` is the URL of a server. Its data is deleted when the run ends, so it is not
 * synced to disk.
 */
async function startServer(): Promise<void> {
  if (process.env.LAPIDARY_TEST_POSTGRES_TEMPLATE === undefined) {
    template = await PostgresServer.makeTemplate()
    process.env.LAPIDARY_TEST_POSTGRES_TEMPLATE = template.path
  }
  if (process.env.LAPIDARY_TEST_POSTGRES !== undefined) return
  server = await PostgresServer.make(
    ...['fsync=off', 'full_page_writes=off'],
    ...['wal_level=minimal', 'max_wal_senders=0', 'max_connections=300'],
  )
  process.env.LAPIDARY_TEST_POSTGRES = server.url
}

/** Stops the server that `globalSetup` started. */
export async function globalTeardown(): Promise<void> {
  await server?.remove()
  await template?.remove()
}
