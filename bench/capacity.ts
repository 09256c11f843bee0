import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { cacheFolder } from './databases/databases.ts'
import { openPostgresDatabases } from './databases/postgres.ts'
import { type ServerProcess, startServerProcess } from './processes.ts'

// Measures what a request costs the process of the service and the PostgreSQL server, and prints how far machines of these costs go: the
// tables of docs/capacity.md. CPU time is counted, and not the duration, so that other programs on the machine change little.

const { values } = parseArgs({
  options: {
    persons: { type: 'string', default: '1000' },
    requests: { type: 'string', default: '4000' },
    rounds: { type: 'string', default: '5' },
    cores: { type: 'string', default: '8' },
  },
})
const [persons, requests, rounds, cores] = [
  Number(values.persons),
  Number(values.requests),
  Number(values.rounds),
  Number(values.cores),
]

/** A kind of request. */
interface Piece {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly path: () => string
  readonly body?: string
  /** Whether the client has the current version. */
  readonly isRepeated?: boolean
  /** Its share in the requests of a client. */
  readonly share: number
}

/** What a request costs: microseconds of CPU time, and bytes of the body of the response. */
interface Cost {
  readonly service: number
  readonly database: number
  readonly bytes: number
}

const anyPerson = () => `/persons/${1 + Math.floor(Math.random() * persons)}`
const newPerson = { name: 'Ada Lovelace', email: 'ada@example.org', gender: 'female' }
const pieces: readonly Piece[] = [
  { name: 'one resource', method: 'GET', path: anyPerson, share: 0.6 },
  { name: 'the same, unchanged: 304', method: 'GET', path: anyPerson, isRepeated: true, share: 0 },
  { name: 'a page of 30', method: 'GET', path: () => '/persons', share: 0.35 },
  {
    name: 'a create',
    method: 'POST',
    path: () => '/persons',
    body: JSON.stringify({ data: { type: 'person', attributes: newPerson } }),
    share: 0.05,
  },
]
/** The requests of a client in a second. */
const pace = 0.1

const agent = new Agent({ keepAlive: true, maxSockets: 32 })
const databases = await openPostgresDatabases()
try {
  const url = await databases.copy(persons, 'capacity')
  const server = await startServerProcess('service', url)
  try {
    const costs = new Map<Piece, Cost>()
    for (const piece of pieces) costs.set(piece, await measure(piece, server))
    print(costs)
    console.log(
      `\nthe query of a read on a replica costs the primary ${await measureSmallQuery(url)} µs`,
    )
  } finally {
    await server.stop()
  }
} finally {
  agent.destroy()
  await databases.close()
}

/** Measures the median cost of rounds of requests. */
async function measure(piece: Piece, server: ServerProcess): Promise<Cost> {
  const versions = new Map<string, string>()
  await sendAll(piece, server.port, versions)
  const measured: Cost[] = []
  for (let round = 0; round < rounds; round += 1) {
    const before = { service: (await server.readUsage()).cpu, database: readDatabaseTime() }
    const bytes = await sendAll(piece, server.port, versions)
    const service = (await server.readUsage()).cpu - before.service
    const database = readDatabaseTime() - before.database
    measured.push({
      service: service / requests,
      database: database / requests,
      bytes: bytes / requests,
    })
  }
  const median = (of: keyof Cost) =>
    measured.map((cost) => cost[of]).sort((left, right) => left - right)[rounds >> 1] ?? 0
  return { service: median('service'), database: median('database'), bytes: median('bytes') }
}

/** Measures what the primary pays for a read on a replica, unless several reads share the query: its position in the log. */
async function measureSmallQuery(url: string): Promise<string> {
  const clients = Array.from({ length: 10 }, () => new Client({ connectionString: url }))
  await Promise.all(clients.map((client) => client.connect()))
  const query = { name: 'position', text: 'select pg_current_wal_flush_lsn()' }
  const ask = async (client: Client) => {
    for (let sent = 0; sent < requests / 10; sent += 1) await client.query(query)
  }
  await Promise.all(clients.map(ask))
  const before = readDatabaseTime()
  await Promise.all(clients.map(ask))
  const cost = (readDatabaseTime() - before) / requests
  await Promise.all(clients.map((client) => client.end()))
  return cost.toFixed(0)
}

