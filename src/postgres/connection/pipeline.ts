import pg, { type Connection, type CustomTypesConfig, type FieldDef } from 'pg'
import { type StatementTiming, statementEnded } from '../../observe/events.ts'
import type { RunValues, Statement } from '../../sql/statement.ts'
import { bound } from '../../sql/statement-values.ts'
import { isConnectionLost, translateError, unknownCommitError } from '../errors.ts'
import type { Columns, Prepared } from './prepared.ts'
import { cancelGracePeriod, type Session } from './session.ts'
import type { SessionSetup } from './session-setup.ts'

// Pipelined statements. The driver's own queries contain one statement each; if `begin` fails, pipelined ones run outside of any
// transaction. This one sends several statements followed by one `Sync`, so a write takes two round trips instead of five (rows
// `create`, `update` and `replace` of the benchmark): the commit follows when the response is serialized. `returning`
// provides the response of a plain row only: a trigger may change the row after the write, and linkage is not visible before the
// statement ends. A write that is one batch takes one, and neither `begin` nor `commit`: the server commits at the `Sync`, as durably as
// by a command.
//
// Invariant: the server runs the statements in order. If one fails, it skips the rest up to the `Sync`, so no statement runs
// outside of its transaction. Results arrive in the same order. Whether a statement was prepared is unknown after a failure, so
// its name is closed before it is used again.

/** A value as it is sent: bytes as they are, anything else as text. */
type WireValue = Buffer | string | null

// The types of the driver omit this export.
const { utils } = pg as typeof pg & {
  readonly utils: Readonly<{ prepareValue: (value: unknown) => WireValue }>
}

/** A statement and the values to run it with. */
export interface PostgresQuery {
  readonly statement: Statement
  readonly values: RunValues
  /** Whether the server keeps it prepared from the second time on. */
  readonly isPrepared: boolean
  /** Parsers of values by the OIDs of their types; those of the driver when absent. */
  readonly types?: CustomTypesConfig
  /** Creates a signal that cancels the statement; called for long ones only. */
  readonly signal?: (() => AbortSignal) | undefined
  /** Runs before the statement, in its transaction; for statements outside of any other transaction. */
  readonly setup?: SessionSetup | undefined
}

/** The result of a statement. */
export interface PostgresResult {
  readonly columns: readonly string[]
  readonly rows: unknown[][]
  /** The command tag, e.g. `UPDATE 1`. */
  readonly tag: string
  /** The number of rows that it returned or changed. */
  readonly count: number
  /** When the server ran it, if somebody listens to its end. */
  readonly timing?: StatementTiming | undefined
}

/** The results of a batch. */
export interface BatchResult {
  /** The result of each statement before the one that failed. */
  readonly results: readonly PostgresResult[]
  /** What `translateError` returns for the failure; absent without one. */
  readonly failure?: unknown
}

/** A batch that was sent. */
export interface RunningBatch {
  /** Rejects if the failure leaves the connection unusable. */
  readonly result: Promise<BatchResult>
  /** Cancels the batch on the server. The result then arrives when the cancellation can affect no later statement. */
  cancel(): void
}

/**
 * Sends statements in one batch. The server runs them in order; if one fails, it skips the rest. Outside of a transaction the batch
 * is one (PostgreSQL 18, 54.2.4), so what the setup of a query sets ends with it, or with the setup of the next query.
 * @param isTransaction - whether it is a transaction that writes: if its connection is lost at the end, nobody knows whether it was
 *   committed
 */
export function sendBatch(
  session: Session,
  queries: readonly PostgresQuery[],
  isTransaction = false,
): RunningBatch {
  return queries.some(({ setup }) => setup !== undefined)
    ? sendWithSetups(session, queries)
    : sendQueries(session, queries, isTransaction)
}

function sendWithSetups(session: Session, queries: readonly PostgresQuery[]): RunningBatch {
  const sent = queries.flatMap((query) =>
    query.setup ? [{ ...query.setup, isPrepared: query.isPrepared }, query] : [query],
  )
  const { result, cancel } = sendQueries(session, sent)
  const isRequested = (_result: PostgresResult, index: number) =>
    queries.some((each) => each === sent[index])
  return {
    result: result.then(({ results, ...end }) => ({
      ...end,
      results: results.filter(isRequested),
    })),
    cancel,
  }
}

function sendQueries(
  session: Session,
  queries: readonly PostgresQuery[],
  isTransaction = false,
): RunningBatch {
  const { promise, resolve, reject } = Promise.withResolvers<BatchResult>()
  try {
    const batch = new PipelinedBatch(session, { queries, isTransaction }, { resolve, reject })
    session.client.query(batch)
    return { result: promise, cancel: () => batch.cancel() }
  } catch (failure) {
    // A value could not be bound; nothing was sent.
    resolve({ results: [], failure })
    return { result: promise, cancel: () => {} }
  }
}

