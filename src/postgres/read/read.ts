import { sql } from 'kysely'
import type { Dialect } from '../../model/dialect.ts'
import { getResourceType, type Table } from '../../model/model.ts'
import { primaryRowSet } from '../../plan/include.ts'
import type { ReadPlan } from '../../plan/read.ts'
import type { CompleteRows, Rows } from '../../plan/read-result.ts'
import type { Row } from '../../plan/row-layout.ts'
import { compileQuery } from '../../sql/compile-query.ts'
import { notFoundError } from '../../sql/errors.ts'
import { quoteTableName } from '../../sql/quote-identifier.ts'
import {
  fitsReadBudget,
  fitsWriteBudget,
  isList,
  readBudget,
  writeBudget,
} from '../../sql/read/document-budget.ts'
import {
  executeReadSequence,
  type ReadSequenceStatements,
} from '../../sql/read/execute-read-sequence.ts'
import { readLinkages } from '../../sql/read/include.ts'
import type { LinkageRead } from '../../sql/read/linkage-lookups.ts'
import { countFromRows, pageWindow } from '../../sql/read/page-window.ts'
import { runAsync } from '../../sql/read/query-sequence.ts'
import type { ReadDurations } from '../../sql/read/read-durations.ts'
import type { ReadSequence } from '../../sql/read/read-sequence.ts'
import { repeatedIdError } from '../../sql/read/repeated-ids.ts'
import { runAfterHooks } from '../../sql/read/run-after-hooks.ts'
import { addAuth, createRunValues, limitRows } from '../../sql/read/run-values.ts'
import { type StreamedRead, type StreamSource, streamRows } from '../../sql/read/stream.ts'
import { createRowCompleter } from '../../sql/read/streamed-keys.ts'
import {
  checkResourceLimit,
  type ResourceLimit,
  tooManyResourcesError,
  tooMuchTextError,
} from '../../sql/resource-limit.ts'
import { compileStatement, type RunValues, type Statement } from '../../sql/statement.ts'
import type { ReadHooks, RunQuery } from '../../sql/store.ts'
import type { Target } from '../../sql/tables.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import type { PostgresStatements } from '../statements.ts'
import type { PostgresTransaction } from '../transaction.ts'
import type { CachedCount, PostgresCountCache } from './counts.ts'
import { type DocumentStatement, splitColumns } from './document-statement.ts'
import type { DocumentRows } from './json-rows.ts'

/**
 * Reads the response to a write, in one statement.
 * @throws NotFoundError when the resource in the path does not exist; ParameterError `too_many_resources` (400)
 */
export async function readForWrite(
  connection: PostgresConnection,
  plan: ReadPlan,
  id: string | undefined,
  statements: PostgresStatements,
): Promise<CompleteRows> {
  const readSequence = statements.readSequence(plan.shape)
  if (readSequence) return readSequenceForWrite(connection, plan, id, { statements, readSequence })
  const statement = statements.documentForWrite(plan.shape)
  const result = await connection.all(statement, createRunValues(plan, id))
  return checkWriteBudget(parseDocument(result, statement, { plan, id, statements }), plan)
}

/** Reads the response to a create from the row that the transaction inserted last, whose id is known to the server only. */
export async function readInserted(
  connection: PostgresConnection,
  plan: ReadPlan,
  statements: PostgresStatements,
): Promise<CompleteRows> {
  const readSequence = statements.insertedReadSequence(plan.shape)
  if (readSequence)
    return readSequenceForWrite(connection, plan, undefined, { statements, readSequence })
  const statement = statements.insertedDocument(plan.shape)
  const result = await connection.all(statement, createRunValues(plan, undefined))
  return checkWriteBudget(
    parseDocument(result, statement, { plan, id: undefined, statements }),
    plan,
  )
}

/** Reads the response to a write in several statements. */
async function readSequenceForWrite(
  connection: PostgresConnection,
  plan: ReadPlan,
  id: string | undefined,
  statements: ReadSequenceStatements,
): Promise<CompleteRows> {
  const rows = await runAsync(
    executeReadSequence(statements, plan, id, writeBudget),
    ({ statement, values }) => connection.all(statement, addAuth(values, plan.identity)),
  )
  if (rows === undefined) throw tooManyResourcesError(plan, writeBudget, undefined)
  if (!fitsWriteBudget(rows)) throw tooMuchTextError()
  return rows
}

