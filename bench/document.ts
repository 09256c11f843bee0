import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Long } from './long.ts'
import type { AnyResult, Result } from './report.ts'
import type { Start } from './start.ts'

/** What runs of the benchmark have saved. */
export interface Saved {
  /** What two servers came to in turns. */
  readonly duels: readonly Result[]
  /** What lists came to that are streamed. */
  readonly streams: readonly Long[]
  /** What starts took. */
  readonly starts: readonly Start[]
}

/** A heading and what stands below it for each workload. */
type Column = readonly [heading: string, cell: (workload: string) => string]

const results = join(import.meta.dirname, 'results')
const names: Readonly<Record<string, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

/**
 * Puts tables of saved results where a text has room for them: between `<!-- name -->` and `<!-- end -->`.
 * @param saved - every result of every file
 */
export function withTables(text: string, { duels: all, streams, starts }: Saved): string {
  const tables: Readonly<Record<string, () => string>> = {
    floor: () => bySize(all, 'floor', ({ rate }) => rate.median),
    costs: () => costs(all),
    connections: () => byConnections(all),
    porch: () => bySize(all, 'porch', ({ rate }) => rate.median),
    growth: () => bySize(all, '1000 persons', ({ rate }) => 1 / rate.median),
    shapes: () => bySize(all, 'one shape', ({ rate }) => rate.median),
    peers: () => byPeer(all),
    long: () => longLists(streams),
    start: () => startTable(starts),
  }
  return text.replace(/<!-- (\w+) -->\n.*?<!-- end -->/gs, (found, name: string) => {
    const table = tables[name]
    return table ? `<!-- ${name} -->\n\n${table()}\n\n<!-- end -->` : found
  })
}

/** Every result that is saved; of two for the same, the later one. */
export function savedResults(): Saved {
  const files = readdirSync(results)
    .filter((name) => name.endsWith('.json'))
    .sort()
  const duels = new Map<string, Result>()
  const streams = new Map<string, Long>()
  const starts = new Map<string, Start>()
  for (const file of files) {
    const saved: Readonly<{ results: readonly AnyResult[] }> = JSON.parse(
      readFileSync(join(results, file), 'utf8'),
    )
    for (const result of saved.results) {
      const { database, persons } = result
      if ('firstByte' in result) streams.set(`${database} ${persons}`, result)
      else if ('started' in result) starts.set(`${database} ${persons}`, result)
      else {
        const { against, workload, connections } = result
        duels.set([against, database, persons, workload, connections].join(' '), result)
      }
    }
  }
  return {
    duels: [...duels.values()],
    streams: [...streams.values()],
    starts: [...starts.values()],
  }
}

/** One row for each list that was streamed. */
function longLists(streams: readonly Long[]): string {
  const rows = streams.map((each) => {
    const {
      database,
      persons,
      firstByte,
      firstEver,
      bytes,
      elapsed,
      grown,
      heldByWork,
      p99,
      stopped,
    } = each
    const name = `${names[database]}, ${persons.toLocaleString('en')}`
    const cells = [
      firstByte.toFixed(0),
      firstEver.toFixed(0),
      `${(bytes / 1e6).toFixed(0)} in ${(elapsed / 1000).toFixed(1)} s`,
      (grown / 1e6).toFixed(0),
      heldByWork.with.toFixed(0),
      (p99.with / p99.without).toFixed(1),
      (stopped.cpu / 1e4).toFixed(1),
    ]
    return `| ${name} | ${cells.join(' | ')} |`
  })
  const head =
    '| | first byte, ms | the first ever | MB | memory grows by, MB | loop held, ms | p99 of others × | CPU while nobody reads, % |'
  return [head, '|---|---:|---:|---:|---:|---:|---:|---:|', ...rows].join('\n')
}

/** One row for each database that the service was started on. */
function startTable(starts: readonly Start[]): string {
  const rows = starts.map(({ database, persons, started, bare }) => {
    const name = `${names[database]}, ${persons.toLocaleString('en')}`
    return `| ${name} | ${started.toFixed(0)} | ${bare.toFixed(0)} |`
  })
  return ['| | listens after, ms | Node alone, ms |', '|---|---:|---:|', ...rows].join('\n')
}

