import type { Statement } from '../statement.ts'
import type { QueryPlanLine } from './query-plan.ts'

/** Returns the number of rows of a table. */
type RowCountOf = (table: string) => number

/** Returns the number of columns of an index. */
type WidthOf = (index: string) => number

/** The cost of a statement. */
export interface StatementCost {
  /** Whether all rows are sorted before the first one is returned. */
  readonly sorts: boolean
  /** Estimates the duration in milliseconds. */
  estimate(rowCountOf: RowCountOf): number
}

/** Microseconds for visiting a row. */
const visitCost = 0.08
/** Microseconds for a call of an SQL function in JavaScript. */
const callCost = 0.8
/** Microseconds for a search in a text by SQLite. */
const searchCost = 0.15
/** Microseconds for parsing a small JSON document; SQLite parses it once for several paths. */
const parseCost = 2
/** Microseconds for a comparison with a parameter. */
const compareCost = 0.03
/** The share of rows with the same key in an index that is not unique. */
const equalShare = 0.01
/** The share of rows in a range of an index. */
const rangeShare = 0.05
/** The duration of a recursive query in milliseconds: nothing says where the recursion ends. */
const recursionDuration = 1000
/** The number of values in a list parameter. */
const listLength = 50

/**
 * Compiles the cost of a statement from SQLite's plan for it. What the plan does not say is searched for in the SQL: calls of JavaScript
 * by the prefix `lapidary_` of their functions (`functions.ts`), searches in texts, parameters, and the aliases that
 * `src/store/tables.ts` and `src/store/sort.ts` write. A new function needs the prefix, or its calls count as free.
 */
export function compileCost(
  { sql }: Statement,
  plan: readonly QueryPlanLine[],
  widthOf: WidthOf,
): StatementCost {
  const toLine = ([id, , detail]: QueryPlanLine): PlanLine => {
    return { id, detail, isUnique: isUnique(detail, widthOf) }
  }
  const groups = Map.groupBy(plan, ([, parent]) => parent)
  const lines = new Map([...groups].map(([parent, group]) => [parent, group.map(toLine)]))
  const tables = parseAliases(sql)
  const costPerVisit =
    visitCost +
    countMatches(sql, /lapidary_(?!after)/g) * callCost +
    countMatches(sql, /\b(?:instr|substr)\(| glob /g) * searchCost +
    countMatches(sql, /\?/g) * compareCost +
    (/\bjson_(?:extract|type|valid)\(/.test(sql) ? parseCost : 0)
  const isRecursive = plan.some(([, , detail]) => detail === 'RECURSIVE STEP')
  return {
    sorts: (lines.get(0) ?? []).some(({ detail }) => isSort(detail)),
    estimate: (rowCountOf) => {
      const rowCount = (name: string) => maxRowCount(tables.get(name) ?? [name], rowCountOf)
      const duration = (countVisits(0, lines, rowCount) * costPerVisit) / 1000
      return isRecursive ? Math.max(duration, recursionDuration) : duration
    },
  }
}

/** A line of a plan. */
interface PlanLine {
  readonly id: number
  readonly detail: string
  /** Whether it finds one row by a unique key. */
  readonly isUnique: boolean
}

/** Whether a search compares all columns of a unique key: of a composite one the first alone are not unique. */
function isUnique(detail: string, widthOf: WidthOf): boolean {
  if (/INTEGER PRIMARY KEY|AUTOMATIC/.test(detail)) return true
  const [, index, columns = ''] = / INDEX (sqlite_autoindex_.*) \(([^()]*)\)/.exec(detail) ?? []
  return index !== undefined && countMatches(columns, /=\?/g) === widthOf(index)
}

/**
 * Counts the rows that a part of a plan visits. The scans and searches of one parent are nested loops.
 * @param parent - the number of the part's line; 0 for the complete plan
 * @param rowCountOf - the number of rows of a table by its name in the statement
 */
function countVisits(
  parent: number,
  lines: ReadonlyMap<number, readonly PlanLine[]>,
  rowCountOf: RowCountOf,
): number {
  let loops = 1
  let visits = 0
  for (const line of lines.get(parent) ?? []) {
    const { detail } = line
    const inner = countVisits(line.id, lines, rowCountOf)
    const rows = countRowsPerLoop(line, rowCountOf)
    if (rows !== undefined) {
      loops *= rows
      visits += loops + inner
      if (detail.includes(' AUTOMATIC ')) visits += rowCountOf(parseTableName(detail))
    } else if (detail.startsWith('CORRELATED')) visits += loops * inner
    else if (isSort(detail)) visits += 2 * loops
    else visits += inner
  }
  return visits
}

function isSort(detail: string): boolean {
  return detail.startsWith('USE TEMP B-TREE')
}

/** Estimates the rows that a scan or a search visits each time; `undefined` for any other line. */
function countRowsPerLoop(
  { detail, isUnique }: PlanLine,
  rowCountOf: RowCountOf,
): number | undefined {
  const isScan = detail.startsWith('SCAN ')
  if (!isScan && !detail.startsWith('SEARCH ')) return undefined
  if (detail.includes('VIRTUAL TABLE') || / \(subquery|CONSTANT ROW/.test(detail)) return listLength
  const rowCount = Math.max(1, rowCountOf(parseTableName(detail)))
  if (isScan) return rowCount
  if (/[<>]\?/.test(detail)) return Math.max(1, rowCount * rangeShare)
  return isUnique ? 1 : Math.max(1, Math.min(rowCount, Math.max(10, rowCount * equalShare)))
}

/** Returns the table of a line, by its name in the statement. */
function parseTableName(detail: string): string {
  return (
    /^(?:SCAN|SEARCH) (.+?)(?: USING .*| VIRTUAL .*| LEFT-JOIN| EXISTS)?$/.exec(detail)?.[1] ?? ''
  )
}

/** Returns the tables of a statement by alias; subqueries may use one alias for several tables. */
function parseAliases(sql: string): ReadonlyMap<string, ReadonlySet<string>> {
  const tables = new Map<string, Set<string>>()
  for (const [, table = '', alias = ''] of sql.matchAll(/"((?:[^"]|"")+)" as "([a-z]\d+)"/g)) {
    const sameAlias = tables.get(alias) ?? new Set<string>()
    tables.set(alias, sameAlias.add(table.replaceAll('""', '"')))
  }
  return tables
}

function maxRowCount(tables: Iterable<string>, rowCountOf: RowCountOf): number {
  return Math.max(...[...tables].map(rowCountOf))
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