/** Executes a read in several statements, and its hooks, in one transaction; streams a long document. */
export async function readInSequence(
  transaction: PostgresTransaction,
  plan: ReadPlan,
  id: string | undefined,
  options: TransactionReadOptions & Readonly<{ readSequence: ReadSequence }>,
): Promise<Rows> {
  const { hooks, statements, limit } = options
  const query = createPostgresRunQuery(transaction, statements.target.dialect)
  await hooks?.before(query)
  const complete = await runAsync(executeReadSequence(options, plan, id), ({ statement, values }) =>
    transaction.all(statement, addAuth(values, plan.identity)),
  )
  if (complete === undefined) {
    await transaction.continueAsStream()
    return streamRead(transaction, plan, id, options)
  }
  if (limit) checkResourceLimit(complete, plan, limit)
  if (hooks) await runAfterHooks(hooks, complete, plan, query)
  await transaction.commit()
  return complete
}

function checkWriteBudget(document: ParsedDocument | undefined, plan: ReadPlan): CompleteRows {
  if (document === undefined) throw tooMuchTextError()
  const { rows, isCut, longLinkage } = document
  checkResourceLimit(rows, plan, writeBudget)
  if (!fitsWriteBudget(rows)) throw tooMuchTextError()
  if (isCut) throw tooManyResourcesError(plan, writeBudget, plan.shape.includeEdges.length - 1)
  if (longLinkage !== undefined)
    throw tooManyResourcesError(
      plan,
      writeBudget,
      longLinkage === primaryRowSet ? undefined : longLinkage,
    )
  return rows
}

/** The dependencies of a read outside of any transaction. */
interface CachedCountOptions {
  readonly statements: PostgresStatements
  readonly counts: PostgresCountCache
  /** Creates a signal that stops the read. */
  readonly signal?: (() => AbortSignal) | undefined
}

/**
 * Executes a read outside of any transaction, with the count from the cache if possible.
 * @returns `undefined` when there are more rows, or more text, than a read may hold in memory
 */
export async function readWithCachedCount(
  connection: Pick<PostgresConnection, 'all'>,
  plan: ReadPlan,
  id: string | undefined,
  { statements, counts, signal }: CachedCountOptions,
): Promise<CompleteRows | undefined> {
  const { shape } = plan
  const values = limitRows(createRunValues(plan, id), readBudget.resources)
  const cacheable = statements.cacheableCount(shape)
  const cached = cacheable ? counts.find(cacheable, values) : undefined
  const reversed =
    cached && (await readReversedPage(connection, plan, id, { statements, cached, signal }))
  if (reversed) return reversed
  const statement = cached
    ? statements.cachedCountPage(shape, values)
    : statements.boundedDocument(shape)
  const bound = { ...values, snapshotId: cached?.snapshotId }
  const result = await connection.all(statement, bound, signal)
  const request = { plan, id, statements, cachedCount: cached?.count }
  const document = parseDocument(result, statement, request)
  if (document === undefined) return undefined
  const { rows, snapshotId } = document
  if (cacheable && snapshotId !== null)
    counts.add(cacheable, values, { count: rows.count ?? 0, snapshotId })
  return withinBudget(document, statement)
}

/**
 * Reads a page from the end of its list if the cached count shows that the end is nearer.
 * @returns `undefined` for any other page, and when the cached count is no longer valid
 */
async function readReversedPage(
  connection: Pick<PostgresConnection, 'all'>,
  plan: ReadPlan,
  id: string | undefined,
  {
    statements,
    cached,
    signal,
  }: Omit<CachedCountOptions, 'counts'> & Readonly<{ cached: CachedCount }>,
): Promise<CompleteRows | undefined> {
  const { page, shape } = plan
  const { count, snapshotId } = cached
  if (page === undefined || snapshotId === undefined) return undefined
  const { from, ...window } = pageWindow(page, count)
  if (from === 'start' || window.limit > readBudget.resources) return undefined
  const statement = statements.reversedPage(shape, window)
  const values = { ...createRunValues(plan, id), ...window, snapshotId }
  const result = await connection.all(statement, values, signal)
  const isCountValid = result[0]?.[0] === true
  if (!isCountValid) return undefined
  const document = parseDocument(result, statement, { plan, id, statements })
  const rows = withinBudget(document, statement)
  return rows && { ...rows, count, primary: rows.primary.toReversed() }
}

/**
 * Returns the rows of a document within the budget of a read; `undefined` for any other, which is streamed.
 * @param isShort - whether its texts need not be counted
 */
function withinBudget(
  document: ParsedDocument | undefined,
  { longPositions }: DocumentStatement,
  isShort = false,
): CompleteRows | undefined {
  if (document === undefined || document.isCut || document.longLinkage !== undefined)
    return undefined
  const { rows } = document
  const { resources } = readBudget
  const included = rows.included.reduce((sum, batch) => sum + batch.rows.length, 0)
  if (rows.primary.length > resources || included > resources) return undefined
  return isShort || fitsReadBudget(rows, longPositions) ? rows : undefined
}

