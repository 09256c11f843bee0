import { PostgresServer } from './postgres-server.ts'

let server: PostgresServer | undefined

/**
 * Starts a PostgreSQL for the whole test run; a server that is there already, under `LAPIDARY_TEST_POSTGRES`, is used
 * instead. Its data is gone when the run ends, so it need not be safe on disk.
 */
export async function globalSetup(): Promise<void> {
  if (process.env.LAPIDARY_TEST_POSTGRES !== undefined) return
  server = await PostgresServer.make('fsync=off', 'max_connections=300')
  process.env.LAPIDARY_TEST_POSTGRES = server.url
}

/** Ends the server that `globalSetup` started. */
export async function globalTeardown(): Promise<void> {
  await server?.remove()
}
