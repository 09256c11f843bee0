import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ComparisonResult } from './report.ts'
import { readSavedResults, type SavedResults } from './saved-results.ts'
import type { StartupResult } from './startup.ts'
import type { StreamingResult } from './streaming.ts'

/** A heading, and the cell of each workload. */
type Column = readonly [heading: string, cell: (workload: string) => string]

const engineNames: Readonly<Record<string, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

/** Results that do not compare with a peer have one of these in `against`. */
const nonPeers = [
  ...['baseline', 'baseline-fastify', '1000 persons', 'one shape', 'other version'],
  ...['filters by hand', 'scopes by hand'],
]

/** Replaces each part of a page between `<!-- name -->` and `<!-- end -->` by the table of that name. */
export function insertTables(text: string, results: SavedResults): string {
  const { comparisons, streams, starts } = results
  const tables: Readonly<Record<string, () => string>> = {
    baseline: () => tabulateBySize(comparisons, 'baseline', ({ rate }) => rate.median),
    costs: () => tabulateCosts(comparisons),
    connections: () => tabulateByConnections(comparisons),
    'baseline-fastify': () =>
      tabulateBySize(comparisons, 'baseline-fastify', ({ rate }) => rate.median),
    growth: () => tabulateBySize(comparisons, '1000 persons', ({ rate }) => 1 / rate.median),
    shapes: () => tabulateBySize(comparisons, 'one shape', ({ rate }) => rate.median),
    'access-filters': () => tabulateAccess(comparisons, 'filters by hand'),
    'access-scopes': () => tabulateAccess(comparisons, 'scopes by hand'),
    peers: () => tabulateByPeer(comparisons),
    streaming: () => tabulateStreams(streams),
    startup: () => tabulateStarts(starts),
  }
  return text.replace(/<!-- ([\w-]+) -->\n.*?<!-- end -->/gs, (found, name: string) => {
    const tabulate = tables[name]
    return tabulate ? `<!-- ${name} -->\n\n${tabulate()}\n\n<!-- end -->` : found
  })
}

/** One row for each stream. */
function tabulateStreams(streams: readonly StreamingResult[]): string {
  const rows = streams.map((result) => {
    const { firstByte, coldFirstByte, bytes, elapsed, memoryGrowth, p99, paused } = result
    const cells = [
      firstByte.toFixed(0),
      coldFirstByte.toFixed(0),
      `${(bytes / 1e6).toFixed(0)} MB in ${(elapsed / 1000).toFixed(1)} s`,
      (memoryGrowth / 1e6).toFixed(0),
      result.loopBlockedCpu.with.toFixed(0),
      (p99.with / p99.without).toFixed(1),
      (paused.cpu / 1e4).toFixed(1),
    ]
    return `| ${formatDatabase(result)} | ${cells.join(' | ')} |`
  })
  const head =
    '| | first byte, ms | first byte of the first stream, ms | size and duration | memory growth, MB | event loop blocked, ms | p99 of others × | CPU while paused, % |'
  return [head, '|---|---:|---:|---:|---:|---:|---:|---:|', ...rows].join('\n')
}

/** One row for each database that the service was started on. */
function tabulateStarts(starts: readonly StartupResult[]): string {
  const rows = starts.map((result) => {
    const { service, bareNode } = result
    return `| ${formatDatabase(result)} | ${service.toFixed(0)} | ${bareNode.toFixed(0)} |`
  })
  return ['| | service, ms | bare Node.js, ms |', '|---|---:|---:|', ...rows].join('\n')
}

function formatDatabase({
  database,
  persons,
}: Readonly<{ database: string; persons: number }>): string {
  return `${engineNames[database]}, ${persons.toLocaleString('en')}`
}

/** One column for each database and size. */
function tabulateBySize(
  all: readonly ComparisonResult[],
  against: string,
  value: (result: ComparisonResult) => number,
): string {
  const results = selectUsualConnections(all.filter((result) => result.against === against))
  const headings = unique(
    results
      .toSorted((left, right) => left.persons - right.persons)
      .toSorted((left, right) => right.database.localeCompare(left.database))
      .map(formatDatabase),
  )
  const columns = headings.map((heading): Column => {
    const ofDatabase = results.filter((result) => formatDatabase(result) === heading)
    return [heading, (workload) => formatCell(ofDatabase, workload, (r) => value(r).toFixed(2))]
  })
  return formatTable(listWorkloads(results), columns)
}

