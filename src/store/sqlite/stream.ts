import type { ReadPlan } from '../../plan/read.ts'
import { findIncludedLayout, type RowBatch, type Rows } from '../../plan/read-result.ts'
import type { Row, RowLayout } from '../../plan/row-layout.ts'
import { checkStreamedResourceLimit, type SizeLimit } from '../resource-limit.ts'
import { createRunValues } from '../run.ts'
import type { Statement } from '../statement.ts'
import { countRequest, readCount } from './counts.ts'
import type { ReadTransaction } from './read-transaction.ts'
import type { SqliteStatements } from './statements.ts'

/** A read that is streamed. */
export interface StreamedRead {
  readonly statements: SqliteStatements
  readonly plan: ReadPlan
  /** The id in the path. */
  readonly id: string | undefined
  /** Runs on each batch before it is serialized. */
  readonly afterBatch?: ((rows: readonly Row[], layout: RowLayout) => Promise<void>) | undefined
  readonly limit?: SizeLimit | undefined
}

/**
 * Streams a long document: each batch of rows is read when the response needs it. The end of the stream ends the transaction.
 * @throws ParameterError `too_many_resources` (400)
 */
export async function streamRows(
  transaction: ReadTransaction,
  { statements, plan, id, afterBatch, limit }: StreamedRead,
): Promise<Rows> {
  const { shape, page } = plan
  const compiled = statements.read(shape)
  const values = createRunValues(plan, id)
  if (limit)
    await checkStreamedResourceLimit(plan, compiled, limit, async (statement, most) =>
      transaction.query({ statement, values: { ...values, most } }),
    )
  const count = page && readCount(await transaction.query(countRequest(compiled.count, values)))
  async function* batches(statement: Statement, layout: RowLayout): AsyncGenerator<RowBatch> {
    for await (const rows of transaction.batches(statement, values)) {
      await afterBatch?.(rows, layout)
      yield { type: layout.type, rows }
    }
  }
  async function* primary(): AsyncGenerator<readonly Row[]> {
    for await (const { rows } of batches(compiled.rows, shape.primary)) yield rows
  }
  async function* included(): AsyncGenerator<RowBatch> {
    for (const [index, { to }] of shape.includeEdges.entries()) {
      const statement = compiled.includedRows[index]
      if (statement) yield* batches(statement, findIncludedLayout(shape, to))
    }
  }
  const end = () => transaction.end()
  const rows = { is: 'stream', primary: primary(), included: included(), end } as const
  return count === undefined ? rows : { ...rows, count }
}
