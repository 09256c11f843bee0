import { parseArgs } from 'node:util'
import { openDatabases } from './databases/open.ts'
import { type ServerProcess, startServerProcess } from './processes.ts'

/**
 * Measures the most expensive valid requests one after the other, and their effect on small requests: the table of
 * docs/limits.md. `node bench/expensive-requests.ts [--database sqlite,postgres] [--persons 100000]`
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite,postgres' },
    persons: { type: 'string', default: '100000' },
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
  latencies.sort((left, right) => left - right)
  const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? 0
  return { status: response.status, seconds, bytes, p99, longest: latencies.at(-1) ?? 0 }
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

console.log('| request | database | status | s | MB | p99 of small requests, ms | longest, ms |')
console.log('| --- | --- | --- | --- | --- | --- | --- |')
for (const engine of values.database.split(',')) {
  const databases = await openDatabases(engine)
  try {
    const url = await databases.open(Number(values.persons))
    await measureAll(engine === 'sqlite' ? 'SQLite' : 'PostgreSQL', url)
  } finally {
    await databases.close()
  }
}
