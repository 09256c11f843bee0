import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Long } from './long.ts'
import { machine } from './machine.ts'
import type { Duel, Pace, Spread } from './measure.ts'
import type { Start } from './start.ts'

/** What one comparison came to. The left side is the service. */
export interface Result extends Duel {
  readonly against: string
  readonly database: string
  readonly persons: number
  readonly workload: string
  readonly connections: number
}

type Columns = readonly (readonly [name: string, width: number])[]

const columns = [
  ['against', -12],
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

/** Of long lists: what is measured, and what is wanted. */
const longColumns = [
  ['long list', -13],
  ['database', -9],
  ['persons', 8],
  ['first byte ms', 14],
  ['first ever', 10],
  ['s', 6],
  ['MB', 6],
  ['grown MB', 9],
  ['held ms', 10],
  ['held by work', 13],
  ['p99 ms', 12],
  ['p99 ×', 6],
  ['stopped CPU %', 14],
  ['left open', 10],
] as const

/** Of starts. */
const startColumns = [
  ['start', -13],
  ['database', -9],
  ['persons', 8],
  ['listens after ms', 16],
  ['Node alone', 10],
] as const

/** The head of the table. */
export function tableHead(): string {
  return headOf(columns)
}

/** The head of the table of long lists. */
export function longHead(): string {
  return headOf(longColumns)
}

/** A line of the table of long lists. Pairs are with/without a stream. */
export function longRow(result: Long): string {
  const { database, persons, firstByte, firstEver, elapsed, bytes, grown, p99, stopped, left } =
    result
  const pair = (name: 'held' | 'heldByWork' | 'p99') =>
    `${result[name].with.toFixed(1)}/${result[name].without.toFixed(1)}`
  return line(longColumns, [
    'all, included',
    database,
    String(persons),
    firstByte.toFixed(0),
    firstEver.toFixed(0),
    (elapsed / 1000).toFixed(1),
    (bytes / 1e6).toFixed(0),
    (grown / 1e6).toFixed(0),
    pair('held'),
    pair('heldByWork'),
    pair('p99'),
    (p99.with / p99.without).toFixed(1),
    (stopped.cpu / 1e4).toFixed(1),
    String(left ?? 'unknown'),
  ])
}

/** The head of the table of starts. */
export function startHead(): string {
  return headOf(startColumns)
}

/** A line of the table of starts. */
export function startRow({ database, persons, started, bare }: Start): string {
  const times = [started, bare].map((time) => time.toFixed(0))
  return line(startColumns, ['on what exists', database, String(persons), ...times])
}

/**
 * A line of the table. `rate ×`: how many times as many answers in a second; `CPU ×`: how many times as much CPU time the
 * other takes for one; in brackets, between what half of the rounds lie. Pairs are ours/theirs.
 */
export function tableRow(result: Result): string {
  const { against, database, persons, workload, connections, left, right, rate, cpu } = result
  const pair = (name: 'cpu' | 'p50' | 'p99' | 'resident', digits: number, unit = 1) =>
    [left, right].map((side) => (side[name] / unit).toFixed(digits)).join('/')
  return line(columns, [
    against,
    database,
    String(persons),
    workload,
    String(connections),
    ratio(rate),
    ratio(cpu),
    pair('cpu', 0),
    pair('p50', 2),
    pair('p99', 1),
    pair('resident', 0, 1e6),
  ])
}

/** Everything that is measured. */
export type AnyResult = Result | Long | Start

/** Saves results with the description of the machine. @returns the path of the file */
export async function save(results: readonly AnyResult[], pace: Pace): Promise<string> {
  const when = new Date().toISOString()
  const folder = join(import.meta.dirname, 'results')
  const path = join(folder, `${when.slice(0, 19).replaceAll(':', '')}.json`)
  await mkdir(folder, { recursive: true })
  const rounded = (_key: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(4)) : value
  await writeFile(
    path,
    `${JSON.stringify({ when, machine: machine(), pace, results }, rounded, 2)}\n`,
  )
  return path
}

function ratio({ median, low, high }: Spread): string {
  return `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`
}

function headOf(columns: Columns): string {
  return line(
    columns,
    columns.map(([name]) => name),
  )
}

function line(columns: Columns, cells: readonly string[]): string {
  return columns
    .map(([, width], index) => {
      const cell = cells[index] ?? ''
      return width < 0 ? cell.padEnd(-width) : cell.padStart(width)
    })
    .join(' ')
}