/** One column for each database and size: the ratio of throughput. */
function tabulateAccess(all: readonly ComparisonResult[], against: string): string {
  const isMeasured = all.some((result) => result.against === against)
  if (!isMeasured) return 'No results are saved: `npm run bench -- --against access` measures them.'
  return tabulateBySize(all, against, ({ rate }) => rate.median)
}

/** CPU time and latency of the service and of the baseline at 1,000 persons. */
function tabulateCosts(all: readonly ComparisonResult[]): string {
  const results = selectUsualConnections(selectSmallBaseline(all))
  const columns = unique(results.map(({ database }) => database)).flatMap((database): Column[] => {
    const ofDatabase = results.filter((result) => result.database === database)
    const pair = (name: 'cpu' | 'p50' | 'p99', digits: number) => (workload: string) =>
      formatCell(ofDatabase, workload, ({ left, right }) =>
        [left, right].map((side) => side[name].toFixed(digits)).join(' / '),
      )
    return [
      [`${engineNames[database]}: µs CPU`, pair('cpu', 0)],
      ['p50 ms', pair('p50', 1)],
      ['p99 ms', pair('p99', 1)],
    ]
  })
  return formatTable(listWorkloads(results), columns)
}

/** One column for each database and number of connections, at 1,000 persons. */
function tabulateByConnections(all: readonly ComparisonResult[]): string {
  const results = selectSmallBaseline(all)
  const columns = unique(results.map(({ database }) => database)).flatMap((database) =>
    [1, 32, 256].map((connections): Column => {
      const selected = results.filter(
        (result) => result.database === database && result.connections === connections,
      )
      return [
        `${engineNames[database]}, ${connections}`,
        (workload) => formatCell(selected, workload, ({ rate }) => rate.median.toFixed(2)),
      ]
    }),
  )
  return formatTable(
    listWorkloads(results.filter(({ connections }) => connections === 256)),
    columns,
  )
}

/** One column for each peer, at 1,000 persons. */
function tabulateByPeer(all: readonly ComparisonResult[]): string {
  const results = all.filter(({ against }) => !nonPeers.includes(against))
  const columns = unique(results.map(({ against }) => against)).map((peer): Column => {
    const ofPeer = results.filter(({ against, persons }) => against === peer && persons === 1000)
    return [peer, (workload) => formatCell(ofPeer, workload, ({ rate }) => rate.median.toFixed(1))]
  })
  return formatTable(listWorkloads(results), columns)
}

function selectSmallBaseline(all: readonly ComparisonResult[]): ComparisonResult[] {
  return all.filter(({ against, persons }) => against === 'baseline' && persons === 1000)
}

/** Selects the results for 32 connections, and for 2 where that is the default. */
function selectUsualConnections(all: readonly ComparisonResult[]): ComparisonResult[] {
  return all.filter(({ connections }) => connections === 32 || connections === 2)
}

function listWorkloads(results: readonly ComparisonResult[]): string[] {
  return unique(results.map(({ workload }) => workload))
}

function formatCell(
  results: readonly ComparisonResult[],
  workload: string,
  format: (result: ComparisonResult) => string,
): string {
  const result = results.find((each) => each.workload === workload)
  return result ? format(result) : ''
}

function formatTable(workloads: readonly string[], columns: readonly Column[]): string {
  const head = `| | ${columns.map(([heading]) => heading).join(' | ')} |`
  const ruler = `|---|${columns.map(() => '---:|').join('')}`
  const rows = workloads.map(
    (workload) => `| ${workload} | ${columns.map(([, cell]) => cell(workload)).join(' | ')} |`,
  )
  return [head, ruler, ...rows].join('\n')
}

function unique<Item>(items: readonly Item[]): Item[] {
  return [...new Set(items)]
}

if (import.meta.main) {
  const path = join(import.meta.dirname, 'RESULTS.md')
  writeFileSync(path, insertTables(readFileSync(path, 'utf8'), readSavedResults()))
}