/** One column for each database and size. */
function bySize(all: readonly Result[], against: string, number: (of: Result) => number): string {
  const ours = usual(all.filter((result) => result.against === against))
  const sizes = distinct(
    ours
      .toSorted((one, other) => one.persons - other.persons)
      .toSorted((one, other) => other.database.localeCompare(one.database))
      .map(({ database, persons }) => `${database} ${persons}`),
  )
  const columns = sizes.map((size): Column => {
    const [database = '', persons] = size.split(' ')
    const here = ours.filter((result) => `${result.database} ${result.persons}` === size)
    const heading = `${names[database]}, ${Number(persons).toLocaleString('en')}`
    return [heading, (workload) => cell(here, workload, (result) => number(result).toFixed(2))]
  })
  return table(distinct(ours.map(({ workload }) => workload)), columns)
}

/** What answers cost, beside what those of the floor cost, at a thousand persons. */
function costs(all: readonly Result[]): string {
  const ours = usual(all.filter(({ against, persons }) => against === 'floor' && persons === 1000))
  const columns = distinct(ours.map(({ database }) => database)).flatMap((database): Column[] => {
    const here = ours.filter((result) => result.database === database)
    const pair = (name: 'cpu' | 'p50' | 'p99', digits: number) => (workload: string) =>
      cell(here, workload, ({ left, right }) =>
        [left, right].map((side) => side[name].toFixed(digits)).join(' / '),
      )
    return [
      [`${names[database]}: µs CPU`, pair('cpu', 0)],
      ['p50 ms', pair('p50', 1)],
      ['p99 ms', pair('p99', 1)],
    ]
  })
  return table(distinct(ours.map(({ workload }) => workload)), columns)
}

function byConnections(all: readonly Result[]): string {
  const ours = all.filter(({ against, persons }) => against === 'floor' && persons === 1000)
  const wide = ours.filter(({ connections }) => connections === 256)
  const columns = distinct(ours.map(({ database }) => database)).flatMap((database) =>
    [1, 32, 256].map((connections): Column => {
      const here = ours.filter(
        (result) => result.database === database && result.connections === connections,
      )
      const heading = `${names[database]}, ${connections}`
      return [heading, (workload) => cell(here, workload, ({ rate }) => rate.median.toFixed(2))]
    }),
  )
  return table(distinct(wide.map(({ workload }) => workload)), columns)
}

/** Those who are neither the floor nor ourselves. */
function byPeer(all: readonly Result[]): string {
  const ourselves = ['floor', 'porch', '1000 persons', 'one shape', 'other version']
  const ours = all.filter(({ against }) => !ourselves.includes(against))
  const columns = distinct(ours.map(({ against }) => against)).map((peer): Column => {
    const here = ours.filter(({ against, persons }) => against === peer && persons === 1000)
    return [peer, (workload) => cell(here, workload, ({ rate }) => rate.median.toFixed(1))]
  })
  return table(distinct(ours.map(({ workload }) => workload)), columns)
}

/** Of results for several numbers of connections, those for 32; of scans, for as many as there are. */
function usual(all: readonly Result[]): Result[] {
  return all.filter(({ connections }) => connections === 32 || connections === 2)
}

function cell(
  results: readonly Result[],
  workload: string,
  text: (result: Result) => string,
): string {
  const result = results.find((each) => each.workload === workload)
  return result ? text(result) : ''
}

function table(workloads: readonly string[], columns: readonly Column[]): string {
  const head = `| | ${columns.map(([heading]) => heading).join(' | ')} |`
  const line = `|---|${columns.map(() => '---:|').join('')}`
  const rows = workloads.map((workload) => {
    return `| ${workload} | ${columns.map(([, of]) => of(workload)).join(' | ')} |`
  })
  return [head, line, ...rows].join('\n')
}

function distinct<Item>(items: readonly Item[]): Item[] {
  return [...new Set(items)]
}

if (import.meta.main) {
  const path = join(import.meta.dirname, '..', 'docs', 'performance.md')
  writeFileSync(path, withTables(readFileSync(path, 'utf8'), savedResults()))
}
