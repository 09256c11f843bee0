import type { ReadPlan } from '../../plan/read.ts'
import { maxBufferedRows } from '../buffering.ts'
import { type ExplainedStatement, formatParameters } from '../explain.ts'
import { notFoundError } from '../not-found.ts'
import { createRunValues, limitRows } from '../run-values.ts'
import type { ReadHooks } from '../store.ts'
import { splitColumns } from './document-statement.ts'
import { createPostgresRunQuery } from './read.ts'
import type { PostgresStatements } from './statements.ts'
import type { PostgresTransaction } from './transaction.ts'

/** How a read is explained. */
interface ExplainOptions {
  readonly statements: PostgresStatements
  readonly hooks: ReadHooks | undefined
}

/**
 * Runs a read and returns its statement with its plan: the rows and the times of `explain analyze` are those of a second run.
 * @param transaction - a read transaction; it ends here
 * @throws NotFoundError when the resource in the path does not exist
 */
export async function explainPostgresRead(
  transaction: PostgresTransaction,
  plan: ReadPlan,
  id: string | undefined,
  { statements, hooks }: ExplainOptions,
): Promise<ExplainedStatement[]> {
  await hooks?.before(createPostgresRunQuery(transaction, statements.target.dialect))
  const statement = statements.boundedDocument(plan.shape)
  const values = limitRows(createRunValues(plan, id), maxBufferedRows)
  const start = performance.now()
  const result = await transaction.all(statement, values)
  const milliseconds = performance.now() - start
  const columns = splitColumns(result, plan.shape)
  if (!columns.pathExists) throw notFoundError(plan.notFound, id)
  const { primary, included } = statement.parseRows(columns.primary, columns.included)
  const { sql, placeholders } = statement
  const explain = { sql: `explain (analyze, timing off) ${sql}`, placeholders }
  const lines = await transaction.allUnprepared(explain, values)
  await transaction.commit()
  return [
    {
      sql,
      parameters: formatParameters(statement, values),
      plan: lines.map(([line]) => String(line)),
      rows: primary.length + included.reduce((sum, rows) => sum + rows.length, 0),
      milliseconds,
    },
  ]
}