/** The read to which a result belongs. */
interface DocumentRequest {
  readonly plan: ReadPlan
  readonly id: string | undefined
  readonly statements: PostgresStatements
  /** The count if the server did not count, because the cached count is valid. */
  readonly cachedCount?: number | undefined
}

/** The parsed result of a statement that reads a document. */
interface ParsedDocument {
  readonly rows: CompleteRows
  /**
   * The snapshot id of the count. The cache gets a count in two reads:
   *
   * - `undefined`: the statement did not ask for an id. The first read, which finds no count in the cache, adds one without an id.
   * - a text: the second read asks for the count with its id, and adds both. Later reads compare the id in their statement.
   * - null: the cache keeps what it has. The server did not count, because the rows show the count or the cached one is valid, or
   *   the count must not be cached (`cacheValidator`).
   */
  readonly snapshotId: string | null | undefined
  /** Whether a set of rows was cut at the limit, and its result does not show it. */
  readonly isCut: boolean
  /** The include edge, or `primaryRowSet`, whose rows have too much linkage, which may be cut; absent: none. */
  readonly longLinkage: number | undefined
}

/** Parses the result of a statement that reads a document. @returns `undefined` if a row has too much text for the statement */
function parseDocument(
  result: readonly Row[],
  statement: DocumentStatement,
  { plan, id, statements, cachedCount }: DocumentRequest,
): ParsedDocument | undefined {
  const columns = splitColumns(result, plan.shape)
  if (!columns.pathExists) throw notFoundError(plan.notFound, id)
  // The result has a row for each row with the id in the path.
  if (result.length > 1)
    throw repeatedIdError(getResourceType(statements.target.model, plan.shape.type), id)
  const aggregated = statement.parseRows(columns.primary, columns.included)
  if (aggregated === undefined) return undefined
  const { count, snapshotId, isCut } = columns
  // The rows show whether there are more, or the last value of each the number of those on the page.
  const { primary } = aggregated
  const size = plan.page?.cursors ? Number(primary[0]?.at(-1) ?? 0) : primary.length
  const known = countFromRows(plan, size, readBudget.resources + 1)
  const counted = plan.shape.cursors?.total === 'none' ? undefined : Number(count ?? cachedCount)
  const longLinkage = statement.findLongLinkage?.(aggregated)
  return {
    rows: toCompleteRows(plan, aggregated, { count: known ?? counted, size }),
    snapshotId: count === null ? null : snapshotId,
    isCut: isCut || primary.length < Math.min(size, plan.page?.size ?? 0),
    longLinkage,
  }
}

/** @param size - the rows of the page, with the one that shows that there are more */
function toCompleteRows(
  { shape, page }: ReadPlan,
  { primary, included }: DocumentRows,
  { count, size }: Readonly<{ count: number | undefined; size: number }>,
): CompleteRows {
  return {
    is: 'complete',
    count,
    ...(page?.cursors && { hasMore: size > primary.length }),
    primary,
    included: shape.includeEdges.map(({ to }, index) => ({
      type: to,
      rows: included[index] ?? [],
    })),
  }
}

/** The dependencies of a read in a transaction. */
interface TransactionReadOptions {
  readonly statements: PostgresStatements
  readonly hooks?: ReadHooks | undefined
  readonly limit?: ResourceLimit | undefined
}

/** Whether a read may return more rows than may be held in memory. Any other read becomes a stream because of large texts only. */
export function mayNeedStream({ shape, page }: ReadPlan): boolean {
  const size = page?.size ?? (isList(shape) ? Number.POSITIVE_INFINITY : 1)
  return size > readBudget.resources || shape.includeEdges.length > 0
}

/** Returns the query that reads a document in a transaction, without the hooks. */
export function boundedQuery(
  plan: ReadPlan,
  id: string | undefined,
  statements: PostgresStatements,
) {
  const statement = statements.boundedDocument(plan.shape)
  return { statement, values: limitRows(createRunValues(plan, id), readBudget.resources) }
}

