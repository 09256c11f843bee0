import type { Awaitable } from '../../model/hooks.ts'
import type { ReadPlan } from '../../plan/read.ts'
import {
  type CompleteRows,
  findIncludedLayout,
  pairWithLayouts,
  type RowBatch,
  type Rows,
} from '../../plan/read-result.ts'
import type { Row, RowLayout } from '../../plan/row-layout.ts'
import type { QueryRequest, QuerySequence } from '../executor.ts'
import { type ReadBudget, readIncludes } from '../include.ts'
import { checkStreamedResourceLimit, type SizeLimit } from '../resource-limit.ts'
import {
  countFromRows,
  createRunValues,
  isUnbounded,
  maxBufferedRows,
  notFoundError,
  pageWindow,
} from '../run.ts'
import { compileStatement, type RunValues, type Statement } from '../statement.ts'
import type { ReadHooks, RunQuery } from '../store.ts'
import type { ReadSession, SqlRecord } from './connection-pool.ts'
import { sqliteDialect as dialect } from './dialect.ts'
import type { SqliteStatements, WholeRead } from './full-read.ts'

/** How many rows a stream reads at a time. */
const batchSize = 50

/** What a read may hold in memory; a larger document is streamed. */
const wholeBudget: ReadBudget = { resources: maxBufferedRows, linkage: 20 * maxBufferedRows }
/** What the response to a write may hold in memory: it cannot be streamed, because it is read before the commit. */
export const writeBudget: ReadBudget = { resources: 10_000, linkage: 100_000 }

/**
 * The steps of a read that holds all of its rows at once.
 * @returns `undefined` when there are more than the budget allows
 * @throws NotFoundError when the resource in the path is not there
 */
export function* readSteps(
  { statements, whole }: Readonly<{ statements: SqliteStatements; whole: WholeRead }>,
  plan: ReadPlan,
  id: string | undefined,
  budget: ReadBudget = wholeBudget,
): QuerySequence<CompleteRows | undefined> {
  const { shape, notFound } = plan
  const found = yield* primarySteps(whole.read, plan, id, budget)
  if (found === undefined) return undefined
  const { primary, total } = found
  if (total === 0 && shape.scope.is === 'one') throw notFoundError(notFound, id)
  if (total === 0 && shape.scope.is === 'related') {
    const { exists } = statements.ofType(notFound.type)
    const parent = yield { statement: exists, values: { parameters: [], id } }
    if (parent.length === 0) throw notFoundError(notFound, id)
  }
  if (shape.includeEdges.length === 0 && whole.linkages.length === 0)
    return { is: 'complete', count: total, primary: found.primary, included: [] }
  const followed = yield* readIncludes({ shape, statements: whole, budget }, primary, id)
  return followed && { is: 'complete', count: total, ...followed }
}

/** Primary rows, and how many there are over all pages. */
interface Primary {
  readonly primary: readonly Row[]
  readonly total: number
}

/**
 * Reads the primary rows. Beyond the first page they are counted first, which is remembered, so that a page is reached
 * from the nearer end.
 */
function* primarySteps(
  compiled: Readonly<Record<'firstBatch' | 'reversedRows' | 'count', Statement>>,
  plan: ReadPlan,
  id: string | undefined,
  { resources }: ReadBudget,
): QuerySequence<Primary | undefined> {
  const { page } = plan
  const values = createRunValues(plan, id)
  if (page === undefined || page.number === 1) {
    const primary = yield { statement: compiled.firstBatch, values: limited(values, resources) }
    if (primary.length > resources && (page !== undefined || isUnbounded(plan.shape)))
      return undefined
    const known = countFromRows(plan, primary.length)
    if (known !== undefined) return { primary, total: known }
    return { primary, total: countIn(yield counting(compiled.count, values)) }
  }
  const total = countIn(yield counting(compiled.count, values))
  const { from, ...place } = pageWindow(page, total)
  if (place.limit === 0) return { primary: [], total }
  if (place.limit > resources) return undefined
  const statement = from === 'start' ? compiled.firstBatch : compiled.reversedRows
  const primary = yield { statement, values: { ...values, ...place } }
  return { primary: from === 'start' ? primary : primary.toReversed(), total }
}

function limited(values: RunValues, most: number): RunValues {
  const { limit } = values
  return limit !== undefined && limit > most ? { ...values, limit: most + 1 } : values
}

function counting(statement: Statement, values: RunValues): QueryRequest {
  return { statement, values, isCount: true }
}

function countIn([row]: readonly Row[]): number {
  return Number(row?.[0])
}

/** What a stream is made from. */
export interface StreamSource {
  readonly statements: SqliteStatements
  readonly plan: ReadPlan
  readonly id: string | undefined
  /** Gets every row before it is serialized. */
  readonly after?: ((rows: readonly Row[], layout: RowLayout) => Promise<void>) | undefined
  readonly limit?: SizeLimit | undefined
}

/** Reads a long document as it is sent, in the snapshot of a session, which ends with it. */
export async function streamOn(
  session: ReadSession,
  { statements, plan, id, after, limit }: StreamSource,
): Promise<Rows> {
  const { shape, page } = plan
  const compiled = statements.read(shape)
  const values = createRunValues(plan, id)
  if (limit)
    await checkStreamedResourceLimit(plan, compiled, limit, async (statement, most) =>
      session.query({ statement, values: { ...values, most } }),
    )
  const total = page && countIn(await session.query(counting(compiled.count, values)))
  async function* batches(of: Statement, layout: RowLayout): AsyncGenerator<RowBatch> {
    for await (const rows of session.batches(of, values, batchSize)) {
      await after?.(rows, layout)
      yield { type: layout.type, rows }
    }
  }
  async function* primary(): AsyncGenerator<readonly Row[]> {
    for await (const { rows } of batches(compiled.rows, shape.primary)) yield rows
  }
  async function* included(): AsyncGenerator<RowBatch> {
    for (const [index, { to }] of shape.includeEdges.entries()) {
      const addition = compiled.includedRows[index]
      if (addition) yield* batches(addition, findIncludedLayout(shape, to))
    }
  }
  const end = () => session.end()
  const rows = { is: 'stream', primary: primary(), included: included(), end } as const
  return total === undefined ? rows : { ...rows, count: total }
}

/** Runs hooks on rows that are all in hand, in the snapshot of a session. */
export async function afterWhole(
  rows: CompleteRows,
  plan: ReadPlan,
  during: ReadHooks,
  query: RunQuery,
): Promise<void> {
  for (const [some, layout] of pairWithLayouts(rows, plan.shape))
    await during.after(some, layout, query)
}

/** Runs a declaration's own SQL in the snapshot of a session. */
export function queryOn(
  session: Readonly<{ records: (statement: Statement) => Awaitable<readonly SqlRecord[]> }>,
): RunQuery {
  return async (expression) => session.records(compileStatement(expression, dialect))
}
