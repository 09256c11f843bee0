import type { Statement } from '../statement.ts'
import { maxKeySize } from './key-size.ts'
import type { QueryPlanLine } from './query-plan.ts'
import type { TableSize } from './table-size.ts'
import { jsonOperations } from './value-limit.ts'

/** The sizes that an estimate depends on. */
export interface Sizes {
  /** Returns the size of a table. */
  tableSize(table: string): TableSize
  /** Returns numbers of rows with the same key of an index (`key-size.ts`); `undefined` if they are not known. */
  keySizes(index: string, columnCount: number): readonly number[] | undefined
}

/** Returns the number of columns of an index. */
type WidthOf = (index: string) => number

/** The cost of a statement. */
export interface StatementCost {
  /** Whether all rows are sorted before the first one is returned. */
  readonly sorts: boolean
  /** Estimates the duration in milliseconds. */
  estimate(sizes: Sizes): number
}

/** Microseconds for visiting a row. */
const visitCost = 0.08
/** Microseconds for a call of an SQL function in JavaScript. */
const callCost = 0.8
/** Microseconds for reading a byte of a row, or for skipping it: SQLite reads all pages of a row up to the column. */
const byteCost = 0.000_16
/** Microseconds for a search in a text by SQLite. */
const searchCost = 0.15
/** Microseconds for such a search in a byte. The length of what functions in JavaScript search in is limited (`value-limit.ts`). */
const searchedByteCost = 0.000_5
/** Microseconds for parsing a small JSON document; SQLite parses it once for several paths. */
const parseCost = 2
/** Microseconds for a byte of such a document. */
const parsedByteCost = 0.005
/** Microseconds for a comparison with a parameter. */
const compareCost = 0.03
/** The share of rows with the same key in an index that is not unique, if their number is not known. */
const equalShare = 0.01
/** The fewest rows that a key is expected to have in an index that is not unique. */
const minEqualRows = 10
/** The share of rows in a range of an index. */
const rangeShare = 0.05
/** To sort a row takes as long as to visit so many. */
const sortVisits = 2
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
  const { visit, byte } = compileRowCost(sql)
  const isRecursive = plan.some(([, , detail]) => detail === 'RECURSIVE STEP')
  return {
    sorts: (lines.get(0) ?? []).some(({ detail }) => isSort(detail)),
    estimate: ({ tableSize, keySizes }) => {
      const largest = (name: string) => maxSize(tables.get(name) ?? [name], tableSize)
      const duration =
        estimatePart(0, lines, {
          visit,
          rowCountOf: (name) => largest(name).rows,
          rowBytesOf: (name) => largest(name).rowSize * byte,
          keySizes,
        }) / 1000
      return isRecursive ? Math.max(duration, recursionDuration) : duration
    },
  }
}

/** Returns the microseconds for visiting a row of a statement, and for each of its bytes. */
function compileRowCost(sql: string): Readonly<{ visit: number; byte: number }> {
  const searches = countMatches(sql, /\b(?:instr|substr)\(| glob /g)
  const readsJson = jsonOperations.test(sql)
  const visit =
    visitCost +
    countMatches(sql, /lapidary_(?!after)/g) * callCost +
    searches * searchCost +
    countMatches(sql, /\?/g) * compareCost +
    (readsJson ? parseCost : 0)
  const byte = byteCost + searches * searchedByteCost + (readsJson ? parsedByteCost : 0)
  return { visit, byte }
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

/** What the parts of a statement cost. The names of tables are those in the statement. */
interface PartCosts {
  /** Microseconds for visiting a row, without its bytes. */
  readonly visit: number
  rowCountOf(table: string): number
  /** Microseconds for the bytes of a row. */
  rowBytesOf(table: string): number
  readonly keySizes: Sizes['keySizes']
}

/**
 * Estimates the duration of a part of a plan in microseconds. The scans and searches of one parent are nested loops.
 * @param parent - the number of the part's line; 0 for the complete plan
 */
function estimatePart(
  parent: number,
  lines: ReadonlyMap<number, readonly PlanLine[]>,
  costs: PartCosts,
): number {
  let loops = 1
  let duration = 0
  const siblings = lines.get(parent) ?? []
  for (const [index, line] of siblings.entries()) {
    const { detail } = line
    const inner = estimatePart(line.id, lines, costs)
    const rows = countRowsPerLoop(line, costs)
    if (rows !== undefined) {
      const table = parseTableName(detail)
      loops *= rows * (isSearchForList(detail, siblings[index + 1]) ? listLength : 1)
      duration += inner + loops * (costs.visit + (readsTable(detail) ? costs.rowBytesOf(table) : 0))
      if (detail.includes(' AUTOMATIC ')) duration += costs.rowCountOf(table) * costs.visit
    } else if (detail.startsWith('CORRELATED')) duration += loops * inner
    else if (isSort(detail)) duration += sortVisits * loops * costs.visit
    else duration += inner
  }
  return duration
}

/** Whether a scan or a search reads rows of a table: a covering index contains all that is read. */
function readsTable(detail: string): boolean {
  return !(detail.includes(' COVERING INDEX ') || notTable.test(detail))
}

/** Parts of the lines for what is not a table: a list parameter, a subquery, constants. */
const notTable = /VIRTUAL TABLE| \(subquery|CONSTANT ROW/

/** Whether a search finds the rows of each key in a list. */
function isSearchForList(detail: string, next: PlanLine | undefined): boolean {
  return detail.startsWith('SEARCH ') && (next?.detail.startsWith('LIST SUBQUERY') ?? false)
}

function isSort(detail: string): boolean {
  return detail.startsWith('USE TEMP B-TREE')
}

/** Estimates the rows that a scan or a search visits each time; `undefined` for any other line. */
function countRowsPerLoop(
  { detail, isUnique }: PlanLine,
  { rowCountOf, keySizes }: PartCosts,
): number | undefined {
  const isScan = detail.startsWith('SCAN ')
  if (!isScan && !detail.startsWith('SEARCH ')) return undefined
  if (notTable.test(detail)) return listLength
  const rowCount = Math.max(1, rowCountOf(parseTableName(detail)))
  if (isScan) return rowCount
  if (/[<>]\?/.test(detail)) return Math.max(1, rowCount * rangeShare)
  if (isUnique) return 1
  const [, index, columns = ''] = / INDEX (.+) \(([^()]*)\)/.exec(detail) ?? []
  const sizes = index === undefined ? undefined : keySizes(index, countMatches(columns, /=\?/g))
  return Math.min(rowCount, Math.max(minEqualRows, meanKeySize(sizes, rowCount * equalShare)))
}

/** Returns the mean number of rows of a key. @param defaultSize - the number for keys with more rows than were counted */
function meanKeySize(sizes: readonly number[] | undefined, defaultSize: number): number {
  if (sizes === undefined || sizes.length === 0) return defaultSize
  const sum = sizes.reduce(
    (total, size) => total + (size < maxKeySize ? size : Math.max(size, defaultSize)),
    0,
  )
  return sum / sizes.length
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

function maxSize(tables: Iterable<string>, sizeOf: Sizes['tableSize']): TableSize {
  const sizes = [...tables].map(sizeOf)
  return {
    rows: Math.max(...sizes.map(({ rows }) => rows)),
    rowSize: Math.max(...sizes.map(({ rowSize }) => rowSize)),
  }
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
