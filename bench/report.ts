import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeMachine } from './machine.ts'
import type { Summary, Timing } from './rounds.ts'
import type { StartupResult } from './startup.ts'
import type { Spread } from './statistics.ts'
import type { StreamingResult } from './streaming.ts'

/** The result of one scenario. The left server is the service. */
export interface ComparisonResult extends Summary {
  readonly against: string
  readonly database: string
  readonly persons: number
  readonly workload: string
  readonly connections: number
}

/** Any result that the benchmark saves. */
export type Result = ComparisonResult | StreamingResult | StartupResult

/** The columns of a table. A negative width aligns the cells to the left. */
type Columns = readonly (readonly [heading: string, width: number])[]

const comparisonColumns = [
  ['against', -16],
  ['database', -9],
  ['persons', 8],
  ['workload', -16],
  ['conn', 5],
  ['rate ×', 18],
  ['CPU ×', 18],
  ['µs CPU', 15],
  ['p50 ms', 13],
  ['p99 ms', 13],
  ['MB', 9],
] as const

const streamingColumns = [
  ['streaming', -13],
  ['database', -9],
  ['persons', 8],
  ['first byte ms', 14],
  ['cold ms', 8],
  ['s', 6],
  ['MB', 6],
  ['growth MB', 10],
  ['blocked ms', 11],
  ['blocked CPU ms', 15],
  ['p99 ms', 12],
  ['p99 ×', 6],
  ['paused CPU %', 13],
  ['leaked', 7],
] as const

const startupColumns = [
  ['startup', -17],
  ['database', -9],
  ['persons', 8],
  ['service ms', 10],
  ['bare Node.js ms', 15],
] as const

/** Formats the heading of the table of comparisons. */
export function formatComparisonHead(): string {
  return formatHead(comparisonColumns)
}

/**
 * Formats a row of the table of comparisons. `rate ×` is the ratio of requests per second, `CPU ×` the inverse ratio of CPU
 * time per request, both with quartiles in parentheses. Pairs are service/reference.
 */
export function formatComparisonRow(result: ComparisonResult): string {
  const { against, database, persons, workload, connections, left, right, rate, cpu } = result
  const pair = (name: 'cpu' | 'p50' | 'p99' | 'resident', digits: number, unit = 1) =>
    [left, right].map((side) => (side[name] / unit).toFixed(digits)).join('/')
  return formatLine(comparisonColumns, [
    against,
    database,
    String(persons),
    workload,
    String(connections),
    formatSpread(rate),
    formatSpread(cpu),
    pair('cpu', 0),
    pair('p50', 2),
    pair('p99', 1),
    pair('resident', 0, 1e6),
  ])
}

/** Formats the heading of the table of streams. */
export function formatStreamingHead(): string {
  return formatHead(streamingColumns)
}

/** Formats a row of the table of streams. Pairs are with/without a stream. */
export function formatStreamingRow(result: StreamingResult): string {
  const pair = (name: 'loopBlocked' | 'loopBlockedCpu' | 'p99') =>
    `${result[name].with.toFixed(1)}/${result[name].without.toFixed(1)}`
  return formatLine(streamingColumns, [
    'all, included',
    result.database,
    String(result.persons),
    result.firstByte.toFixed(0),
    result.coldFirstByte.toFixed(0),
    (result.elapsed / 1000).toFixed(1),
    (result.bytes / 1e6).toFixed(0),
    (result.memoryGrowth / 1e6).toFixed(0),
    pair('loopBlocked'),
    pair('loopBlockedCpu'),
    pair('p99'),
    (result.p99.with / result.p99.without).toFixed(1),
    (result.paused.cpu / 1e4).toFixed(1),
    String(result.leakedDescriptors ?? 'unknown'),
  ])
}

/** Formats the heading of the table of starts. */
export function formatStartupHead(): string {
  return formatHead(startupColumns)
}

/** Formats a row of the table of starts. */
export function formatStartupRow(result: StartupResult): string {
  const { database, persons, service, bareNode } = result
  const times = [service, bareNode].map((time) => time.toFixed(0))
  return formatLine(startupColumns, ['existing database', database, String(persons), ...times])
}

/** Saves results with a description of the machine. @returns the path of the file */
export async function saveResults(results: readonly Result[], timing: Timing): Promise<string> {
  const when = new Date().toISOString()
  const folder = join(import.meta.dirname, 'results')
  const path = join(folder, `${when.slice(0, 19).replaceAll(':', '')}.json`)
  await mkdir(folder, { recursive: true })
  const round = (_key: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(4)) : value
  const run = { when, machine: describeMachine(), timing, results }
  await writeFile(path, `${JSON.stringify(run, round, 2)}\n`)
  return path
}

function formatSpread({ median, low, high }: Spread): string {
  return `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`
}

function formatHead(columns: Columns): string {
  return formatLine(
    columns,
    columns.map(([heading]) => heading),
  )
}

function formatLine(columns: Columns, cells: readonly string[]): string {
  return columns
    .map(([, width], index) => {
      const cell = cells[index] ?? ''
      return width < 0 ? cell.padEnd(-width) : cell.padStart(width)
    })
    .join(' ')
}
