import type { Statement } from '../statement.ts'

/** A line of `explain query plan`: its number, that of the line it belongs to, and what SQLite does (sqlite.org/eqp.html). */
export type PlanLine = readonly [id: number, parent: number, detail: string]

/** How many rows a table has, by its name. */
export type SizeOf = (table: string) => number

/** What a statement costs. */
export interface StatementCost {
  /** Whether all rows are sorted before the first one is returned. */
  readonly sorts: boolean
  /** How long it may take, in milliseconds, with tables of a size. */
  milliseconds(sizeOf: SizeOf): number
}

/** What a read is expected to take. */
export interface Estimate {
  /** Of which sizes of tables it is. */
  readonly version: number
  /** Whatever part of the list is asked for, in milliseconds. */
  readonly fixed: number
  /** For each row up to the end of the page, in milliseconds. */
  readonly perRow: number
}

/** The costs of all statements of a read. */
export interface ReadCost {
  readonly fixed: readonly StatementCost[]
  /** The page, where SQLite reads it from the start of an index and stops at its end. */
  readonly page: StatementCost | undefined
  /** The rows that are counted and nothing else. */
  readonly counted: StatementCost | undefined
  estimate: Estimate
  /** Whether it was slow by the clock, which may have been the machine's doing: the next run is measured by its CPU time. */
  isSuspect: boolean
  /** Until when it is taken for expensive because it was slow, on the clock of `performance.now`. */
  slowUntil: number
}

/** What it takes to visit a row, in microseconds. */
const visit = 0.08
/** What it takes to call a function that is written in JavaScript, in microseconds. */
const call = 0.8
/** What it takes SQLite to search in a text, in microseconds. */
const search = 0.15
/** What it takes to compare with a value, in microseconds. */
const compare = 0.03
/** How many rows have the same key in an index that is not unique, as a share of all. */
const sameKey = 0.01
/** How many rows lie in a range of an index, as a share of all. */
const inRange = 0.05
/** How many rows a list of values has that is bound. */
const listed = 50

/** Estimates what a statement costs from what SQLite plans to do. */
export function compileCost({ sql }: Statement, lines: readonly PlanLine[]): StatementCost {
  const children = Map.groupBy(lines, ([, parent]) => parent)
  const tables = tablesIn(sql)
  const perVisit =
    visit +
    occurrences(sql, /lapidary_(?!after)/g) * call +
    occurrences(sql, /\b(?:instr|substr)\(| glob /g) * search +
    occurrences(sql, /\?/g) * compare
  const visits = (parent: number, sizeOf: SizeOf): number => {
    let loops = 1
    let total = 0
    for (const [id, , detail] of children.get(parent) ?? []) {
      const inner = visits(id, sizeOf)
      const rows = rowsOf(detail, (name) => sizeIn(tables, name, sizeOf))
      if (rows !== undefined) {
        loops *= rows
        total += loops + inner
        if (detail.includes(' AUTOMATIC ')) total += sizeIn(tables, nameIn(detail), sizeOf)
      } else if (detail.startsWith('CORRELATED')) total += loops * inner
      else if (detail.startsWith('USE TEMP B-TREE')) total += 2 * loops
      else total += inner
    }
    return total
  }
  return {
    sorts: (children.get(0) ?? []).some(([, , detail]) => detail.startsWith('USE TEMP B-TREE')),
    milliseconds: (sizeOf) => (visits(0, sizeOf) * perVisit) / 1000,
  }
}

/** How many rows a scan or a search visits each time; `undefined` for a line that is neither. */
function rowsOf(detail: string, sizeOf: SizeOf): number | undefined {
  const isScan = detail.startsWith('SCAN ')
  if (!isScan && !detail.startsWith('SEARCH ')) return undefined
  if (detail.includes('VIRTUAL TABLE') || / \(subquery|CONSTANT ROW/.test(detail)) return listed
  const size = Math.max(1, sizeOf(nameIn(detail)))
  if (isScan) return size
  if (/[<>]\?/.test(detail)) return Math.max(1, size * inRange)
  const isUnique = /INTEGER PRIMARY KEY|sqlite_autoindex_|AUTOMATIC/.test(detail)
  return isUnique ? 1 : Math.max(1, Math.min(size, Math.max(10, size * sameKey)))
}

/** The name under which the statement knows the table of a line. */
function nameIn(detail: string): string {
  return (
    /^(?:SCAN|SEARCH) (.+?)(?: USING .*| VIRTUAL .*| LEFT-JOIN| EXISTS)?$/.exec(detail)?.[1] ?? ''
  )
}

/** The tables of a statement by the names it gives them; the same name may stand for several. */
function tablesIn(sql: string): ReadonlyMap<string, ReadonlySet<string>> {
  const tables = new Map<string, Set<string>>()
  for (const [, table = '', alias = ''] of sql.matchAll(/"((?:[^"]|"")+)" as "([a-z]\d+)"/g)) {
    const known = tables.get(alias) ?? new Set<string>()
    tables.set(alias, known.add(table.replaceAll('""', '"')))
  }
  return tables
}

/** The size of a table by a name in a statement; what stands in a view has names of its own. */
function sizeIn(
  tables: ReadonlyMap<string, ReadonlySet<string>>,
  name: string,
  sizeOf: SizeOf,
): number {
  return Math.max(...[...(tables.get(name) ?? [name])].map(sizeOf))
}

function occurrences(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
