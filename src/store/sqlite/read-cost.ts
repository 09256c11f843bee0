import type { Model } from '../../model/model.ts'
import type { ReadShape } from '../../plan/read.ts'
import type { Statement } from '../statement.ts'
import type { SqliteConnection } from './connection.ts'
import { countIndexColumns, explainQueryPlan } from './query-plan.ts'
import { compileCost, type Sizes, type StatementCost } from './statement-cost.ts'
import { findSearchedSize } from './value-limit.ts'

/** The estimated duration of a read. */
interface ReadEstimate {
  /** The version of the table sizes that were used. */
  readonly version: number
  /** The duration of everything that does not depend on the page, in milliseconds. */
  readonly fixed: number
  /** The duration of each row up to the end of the page, in milliseconds. */
  readonly perRow: number
}

/** What was observed of reads that were estimated as cheap. */
export interface Observation {
  /** Whether the last read took long by the wall clock. The CPU time of the next one is measured. */
  isSuspect: boolean
  /** Reads count as slow until then, on the clock of `performance.now`. */
  slowUntil: number
}

/** The cost of the statements of a read, its last estimate, and what was observed. */
export interface ReadCost {
  /** The statements that visit all their rows, whatever the page. */
  readonly fixed: readonly StatementCost[]
  /** The statement of a page that SQLite reads in the order of an index, so that it stops at the end of the page. */
  readonly page: StatementCost | undefined
  /** The statement that counts all rows of a table. */
  readonly tableCount: StatementCost | undefined
  /** Whether the duration depends on the sizes of values, because statements search in them. */
  readonly searchesValues: boolean
  /** Whether the read would be expensive in a large database. */
  readonly dependsOnSizes: boolean
  estimate: ReadEstimate
  /**
   * What was observed of this read. All reads of a type that search in values share one observation, because they search in the same
   * values, and each may have a query shape of its own.
   */
  readonly observed: Observation
}

/** The statements of a read. */
interface ReadStatements {
  readonly rows: Statement
  readonly count: Statement
  readonly others: readonly Statement[]
}

/** The sizes of a large database. */
const largeSizes: Sizes = {
  tableSize: () => ({ rows: 1_000_000, rowSize: 100 }),
  keySizes: () => undefined,
}
/** The maximum estimated duration of a read in this process, where it blocks all requests; in milliseconds. */
export const maxInProcessDuration = 10

/** What the cost of a read is compiled from. */
export interface CostContext {
  readonly connection: SqliteConnection
  readonly model: Model
  /** Returns what was observed of the reads of a type that search in values. */
  readonly searchesOf: (type: string) => Observation
}

/** An estimate that has to be renewed. */
const noEstimate: ReadEstimate = { version: -1, fixed: 0, perRow: 0 }

/** Compiles the cost of a statement that is not part of a read plan. @param type - in whose values it may search */
export function compileStatementCost(
  statement: Statement,
  type: string,
  { connection, searchesOf }: Omit<CostContext, 'model'>,
): ReadCost {
  const fixed = [costOf(statement, connection)]
  const searchesValues = findSearchedSize(statement.sql) !== undefined
  return {
    fixed,
    searchesValues,
    dependsOnSizes: isExpensiveIfLarge(fixed),
    page: undefined,
    tableCount: undefined,
    estimate: noEstimate,
    observed: searchesValues ? searchesOf(type) : { isSuspect: false, slowUntil: 0 },
  }
}

function costOf(statement: Statement, connection: SqliteConnection): StatementCost {
  return compileCost(statement, explainQueryPlan(connection, statement), (index) =>
    countIndexColumns(connection, index),
  )
}

function isExpensiveIfLarge(costs: readonly StatementCost[]): boolean {
  return costs.reduce((sum, cost) => sum + cost.estimate(largeSizes), 0) > maxInProcessDuration
}

/** Compiles the cost of a read from SQLite's plans for its statements. */
export function compileReadCost(
  shape: ReadShape,
  { rows, count, others }: ReadStatements,
  { connection, model, searchesOf }: CostContext,
): ReadCost {
  const costOfRead = (statement: Statement) => costOf(statement, connection)
  const rowsCost = costOfRead(rows)
  const readsTable = isWholeTable(shape, model)
  const stopsAtPage = readsTable && !rowsCost.sorts
  const filteredCount = shape.isPaged && !readsTable ? [costOfRead(count)] : []
  const fixed = [...(stopsAtPage ? [] : [rowsCost]), ...filteredCount, ...others.map(costOfRead)]
  const searchesValues = [rows, count, ...others].some(
    ({ sql }) => findSearchedSize(sql) !== undefined,
  )
  return {
    fixed,
    searchesValues,
    dependsOnSizes: isExpensiveIfLarge(fixed),
    page: stopsAtPage ? rowsCost : undefined,
    tableCount: shape.isPaged && readsTable ? costOfRead(count) : undefined,
    estimate: noEstimate,
    observed: searchesValues ? searchesOf(shape.type) : { isSuspect: false, slowUntil: 0 },
  }
}

/** Whether a list contains every row of its table. SQLite counts such a list without visiting its rows. */
function isWholeTable({ addressed, where, type }: ReadShape, model: Model): boolean {
  return addressed.is === 'all' && where === undefined && model.types.get(type)?.scope === undefined
}
