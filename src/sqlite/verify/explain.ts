import type { ReadPlan, ReadShape } from '../../plan/read.ts'
import { type DocumentBudget, writeBudget } from '../../sql/read/document-budget.ts'
import { executeReadSequence } from '../../sql/read/execute-read-sequence.ts'
import { type ExplainedStatement, formatParameters } from '../../sql/read/explain.ts'
import { runAsync } from '../../sql/read/query-sequence.ts'
import { addAuth } from '../../sql/read/run-values.ts'
import type { QueryRequest } from '../../sql/read/stream.ts'
import type { Statement } from '../../sql/statement.ts'
import type { ReadHooks } from '../../sql/store.ts'
import type { Target } from '../../sql/tables.ts'
import {
  type CursorIndexes,
  compileOrderProbes,
  describeCursorIndexes,
} from '../../sql/verify/cursor-index.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { createSqliteRunQuery, endOnError, type ReadTransaction } from '../read/read-transaction.ts'
import type { SqliteStatements } from '../statements.ts'

/** More than that of a read, so that the statements of a long page are explained that a read would stream. */
const explainBudget: DocumentBudget = { ...writeBudget, is: 'read' }

/** How a read is explained. */
interface ExplainContext {
  /** Runs the statements, with the deadline of any read. */
  readonly transaction: ReadTransaction
  readonly statements: SqliteStatements
  /** Makes the plans. */
  readonly connection: SqliteConnection
  readonly hooks: ReadHooks | undefined
}

/**
 * Runs a read and returns its statements with their plans.
 * @throws NotFoundError when the resource in the path does not exist
 */
export async function explainSqliteRead(
  { transaction, statements, connection, hooks }: ExplainContext,
  plan: ReadPlan,
  id: string | undefined,
): Promise<ExplainedStatement[]> {
  const explained: ExplainedStatement[] = []
  const read = { statements, readSequence: statements.readSequence(plan.shape) }
  const query = async ({ statement, values: runValues }: QueryRequest) => {
    const values = addAuth(runValues, plan.identity)
    const start = performance.now()
    const rows = await transaction.query({ statement, values })
    const milliseconds = performance.now() - start
    explained.push({
      sql: statement.sql,
      parameters: formatParameters(statement, values),
      plan: formatPlan(explainQueryPlan(connection, statement)),
      rows: rows.length,
      milliseconds,
    })
    return rows
  }
  await endOnError(transaction, async () => {
    await hooks?.before(createSqliteRunQuery(transaction))
    // The statements of a list beyond the budget end with the first one.
    await runAsync(executeReadSequence(read, plan, id, explainBudget), query)
  })
  transaction.end()
  return explained
}

/** Finds the indexes that serve the pages between cursors of a sort order. */
export function findCursorIndexes(
  shape: ReadShape,
  target: Target,
  connection: SqliteConnection,
): CursorIndexes {
  const plans = compileOrderProbes(shape, target).map((statement) =>
    formatPlan(explainQueryPlan(connection, statement)).join('\n'),
  )
  return describeCursorIndexes(shape, plans, target)
}

/** A line of `explain query plan`: its number, the number of its parent, and a description (sqlite.org/eqp.html). */
type QueryPlanLine = readonly [id: number, parent: number, detail: string]

/** Returns SQLite's plan for a statement. */
export function explainQueryPlan(
  connection: SqliteConnection,
  { sql }: Pick<Statement, 'sql'>,
): QueryPlanLine[] {
  return connection
    .introspect(`explain query plan ${sql}`)
    .map(([id, parent, , detail]): QueryPlanLine => [Number(id), Number(parent), String(detail)])
}

/** Indents each line of a plan below its parent. The names of tables stand for their aliases. */
export function formatPlan(lines: readonly QueryPlanLine[]): string[] {
  const depths = new Map<number, number>()
  return lines.map(([number, parent, detail]) => {
    const depth = parent === 0 ? 0 : (depths.get(parent) ?? 0) + 1
    depths.set(number, depth)
    return `${'  '.repeat(depth)}${detail}`
  })
}
