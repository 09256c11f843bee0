import type { ReadPlan } from '../../plan/read.ts'
import {
  type CompleteRows,
  findIncludedLayout,
  pairWithLayouts,
  type RowBatch,
  type Rows,
} from '../../plan/read-result.ts'
import type { Row, RowLayout } from '../../plan/row-layout.ts'
import {
  checkResourceLimit,
  checkStreamedResourceLimit,
  type SizeLimit,
  tooManyResourcesError,
} from '../resource-limit.ts'
import {
  countFromRows,
  createRunValues,
  isList,
  maxBufferedRows,
  notFoundError,
  pageWindow,
} from '../run.ts'
import { compileStatement, type RunValues, type Statement } from '../statement.ts'
import type { ReadHooks, RunQuery } from '../store.ts'
import { loadRows } from './aggregated-includes.ts'
import type { PostgresConnection } from './connection.ts'
import type { CachedCount, PostgresCounts } from './counts.ts'
import type { FullReadStatement } from './full-read.ts'
import { maxWriteResources, type PostgresStatements } from './statements.ts'
import type { PostgresTransaction } from './transaction.ts'

/** The response to a write, which is read in its transaction and cannot be streamed. */
const writeLimit: SizeLimit = { resources: maxWriteResources, isWrite: true }

/**
 * Reads all that a plan means for the response to a write, in one statement.
 * @throws NotFoundError when the resource in the path is not there; ParameterError `too_many_resources` (400)
 */
export async function readForWrite(
  connection: PostgresConnection,
  plan: ReadPlan,
  id: string | undefined,
  statements: PostgresStatements,
): Promise<CompleteRows> {
  const statement = statements.fullRead(plan.shape)
  const answer = await connection.all(statement, createRunValues(plan, id))
  return checkWriteLimit(parseFullRead(answer, statement, { plan, id }), plan)
}

/** The same of the resource that the transaction has made last, whose id the server alone needs to know. */
export async function readInserted(
  connection: PostgresConnection,
  plan: ReadPlan,
  statements: PostgresStatements,
): Promise<CompleteRows> {
  const statement = statements.insertedRow(plan.shape)
  const answer = await connection.all(statement, createRunValues(plan, undefined))
  return checkWriteLimit(parseFullRead(answer, statement, { plan, id: undefined }), plan)
}

function checkWriteLimit({ rows, isCut }: FullReadResult, plan: ReadPlan): CompleteRows {
  checkResourceLimit(rows, plan, writeLimit)
  if (isCut) throw tooManyResourcesError(plan, writeLimit, plan.shape.includeEdges.length - 1)
  return rows
}

/** As `readWhole`; `undefined` when there are more rows than should be held at once. */
export async function readBounded(
  connection: PostgresConnection,
  plan: ReadPlan,
  id: string | undefined,
  statements: PostgresStatements,
): Promise<CompleteRows | undefined> {
  const statement = statements.boundedRead(plan.shape)
  const answer = await connection.all(statement, boundedValues(plan, id))
  const { rows, isCut } = parseFullRead(answer, statement, { plan, id })
  return bufferedOrUndefined(rows, isCut)
}

/** The values of one run that reads no more of a page than shows that it is too long to be held at once. */
function boundedValues(plan: ReadPlan, id: string | undefined): RunValues {
  const values = createRunValues(plan, id)
  const { limit } = values
  return limit === undefined || limit <= maxBufferedRows
    ? values
    : { ...values, limit: maxBufferedRows + 1 }
}

/** What a read outside of any transaction is run with. */
interface CachedCountOptions {
  readonly statements: PostgresStatements
  readonly counts: PostgresCounts
  /** Makes a signal on which the read is stopped. */
  readonly signal?: (() => AbortSignal) | undefined
}

/** The same outside of any transaction, where a count may be one that is remembered. */
export async function readWithCachedCount(
  connection: PostgresConnection,
  plan: ReadPlan,
  id: string | undefined,
  { statements, counts, signal }: CachedCountOptions,
): Promise<CompleteRows | undefined> {
  const { shape } = plan
  const values = boundedValues(plan, id)
  const countable = statements.cacheableCount(shape)
  const last = countable ? counts.last(countable, values) : undefined
  const backwards =
    last && (await readReversedPage(connection, plan, id, { statements, last, signal }))
  if (backwards) return backwards
  const statement = last ? statements.cachedCountPage(shape, values) : statements.boundedRead(shape)
  const answer = await connection.all(
    statement,
    { ...values, snapshotId: last?.snapshotId },
    signal,
  )
  const { rows, snapshotId, isCut } = parseFullRead(answer, statement, {
    plan,
    id,
    known: last?.count,
  })
  if (countable && snapshotId !== null)
    counts.remember(countable, values, { count: rows.count, snapshotId })
  return bufferedOrUndefined(rows, isCut)
}

/**
 * The same of a page that is nearer to the end of its list than to the start, as far as is known; `undefined` of any other,
 * and when what is known no longer holds.
 */
async function readReversedPage(
  connection: PostgresConnection,
  plan: ReadPlan,
  id: string | undefined,
  {
    statements,
    last,
    signal,
  }: Omit<CachedCountOptions, 'counts'> & Readonly<{ last: CachedCount }>,
): Promise<CompleteRows | undefined> {
  const { page, shape } = plan
  const { count, snapshotId } = last
  if (page === undefined || snapshotId === undefined) return undefined
  const { from, ...place } = pageWindow(page, count)
  if (from === 'start' || place.limit > maxBufferedRows) return undefined
  const statement = statements.reversedPage(shape, place)
  const values = { ...createRunValues(plan, id), ...place, snapshotId }
  const answer = await connection.all(statement, values, signal)
  if (answer[0]?.[0] !== true) return undefined
  const { rows, isCut } = parseFullRead(answer, statement, { plan, id })
  // What is included may be too much; the page is read again then.
  if (isCut) return undefined
  return { ...rows, count, primary: rows.primary.toReversed() }
}

