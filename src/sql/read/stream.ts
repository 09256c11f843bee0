import type { Awaitable } from '../../model/declare/hooks.ts'
import type { ReadPlan } from '../../plan/read.ts'
import { findIncludedLayout, type RowBatch, type Rows } from '../../plan/read-result.ts'
import type { Row, RowLayout } from '../../plan/row-layout.ts'
import {
  checkStreamedResourceLimit,
  type ResourceLimit,
  tooLargePagesError,
} from '../resource-limit.ts'
import type { RunValues, Statement } from '../statement.ts'
import type { CompiledRead } from './compile-read.ts'

/** A statement, and the values to run it with. */
export interface QueryRequest {
  readonly statement: Statement
  readonly values: RunValues
  /** Whether the statement is the count of a list, which may be taken from a cache. */
  readonly isCount?: boolean
  /** Whether the rows must fit into a document in memory. */
  readonly isBounded?: boolean
}

/** A read transaction from which a document is streamed. */
export interface StreamSource {
  /** Returns every row of a statement. */
  query(request: QueryRequest): Awaitable<readonly Row[]>
  /** Yields the rows of a statement in batches; each batch is read when it is requested. */
  batches(
    statement: Statement,
    values: RunValues,
    layout: RowLayout,
  ): AsyncGenerator<readonly Row[]>
  /** Ends the transaction; called once the stream ends, for whatever reason. */
  end(): void
}

/** A read that is streamed. */
export interface StreamedRead {
  readonly plan: ReadPlan
  readonly compiled: CompiledRead
  readonly values: RunValues
  /** Completes the rows of a batch; absent if they are complete. */
  readonly completeRows?: (rows: readonly Row[], layout: RowLayout) => Promise<readonly Row[]>
  /** Runs on each batch before it is serialized. */
  readonly afterBatch?: ((rows: readonly Row[], layout: RowLayout) => Promise<void>) | undefined
  readonly limit?: ResourceLimit | undefined
}

/**
 * Streams a long document: each batch of rows is read when the response needs it.
 * @throws ParameterError `too_many_resources` (400)
 */
export async function streamRows(source: StreamSource, read: StreamedRead): Promise<Rows> {
  const { plan, compiled, limit } = read
  const { shape } = plan
  if (plan.includePages) throw tooLargePagesError()
  const hasMore = await findMore(source, read)
  const values = plan.page?.cursors ? { ...read.values, limit: plan.page.size } : read.values
  if (limit)
    await checkStreamedResourceLimit(plan, compiled, limit, async (statement, maxRows) =>
      source.query({ statement, values: { ...values, maxRows } }),
    )
  const [count] =
    shape.isPaged && shape.cursors?.total !== 'none'
      ? await source.query({ statement: compiled.count, values, isCount: true })
      : []
  async function* included(): AsyncGenerator<RowBatch> {
    const includedRows = compiled.includedRows()
    for (const [index, { to }] of shape.includeEdges.entries()) {
      const statement = includedRows[index]
      const layout = findIncludedLayout(shape, to)
      if (statement === undefined) continue
      for await (const rows of readBatches(source, statement, layout, { ...read, values }))
        yield { type: layout.type, rows }
    }
  }
  const end = () => source.end()
  const primary = readBatches(source, compiled.rows, shape.primary, { ...read, values })
  const rows = { is: 'stream', primary, included: included(), end, ...hasMore } as const
  return count === undefined ? rows : { ...rows, count: Number(count[0]) }
}

/** Finds out whether there are rows behind a page between cursors. */
async function findMore(
  source: StreamSource,
  { plan, compiled, values }: StreamedRead,
): Promise<Readonly<{ hasMore?: boolean }>> {
  const { page } = plan
  if (page?.cursors === undefined) return {}
  const [size] = await source.query({ statement: compiled.pageSize(), values })
  return { hasMore: Number(size?.[0]) > page.size }
}

/** Yields the rows of a statement in batches, complete, after the hooks. */
async function* readBatches(
  source: StreamSource,
  statement: Statement,
  layout: RowLayout,
  { values, completeRows, afterBatch }: StreamedRead,
): AsyncGenerator<readonly Row[]> {
  for await (const batch of source.batches(statement, values, layout)) {
    const rows = completeRows ? await completeRows(batch, layout) : batch
    await afterBatch?.(rows, layout)
    yield rows
  }
}
