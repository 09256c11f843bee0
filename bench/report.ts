import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { machine } from './machine.ts'
import type { Duel, Pace, Spread } from './measure.ts'

/** What one comparison came to. The left side is the service. */
export interface Result extends Duel {
  readonly against: string
  readonly database: string
  readonly persons: number
  readonly workload: string
  readonly connections: number
}

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

/** The head of the table. */
export function tableHead(): string {
  return line(columns.map(([name]) => name))
}

/**
 * A line of the table. `rate ×`: how many times as many answers in a second; `CPU ×`: how many times as much CPU time the
 * other takes for one; in brackets, between what half of the rounds lie. Pairs are ours/theirs.
 */
export function tableRow(result: Result): string {
  const { against, database, persons, workload, connections, left, right, rate, cpu } = result
  const pair = (name: 'cpu' | 'p50' | 'p99' | 'resident', digits: number, unit = 1) =>
    [left, right].map((side) => (side[name] / unit).toFixed(digits)).join('/')
  return line([
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

/** Saves results with the description of the machine. @returns the path of the file */
export async function save(results: readonly Result[], pace: Pace): Promise<string> {
  const when = new Date().toISOString()
  const folder = join(import.meta.dirname, 'results')
  const path = join(folder, `${when.slice(0, 16).replaceAll(':', '')}.json`)
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

function line(cells: readonly string[]): string {
  return columns
    .map(([, width], index) => {
      const cell = cells[index] ?? ''
      return width < 0 ? cell.padEnd(-width) : cell.padStart(width)
    })
    .join(' ')
}