/** Sends requests on 32 connections. @returns the bytes of their bodies */
async function sendAll(piece: Piece, port: number, versions: Map<string, string>): Promise<number> {
  let left = requests
  let bytes = 0
  const sendNext = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const length = await send(piece, port, versions)
      bytes += length
    }
  }
  await Promise.all(Array.from({ length: 32 }, sendNext))
  return bytes
}

function send(
  { method, path, body, isRepeated }: Piece,
  port: number,
  versions: Map<string, string>,
): Promise<number> {
  const target = path()
  const version = isRepeated ? versions.get(target) : undefined
  const headers = {
    ...(body && { 'content-type': 'application/vnd.api+json' }),
    ...(version !== undefined && { 'if-none-match': version }),
  }
  return new Promise((resolve, reject) => {
    const sent = request({ port, method, path: target, headers, agent }, (response) => {
      const { statusCode = 0 } = response
      if (statusCode >= 400) reject(new Error(`${method} ${target} got ${statusCode}.`))
      if (response.headers.etag) versions.set(target, response.headers.etag)
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      response.on('end', () => resolve(bytes))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Reads the CPU time of the PostgreSQL server and its processes in microseconds. */
function readDatabaseTime(): number {
  const file = readFileSync(join(cacheFolder, 'postgres', 'data', 'postmaster.pid'), 'utf8')
  const [postmaster] = file.split('\n')
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const fields = readStatus(pid)
    if (pid === postmaster || fields[1] === postmaster)
      ticks += Number(fields[11]) + Number(fields[12])
  }
  return ticks * 10_000
}

/** Reads the fields of a process after its name: state, parent, and so on; none if it has ended. */
function readStatus(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
  } catch {
    return []
  }
}

function print(costs: ReadonlyMap<Piece, Cost>): void {
  const perSecond = (cost: number) => Math.round(1e6 / cost).toLocaleString('en')
  console.log(
    '| request | service, µs | PostgreSQL, µs | bytes | a core of the service adds | a core of the database adds |',
  )
  console.log('|---|---:|---:|---:|---:|---:|')
  for (const [{ name }, { service, database, bytes }] of costs)
    console.log(
      `| ${name} | ${service.toFixed(0)} | ${database.toFixed(0)} | ${bytes.toFixed(0)} | ${perSecond(service)}/s | ${perSecond(database)}/s |`,
    )
  const mean = (of: keyof Cost, isIncluded = (_piece: Piece) => true) =>
    [...costs].reduce(
      (sum, [piece, cost]) => sum + (isIncluded(piece) ? piece.share * cost[of] : 0),
      0,
    )
  const isWrite = ({ method }: Piece) => method === 'POST'
  const writes = pieces.filter(isWrite).reduce((sum, { share }) => sum + share, 0)
  console.log(
    '\n| clients | requests/s | writes/s | cores of the service | cores of the database | of these for writes | Mbit/s | machines with 8 cores: service, database |',
  )
  console.log('|---:|---:|---:|---:|---:|---:|---:|---:|')
  for (const clients of [1e3, 1e5, 1e6]) {
    const rate = clients * pace
    const used = (cost: number) => (rate * cost) / 1e6
    const [service, database] = [used(mean('service')), used(mean('database'))]
    const writing = used(mean('database', isWrite))
    const row = [
      clients.toLocaleString('en'),
      rate.toLocaleString('en'),
      (rate * writes).toLocaleString('en'),
      ...[service, database, writing].map((each) => each.toFixed(2)),
      ((rate * mean('bytes') * 8) / 1e6).toFixed(1),
      [service, database].map((each) => Math.ceil(each / (0.7 * cores))).join(', '),
    ]
    console.log(`| ${row.join(' | ')} |`)
  }
}
