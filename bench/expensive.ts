import { parseArgs } from 'node:util'
import { openDatabases } from './databases.ts'
import { type Served, serve } from './processes.ts'

/**
 * Measures the most expensive requests that are legal, one after the other, and what they do to small ones meanwhile: the
 * table of docs/limits.md. `node bench/expensive.ts [--database sqlite,postgres] [--persons 100000]`
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite,postgres' },
    persons: { type: 'string', default: '100000' },
  },
})

type Query = Readonly<Record<string, unknown>>

const test = (op: string, val: unknown, name = 'name') => ({ name, op, val })
const times = (count: number, make: (at: number) => unknown) =>
  Array.from({ length: count }, (_, at) => make(at))
const wildcards = `%${times(29, (at) => `${at % 10}x`).join('%')}`

/** At the limits of filters, pages and includes. */
// biome-ignore format: a table, one request a row
const requests: readonly (readonly [what: string, path: string, query: Query])[] = [
  ['search that finds nothing (`ilike`)', '/persons', { filter: [test('ilike', 'qqq')] }],
  ['pattern of 1,000 characters (`like`)', '/persons', { filter: [test('like', `%${'a'.repeat(998)}%`)] }],
  ['30 wildcards (`ilike`)', '/persons', { filter: [test('ilike', wildcards)] }],
  ['30 words (`match`)', '/persons', { filter: [test('match', times(30, (at) => `w${at}`).join(' '))] }],
  ['200 terms (`or` of `match`)', '/persons', { filter: [{ or: times(200, (at) => test('match', `w${at}`)) }] }],
  ['200 terms through relationships', '/persons', { filter: [{ or: times(100, (at) => test('ilike', `q${at}`, 'computers__serial')) }] }],
  ['sort of every row through a relationship', '/computers', { sort: 'owner.name,-serial' }],
  ['last page of a sorted list', '/computers', { sort: '-serial', 'page[number]': 12_345 }],
  ['everything, sorted', '/computers', { sort: 'serial', 'page[size]': 0 }],
  ['everything with all it includes', '/persons', { include: 'computers', 'page[size]': 0 }],
  ['`include` of 20 edges', '/persons', { include: times(20, (at) => (at % 2 === 0 ? 'computers' : 'owner')).join('.'), 'page[size]': 100 }],
]

/** What a request cost. */
interface Cost {
  readonly status: number
  readonly seconds: number
  readonly bytes: number
  /** Of small requests meanwhile, in milliseconds. */
  readonly p99: number
  readonly most: number
}

async function measure({ port }: Served, path: string, query: Query): Promise<Cost> {
  const origin = `http://127.0.0.1:${port}`
  const parameters = Object.entries(query).map(([name, value]) => {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
    return `${name}=${encodeURIComponent(text)}`
  })
  const small: number[] = []
  let isOver = false
  const askSmall = async () => {
    while (!isOver || small.length < 100) {
      const began = performance.now()
      await (await fetch(`${origin}/persons/${1 + small.length}`)).text()
      small.push(performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const asking = askSmall()
  const began = performance.now()
  const response = await fetch(`${origin}${path}?${parameters.join('&')}`)
  let bytes = 0
  for await (const piece of response.body ?? []) bytes += piece.length
  const seconds = (performance.now() - began) / 1000
  isOver = true
  await asking
  small.sort((one, other) => one - other)
  const p99 = small[Math.floor(small.length * 0.99)] ?? 0
  return { status: response.status, seconds, bytes, p99, most: small.at(-1) ?? 0 }
}

async function measureAll(database: string, url: string): Promise<void> {
  const served = await serve('service', url)
  try {
    // Whatever compiles at first is no request's.
    for (const [, path, query] of requests.slice(0, 1)) await measure(served, path, query)
    for (const [what, path, query] of requests) {
      const { status, seconds, bytes, p99, most } = await measure(served, path, query)
      const row = [
        what,
        database,
        String(status),
        seconds.toFixed(2),
        (bytes / 1e6).toFixed(1),
        p99.toFixed(0),
        most.toFixed(0),
      ]
      console.log(`| ${row.join(' | ')} |`)
    }
  } finally {
    await served.end()
  }
}

console.log('| request | database | status | s | MB | p99 ms of small requests | longest ms |')
console.log('| --- | --- | --- | --- | --- | --- | --- |')
const persons = Number(values.persons)
for (const name of values.database.split(',')) {
  const databases = await openDatabases(name)
  try {
    const label = name === 'sqlite' ? 'SQLite' : 'PostgreSQL'
    await measureAll(label, await databases.with(persons))
  } finally {
    await databases.end()
  }
}