/** The driver's message when a query takes longer than its `query_timeout`. */
const timeoutMessage = 'Query read timeout'

/** The columns of a statement that returns no rows. */
const noColumns: Columns = { names: [], parsers: [] }

/** How long after a CancelRequest the next one is sent, in milliseconds. */
const cancelInterval = 100

/** What a batch sends. */
interface BatchRequest {
  readonly queries: readonly PostgresQuery[]
  /** Whether its end commits what it has changed. */
  readonly isTransaction: boolean
}

/** How a batch ended. */
interface BatchEnd {
  /** The statement that failed, if one did. */
  readonly statement: Statement | undefined
  /** Null or `undefined` without an error. */
  readonly error: unknown
  /** Whether it may be committed in spite of the error. */
  readonly mayBeCommitted: boolean
}

/**
 * A query of the driver that consists of several statements. The driver calls `submit`, and a `handle…` method for each message
 * of the server until it is ready for the next query (PostgreSQL 18, 54.2.3).
 */
class PipelinedBatch {
  /** Ends the batch; the driver calls it, too, when the server takes too long. */
  callback: (error?: unknown) => void
  /** How long the driver waits for the batch, in milliseconds: the timeout of a single statement for each. */
  readonly query_timeout: number
  readonly #session: Session
  readonly #isTransaction: boolean
  #queries: readonly PostgresQuery[]
  #values: readonly WireValue[][]
  readonly #resolve: (result: BatchResult) => void
  readonly #reject: (error: unknown) => void
  #results: PostgresResult[] = []
  /** The columns of the current statement if the server describes them. */
  #columns: Columns | undefined
  #rows: unknown[][] = []
  /** When the current statement began, on the clock of `performance.now`; absent while nobody listens. */
  #startedAt: number | undefined
  #failure: unknown
  #prepared: readonly (Prepared | undefined)[] = []
  /** The statements that this batch prepares. */
  readonly #newlyPrepared: Statement[] = []
  #state: 'running' | 'timed out' | 'ended' = 'running'
  /** The result of the CancelRequest, if one was sent: whether the server has processed it. */
  #cancelled: Promise<boolean> | undefined
  /** Repeats the CancelRequest. */
  #cancelTimer: NodeJS.Timeout | undefined
  /** Ends the batch if the server does not react to the CancelRequest. */
  #graceTimer: NodeJS.Timeout | undefined

  constructor(
    session: Session,
    { queries, isTransaction }: BatchRequest,
    { resolve, reject }: Pick<PromiseWithResolvers<BatchResult>, 'resolve' | 'reject'>,
  ) {
    this.#session = session
    this.#isTransaction = isTransaction
    this.#queries = queries
    this.#resolve = resolve
    this.#reject = reject
    this.query_timeout = session.limits.driverTimeout * queries.length
    this.#values = queries.map(({ statement, values }) => bound(statement, values).map(toWireValue))
    this.callback = (error) => {
      if (error instanceof Error && error.message === timeoutMessage) this.#handleTimeout(error)
      else this.#end(error)
    }
  }