/** Rows that may be held at once, those of which there are more resources are streamed. */
function bufferedOrUndefined(rows: CompleteRows, isCut: boolean): CompleteRows | undefined {
  const included = rows.included.reduce((sum, batch) => sum + batch.rows.length, 0)
  return isCut || rows.primary.length > maxBufferedRows || included > maxBufferedRows
    ? undefined
    : rows
}

/** What a read needs to know to tell rows from what the server says. */
interface FullReadRequest {
  readonly plan: ReadPlan
  readonly id: string | undefined
  /** The count that the server may take for known. */
  readonly known?: number | undefined
}

/** What the server says. */
interface FullReadResult {
  readonly rows: CompleteRows
  /** That of their count: absent when nobody asked for it, null when it is none to remember. */
  readonly snapshotId: string | null | undefined
  /** Whether a set was cut that does not show it. */
  readonly isCut: boolean
}

function parseFullRead(
  [row = []]: readonly Row[],
  statement: FullReadStatement,
  { plan, id, known }: FullReadRequest,
): FullReadResult {
  const [counted, isPresent, gathered, ...more] = row
  if (isPresent !== true) throw notFoundError(plan.notFound, id)
  const { primary, additions } = statement.read(gathered, more)
  const [total, snapshotId] = Array.isArray(counted) ? counted : [counted]
  const rows: CompleteRows = {
    is: 'complete',
    count: countFromRows(plan, primary.length) ?? Number(total ?? known),
    primary,
    included: plan.shape.includeEdges.map(({ to }, step) => ({
      type: to,
      rows: additions[step] ?? [],
    })),
  }
  const isCut = more[plan.shape.includeEdges.length] === true
  return { rows, snapshotId: total === null ? null : snapshotId, isCut }
}

/** What is done in a transaction that reads. */
interface TransactionReadOptions {
  readonly statements: PostgresStatements
  readonly hooks?: ReadHooks | undefined
  /** How many resources a stream may hold. */
  readonly limit?: SizeLimit | undefined
}

/** Whether a read may come to more than is held at once. */
export function mayNeedStream({ shape, page }: ReadPlan): boolean {
  const size = page?.size ?? (isList(shape) ? Number.POSITIVE_INFINITY : 1)
  return size > maxBufferedRows || shape.includeEdges.length > 0
}

/** Reads all that a plan means, and does what is to be done in the same snapshot; a long list is read as it is told. */
export async function readWithHooks(
  transaction: PostgresTransaction,
  plan: ReadPlan,
  id: string | undefined,
  reading: TransactionReadOptions & Readonly<{ hooks: ReadHooks }>,
): Promise<Rows> {
  const { hooks, statements, limit } = reading
  const query = createRunQuery(transaction, statements)
  await hooks.before(query)
  const whole = await readBounded(transaction, plan, id, statements)
  if (whole === undefined) return streamRows(transaction, plan, id, reading)
  if (limit) checkResourceLimit(whole, plan, limit)
  for (const [rows, layout] of pairWithLayouts(whole, plan.shape))
    await hooks.after(rows, layout, query)
  await transaction.commit()
  return whole
}

/**
 * Reads a long list as it is told, in a snapshot that is begun on a connection of its own.
 * @throws ParameterError `too_many_resources` (400) when it holds more than the limit
 */
export async function streamRows(
  transaction: PostgresTransaction,
  plan: ReadPlan,
  id: string | undefined,
  { statements, hooks, limit }: TransactionReadOptions,
): Promise<Rows> {
  const { shape } = plan
  const compiled = statements.read(shape)
  const values = streamedValues(plan, id)
  const query = createRunQuery(transaction, statements)
  // Where it expects fewer rows than there are, PostgreSQL would scan a table for each of them.
  if (statements.needsHashes(shape)) await transaction.once(hashing)
  if (limit)
    await checkStreamedResourceLimit(plan, compiled, limit, (statement, most) =>
      transaction.all(statement, { ...values, most }),
    )
  const [total] = shape.isPaged ? await transaction.all(compiled.count, values) : []
  async function* batches(of: Statement, layout: RowLayout): AsyncGenerator<RowBatch> {
    for await (const batch of transaction.batches(of, values)) {
      // Nobody else holds them.
      const rows = loadRows(batch as unknown[][], of.load)
      await hooks?.after(rows, layout, query)
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
  const end = () => void transaction.rollback()
  const count = total && { count: Number(total[0]) }
  return { is: 'stream', primary: primary(), included: included(), end, ...count }
}

const hashing: Statement = { sql: 'set local enable_nestloop = off', placeholders: [] }

/** The statements of streams add to limits, which makes them integers of 32 bits. */
function streamedValues(plan: ReadPlan, id: string | undefined): RunValues {
  const values = createRunValues(plan, id)
  const { limit } = values
  return limit === undefined ? values : { ...values, limit: Math.min(limit, 2 ** 31 - 1) }
}

/** Runs a declaration's own SQL; when the database refuses it, whoever catches that may go on. */
export function createRunQuery(
  transaction: PostgresTransaction,
  { target }: PostgresStatements,
): RunQuery {
  return (expression) =>
    transaction.withSavepoint(() =>
      transaction.records(compileStatement(expression, target.dialect)),
    )
}
