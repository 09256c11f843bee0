import { parseArgs } from 'node:util'
import { openDatabases } from './databases/open.ts'
import { startServerProcess } from './processes.ts'
import {
  crowdColumns,
  findP99,
  measureCrowd,
  measureOne,
  printColumns,
  printRow,
} from './small-requests.ts'

/**
 * Measures the most expensive valid requests, one after the other or by many clients at once, and their effect on small requests:
 * the tables of bench/RESULTS.md. `node bench/expensive-requests.ts [--database sqlite,postgres] [--persons 100000] [--clients 50]`
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite,postgres' },
    persons: { type: 'string', default: '100000' },
    clients: { type: 'string', default: '1' },
  },
})

type Query = Readonly<Record<string, unknown>>

const test = (op: string, val: unknown, name = 'name') => ({ name, op, val })
const repeat = (count: number, make: (index: number) => unknown) =>
  Array.from({ length: count }, (_, index) => make(index))
const wildcards = `%${repeat(29, (index) => `${index % 10}x`).join('%')}`

/** Requests at the limits of filters, pages and includes. */
// biome-ignore format: a table, one request a row
const requests: readonly (readonly [description: string, path: string, query: Query])[] = [
  ['search without a match (`ilike`)', '/persons', { filter: [test('ilike', 'qqq')] }],
  ['pattern of 1,000 characters (`like`)', '/persons', { filter: [test('like', `%${'a'.repeat(998)}%`)] }],
  ['30 wildcards (`ilike`)', '/persons', { filter: [test('ilike', wildcards)] }],
  ['30 words (`match`)', '/persons', { filter: [test('match', repeat(30, (index) => `w${index}`).join(' '))] }],
  ['200 terms (`or` of `match`)', '/persons', { filter: [{ or: repeat(200, (index) => test('match', `w${index}`)) }] }],
  ['200 terms through relationships', '/persons', { filter: [{ or: repeat(100, (index) => test('ilike', `q${index}`, 'computers__serial')) }] }],
  ['sort of every row through a relationship', '/computers', { sort: 'owner.name,-serial' }],
  ['last page of a sorted list', '/computers', { sort: '-serial', 'page[number]': 12_345 }],
  ['all rows, sorted', '/computers', { sort: 'serial', 'page[size]': 0 }],
  ['all rows with all included resources', '/persons', { include: 'computers', 'page[size]': 0 }],
  ['`include` of 20 edges', '/persons', { include: repeat(20, (index) => (index % 2 === 0 ? 'computers' : 'owner')).join('.'), 'page[size]': 100 }],
]

function encodeQuery(query: Query): string {
  return Object.entries(query)
    .map(([name, value]) => {
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
      return `${name}=${encodeURIComponent(text)}`
    })
    .join('&')
}

async function measureAll(engine: string, origin: string): Promise<void> {
  // The first request is measured twice, because V8 compiles the code during the first run.
  for (const [, path, query] of requests.slice(0, 1))
    await measureOne(origin, () => fetch(`${origin}${path}?${encodeQuery(query)}`))
  for (const [description, path, query] of requests) {
    const cost = await measureOne(origin, () => fetch(`${origin}${path}?${encodeQuery(query)}`))
    printRow([
      description,
      engine,
      String(cost.status),
      cost.seconds.toFixed(2),
      (cost.bytes / 1e6).toFixed(1),
      findP99(cost.latencies).toFixed(0),
      Math.max(...cost.latencies).toFixed(0),
    ])
  }
}

async function measureCrowds(engine: string, origin: string): Promise<void> {
  for (const [description, path, query] of requests) {
    const url = `${origin}${path}?${encodeQuery(query)}`
    printRow([description, engine, ...(await measureCrowd(origin, clients, () => fetch(url)))])
  }
}

const clients = Number(values.clients)
// The default of the service, which is a limit that this measures.
process.env.DATABASE_TIMEOUT = '10000'
const costColumns = ['status', 's', 'MB', 'p99 of small requests, ms', 'longest, ms']
printColumns(['request', 'database', ...(clients > 1 ? crowdColumns : costColumns)])
for (const engine of values.database.split(',')) {
  const databases = await openDatabases(engine)
  try {
    const url = await databases.copy(Number(values.persons), 'expensive_requests')
    const server = await startServerProcess('service', url)
    const origin = `http://127.0.0.1:${server.port}`
    const name = engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'
    await (clients > 1 ? measureCrowds : measureAll)(name, origin).finally(() => server.stop())
  } finally {
    await databases.close()
  }
}