  /**
   * Cancels the running statement; the server's reply ends the batch. The server ignores a CancelRequest that arrives before
   * the statement begins, so requests are repeated until the batch ends.
   */
  cancel(): void {
    if (this.#state === 'ended' || this.#cancelled !== undefined) return
    this.#cancelled = this.#session.cancel()
    this.#cancelTimer = setInterval(() => this.#cancelAgain(), cancelInterval)
  }

  #cancelAgain(): void {
    this.#cancelled = this.#cancelled?.then(async (isProcessed) => {
      if (!isProcessed || this.#state === 'ended') return isProcessed
      return this.#session.cancel()
    })
  }

  /** The server has not ended the statement at its own limit: it hangs, or a pooler does not pass the limit on. */
  #handleTimeout(error: Error): void {
    this.#state = 'timed out'
    this.cancel()
    this.#graceTimer = setTimeout(() => this.#end(error), cancelGracePeriod)
  }

  /** After a timeout the driver has replaced the callback, so it is not called then. */
  #finish(error?: unknown): void {
    if (this.#state === 'timed out') this.#end(error)
    else this.callback(error)
  }

  #end(error: unknown): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    clearInterval(this.#cancelTimer)
    clearTimeout(this.#graceTimer)
    const results = this.#results
    const failed = this.#queries[results.length]
    // All statements have run, or the server has not said that one failed.
    const hasFailed = error instanceof pg.DatabaseError && failed !== undefined
    const mayBeCommitted = this.#isTransaction && !hasFailed
    this.#releaseMemory()
    const settle = (end: unknown) =>
      this.#settle(results, { statement: failed?.statement, error: end, mayBeCommitted })
    if (this.#cancelled === undefined) {
      settle(error)
      return
    }
    // A request that was not processed could cancel a later statement: the connection has to be closed.
    const lostError = new Error(timeoutMessage)
    this.#cancelled.then((isProcessed) => settle(isProcessed ? error : lostError))
  }

  /**
   * Drops what this object refers to: it stays in memory until a major garbage collection, and with it would stay the rows
   * and, through the signal of a query, the whole HTTP request.
   */
  #releaseMemory(): void {
    this.#queries = []
    this.#values = []
    this.#results = []
  }

  #settle(
    results: readonly PostgresResult[],
    { statement, error, mayBeCommitted }: BatchEnd,
  ): void {
    if (error == null) {
      this.#resolve({ results })
      return
    }
    const failure = translateError(error, { statement, timeout: this.#session.limits.timeout })
    if (isConnectionLost(failure))
      this.#reject(mayBeCommitted ? unknownCommitError(failure) : failure)
    else this.#resolve({ results, failure })
  }

  submit(connection: Connection): void {
    const known = this.#session.prepared
    if (statementEnded.hasSubscribers) this.#startedAt = performance.now()
    connection.stream.cork()
    this.#prepared = this.#queries.map(({ statement, isPrepared }, index) => {
      const isRepeated = isPrepared && known.markSeen(statement)
      const prepared = isRepeated ? this.#prepare(connection, statement) : undefined
      if (!prepared) connection.parse({ name: '', text: statement.sql, types: [] }, true)
      connection.bind({ statement: prepared?.name ?? '', values: this.#values[index] ?? [] }, true)
      if (prepared?.columns === undefined) connection.describe({ type: 'P' }, true)
      connection.execute({}, true)
      return prepared
    })
    connection.sync()
    connection.stream.uncork()
  }

  /** Prepares a statement unless it is. @returns `undefined` if it is too long to be kept */
  #prepare(connection: Connection, statement: Statement): Prepared | undefined {
    const known = this.#session.prepared
    const existing = known.get(statement)
    if (existing !== undefined) return existing
    const added = known.add(statement)
    if (added === undefined) return undefined
    const { prepared, closing } = added
    this.#newlyPrepared.push(statement)
    for (const name of closing) connection.close({ type: 'S', name }, true)
    connection.parse({ name: prepared.name, text: statement.sql, types: [] }, true)
    return prepared
  }

  handleRowDescription({ fields }: Readonly<{ fields: readonly FieldDef[] }>): void {
    const types = this.#queries[this.#results.length]?.types ?? pg.types
    this.#columns = {
      names: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text')),
    }
  }

  handleDataRow({ fields }: Readonly<{ fields: readonly (string | null)[] }>): void {
    const { parsers } = this.#currentColumns
    try {
      this.#rows.push(fields.map((text, index) => (text === null ? null : parsers[index]?.(text))))
    } catch (error) {
      this.#failure ??= error
    }
  }

  /** The columns of the current statement. */
  get #currentColumns(): Columns {
    return this.#columns ?? this.#prepared[this.#results.length]?.columns ?? noColumns
  }

  handleCommandComplete({ text }: Readonly<{ text: string }>): void {
    const columns = this.#currentColumns
    const prepared = this.#prepared[this.#results.length]
    if (prepared) prepared.columns = columns
    const count = Number(/\d+$/.exec(text)?.[0] ?? 0)
    const timing = this.#startedAt === undefined ? undefined : this.#endTiming(this.#startedAt)
    this.#results.push({ columns: columns.names, rows: this.#rows, tag: text, count, timing })
    this.#columns = undefined
    this.#rows = []
  }

  /** A statement of a batch runs from the end of the one before. */
  #endTiming(startedAt: number): StatementTiming {
    const now = performance.now()
    this.#startedAt = now
    return { startedAt, duration: now - startedAt }
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  /** `copy … from stdin` is not supported: the server would wait for rows that never come. */
  handleCopyInResponse({ stream }: Connection): void {
    stream.destroy()
  }

  handleCopyData(): void {}

  /** Called at the end of the batch, after an error, too. */
  handleReadyForQuery(): void {
    // It is unknown which of the statements had the value that could not be parsed.
    if (this.#failure !== undefined) this.#results = []
    this.#finish(this.#failure)
  }

  handleError(error: unknown): void {
    // The driver reports a timeout here as well as to the callback.
    if (error instanceof Error && error.message === timeoutMessage) return
    // It is unknown which of them were prepared before the failure.
    for (const statement of this.#newlyPrepared) this.#session.prepared.forget(statement)
    this.#finish(error)
  }
}

/** Serializes a value as the driver does in its own queries: the SQL of hooks may bind e.g. dates and arrays. */
function toWireValue(value: unknown): WireValue {
  return utils.prepareValue(value)
}
