import { parseArgs } from 'node:util'
import { openDatabases } from './databases/open.ts'
import { type ServerProcess, startServerProcess } from './processes.ts'

/**
 * Measures the most expensive valid requests, one after the other or by many clients at once, and their effect on small requests:
 * the tables of docs/limits.md. `node bench/expensive-requests.ts [--database sqlite,postgres] [--persons 100000] [--clients 50]`
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

/** The cost of a request. */
interface Cost {
  readonly status: number
  readonly seconds: number
  readonly bytes: number
  /** Latency of small requests meanwhile, in milliseconds. */
  readonly p99: number
  readonly longest: number
}

/** A small request of another client. */
type SmallRequest = (origin: string, index: number) => Promise<Response>

/** What other clients send meanwhile. */
const smallRequests: readonly SmallRequest[] = [
  (origin, index) => fetch(`${origin}/persons/${1 + (index % 1000)}`),
  (origin, index) => fetch(`${origin}/persons?page[size]=10&page[number]=${1 + (index % 10)}`),
  (origin, index) => {
    const id = String(1 + (index % 1000))
    const data = { type: 'person', id, attributes: { name: `Name ${index}` } }
    const headers = { 'Content-Type': 'application/vnd.api+json' }
    return fetch(`${origin}/persons/${id}`, {
      ...{ method: 'PATCH', headers, body: JSON.stringify({ data }) },
    })
  },
]

/** How long many clients repeat an expensive request, in milliseconds. */
const crowdTime = 8000

/** Latencies of small requests, in milliseconds, and the number of those that were not successful. */
interface SmallCost {
  readonly latencies: readonly number[]
  readonly failures: number
}

async function repeatSmall(
  send: SmallRequest,
  origin: string,
  isFinished: () => boolean,
): Promise<SmallCost> {
  const latencies: number[] = []
  let failures = 0
  while (!isFinished()) {
    const start = performance.now()
    const response = await send(origin, latencies.length)
    await response.arrayBuffer()
    latencies.push(performance.now() - start)
    if (!response.ok) failures += 1
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return { latencies, failures }
}

/** Repeats an expensive request on many connections. @returns the costs of each of the small requests */
async function measureCrowd(
  { port }: ServerProcess,
  path: string,
  query: Query,
  clients: number,
): Promise<readonly SmallCost[]> {
  const origin = `http://127.0.0.1:${port}`
  const end = performance.now() + crowdTime
  const isFinished = () => performance.now() > end
  const crowd = repeat(clients, async () => {
    while (!isFinished()) {
      const response = await fetch(`${origin}${path}?${encodeQuery(query)}`)
      for await (const _chunk of response.body ?? []);
    }
  })
  const costs = await Promise.all(
    smallRequests.map((send) => repeatSmall(send, origin, isFinished)),
  )
  await Promise.all(crowd)
  return costs
}

async function measure({ port }: ServerProcess, path: string, query: Query): Promise<Cost> {
  const origin = `http://127.0.0.1:${port}`
  const latencies: number[] = []
  let isFinished = false
  const sendSmallRequests = async () => {
    while (!isFinished || latencies.length < 100) {
      const start = performance.now()
      await (await fetch(`${origin}/persons/${1 + latencies.length}`)).text()
      latencies.push(performance.now() - start)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const smallRequests = sendSmallRequests()
  const start = performance.now()
  const response = await fetch(`${origin}${path}?${encodeQuery(query)}`)
  let bytes = 0
  for await (const chunk of response.body ?? []) bytes += chunk.length
  const seconds = (performance.now() - start) / 1000
  isFinished = true
  await smallRequests
  return {
    status: response.status,
    seconds,
    bytes,
    p99: findP99(latencies),
    longest: Math.max(...latencies),
  }
}

function findP99(latencies: readonly number[]): number {
  const sorted = latencies.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0
}

function encodeQuery(query: Query): string {
  return Object.entries(query)
    .map(([name, value]) => {
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
      return `${name}=${encodeURIComponent(text)}`
    })
    .join('&')
}

async function measureAll(engine: string, url: string): Promise<void> {
  const server = await startServerProcess('service', url)
  try {
    if (clients > 1) return await measureCrowds(server, engine)
    // The first request is measured twice, because V8 compiles the code during the first run.
    for (const [, path, query] of requests.slice(0, 1)) await measure(server, path, query)
    for (const [description, path, query] of requests) {
      const { status, seconds, bytes, p99, longest } = await measure(server, path, query)
      const cells = [
        description,
        engine,
        String(status),
        seconds.toFixed(2),
        (bytes / 1e6).toFixed(1),
        p99.toFixed(0),
        longest.toFixed(0),
      ]
      console.log(`| ${cells.join(' | ')} |`)
    }
  } finally {
    await server.stop()
  }
}

async function measureCrowds(server: ServerProcess, engine: string): Promise<void> {
  for (const [description, path, query] of requests) {
    const costs = await measureCrowd(server, path, query, clients)
    const cells = costs.map(
      ({ latencies, failures }) =>
        findP99(latencies).toFixed(0) + (failures > 0 ? `, ${failures} failed` : ''),
    )
    console.log(`| ${[description, engine, ...cells].join(' | ')} |`)
  }
}

const clients = Number(values.clients)
const columns =
  clients > 1
    ? ['p99 of single resources, ms', 'p99 of small lists, ms', 'p99 of updates, ms']
    : ['status', 's', 'MB', 'p99 of small requests, ms', 'longest, ms']
console.log(`| ${['request', 'database', ...columns].join(' | ')} |`)
console.log(`|${' --- |'.repeat(columns.length + 2)}`)
for (const engine of values.database.split(',')) {
  const databases = await openDatabases(engine)
  try {
    const url = await databases.open(Number(values.persons))
    await measureAll(engine === 'sqlite' ? 'SQLite' : 'PostgreSQL', url)
  } finally {
    await databases.close()
  }
}