/** Executes a read and its hooks in one snapshot; streams a long document. */
export async function readWithHooks(
  transaction: PostgresTransaction,
  plan: ReadPlan,
  id: string | undefined,
  options: TransactionReadOptions & Readonly<{ hooks: ReadHooks; durations: ReadDurations }>,
): Promise<Rows> {
  const { hooks, statements, limit, durations } = options
  const query = createPostgresRunQuery(transaction, statements.target.dialect)
  await hooks.before(query)
  const { statement, values } = boundedQuery(plan, id, statements)
  const start = performance.now()
  const result = await transaction.all(statement, values).catch((error) => {
    durations.record({ statement, values }, performance.now() - start, false)
    throw error
  })
  durations.record({ statement, values }, performance.now() - start, true)
  const document = parseDocument(result, statement, { plan, id, statements })
  const complete = withinBudget(document, statement, !mayNeedStream(plan))
  if (complete === undefined) {
    await transaction.continueAsStream()
    return streamRead(transaction, plan, id, options)
  }
  if (limit) checkResourceLimit(complete, plan, limit)
  await runAfterHooks(hooks, complete, plan, query)
  await transaction.commit()
  return complete
}

/**
 * Streams a long document in a transaction.
 * @throws ParameterError `too_many_resources` (400)
 */
export async function streamRead(
  transaction: PostgresTransaction,
  plan: ReadPlan,
  id: string | undefined,
  { statements, hooks, limit }: TransactionReadOptions,
): Promise<Rows> {
  const { shape } = plan
  const readSequence = statements.readSequence(shape)
  // If PostgreSQL underestimates the rows, a nested loop would scan a table without an index for each of them.
  if (statements.needsHashJoins(shape)) await transaction.allUnprepared(disableNestedLoops)
  const query = createPostgresRunQuery(transaction, statements.target.dialect)
  const read: StreamedRead = {
    plan,
    compiled: readSequence?.read ?? statements.streamedRead(shape),
    values: createStreamedValues(plan, id),
    completeRows: readSequence
      ? (rows, { type }) =>
          completeLinkages(rows, readSequence.streamedLinkages(type), transaction, plan)
      : createRowCompleter(statements, plan, (...query) => transaction.all(...query)),
    afterBatch: hooks && ((rows, layout) => hooks.after(rows, layout, query)),
    limit,
  }
  return streamRows(createStreamSource(transaction, statements.target), read)
}

/** Reads the linkage of a batch of a stream. All of it is in memory, as where the statement of the stream reads it. */
async function completeLinkages(
  rows: readonly Row[],
  linkages: readonly LinkageRead[],
  transaction: PostgresTransaction,
  { identity }: ReadPlan,
): Promise<readonly Row[]> {
  const budget = { ...readBudget, linkage: 2 ** 31 - 2 }
  const complete = await runAsync(readLinkages(rows, linkages, budget), ({ statement, values }) =>
    transaction.all(statement, addAuth(values, identity)),
  )
  return complete ?? rows
}

function createStreamSource(
  transaction: PostgresTransaction,
  { model, dialect }: Target,
): StreamSource {
  return {
    query: ({ statement, values }) => transaction.all(statement, values),
    batches: (statement, values, { type }) => {
      const hasShortRows = compileHasShortRows(getResourceType(model, type).table, dialect)
      return transaction.batches(statement, values, hasShortRows)
    },
    end: () => void transaction.rollback(),
  }
}

const disableNestedLoops: Statement = { sql: 'set local enable_nestloop = off', placeholders: [] }

/** Limits a page to a 32-bit integer: streamed statements have `limit $1 + 0`, whose parameter PostgreSQL takes for one. */
function createStreamedValues(plan: ReadPlan, id: string | undefined): RunValues {
  const values = createRunValues(plan, id)
  const { limit } = values
  return limit === undefined ? values : { ...values, limit: Math.min(limit, 2 ** 31 - 1) }
}

/** Creates the function by which hooks run SQL. When its statement fails, a hook may catch the error and continue. */
export function createPostgresRunQuery(
  transaction: PostgresTransaction,
  dialect: Dialect,
): RunQuery {
  return async (expression) => {
    const statement = compileQuery(expression, dialect)
    return transaction.withSavepoint(() => transaction.records(statement))
  }
}

/**
 * Compiles the statement that returns whether all values of a table are stored in its rows, which have a page of 8 KB at most:
 * PostgreSQL moves longer ones to another table, which is empty then. It returns false where that cannot be known: of views, foreign
 * tables, tables with child tables or partitions, and those whose rows are on other servers.
 */
function compileHasShortRows(table: Table, dialect: Dialect): Statement {
  if (table.call) return compileStatement(sql`select false`, dialect)
  const isStoredHere = sql`not relhassubclass and pg_relation_size(oid) > 0`
  const isStoredInRows = sql`coalesce(pg_relation_size(nullif(reltoastrelid, 0)), 0) = 0`
  return compileStatement(
    sql`select ${isStoredHere} and ${isStoredInRows} from pg_class where oid = to_regclass(${sql.lit(quoteTableName(table))})`,
    dialect,
  )
}
