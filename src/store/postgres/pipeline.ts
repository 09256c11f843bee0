import pg, { type Connection, type CustomTypesConfig, type FieldDef } from 'pg'
import { bound, type RunValues, type Statement } from '../statement.ts'
import { isConnectionLost, translate } from './errors.ts'
import type { Columns, Prepared } from './prepared.ts'
import { cancelGracePeriod, type Session } from './session.ts'

/** A value as it goes over the wire: bytes as they are, anything else as text. */
type WireValue = Buffer | string | null

// The driver exports it, though its types know nothing of it.
const { utils } = pg as typeof pg & {
  readonly utils: Readonly<{ prepareValue: (value: unknown) => WireValue }>
}

/** A statement that is to run. */
export interface PostgresQuery {
  readonly statement: Statement
  readonly values: RunValues
  /** Whether the server is to keep it when it comes again. */
  readonly isPrepared: boolean
  /** How values are read, by the OIDs of their types; as the driver does when absent. */
  readonly types?: CustomTypesConfig
  /** Makes a signal on which the statement is stopped; asked for where it lasts. */
  readonly signal?: (() => AbortSignal) | undefined
}

/** What a statement came to. */
export interface PostgresResult {
  readonly columns: readonly string[]
  readonly rows: unknown[][]
  /** How many rows it returned or changed. */
  readonly count: number
}

/** What statements came to that were sent together. */
export interface BatchResult {
  /** An answer for each, up to the one that failed. */
  readonly results: readonly PostgresResult[]
  /** What `translate` makes of the failure; absent when there was none. */
  readonly failure?: unknown
}

/** Statements under way. */
export interface RunningBatch {
  /** Rejects with what `translate` makes of a failure that leaves the connection of no more use. */
  readonly result: Promise<BatchResult>
  /** Has the server stop. The outcome then comes when nothing of this can reach a later statement. */
  cancel(): void
}

/**
 * Sends statements to the server in one go, and waits once for all that they come to. The server runs them one after the
 * other; when one fails, it skips the rest.
 */
export function sendBatch(session: Session, all: readonly PostgresQuery[]): RunningBatch {
  const { promise, resolve, reject } = Promise.withResolvers<BatchResult>()
  try {
    const exchange = new PipelinedBatch(session, all, resolve, reject)
    session.client.query(exchange)
    return { result: promise, cancel: () => exchange.cancel() }
  } catch (failure) {
    // What cannot be bound is found out before anything is sent.
    resolve({ results: [], failure })
    return { result: promise, cancel: () => {} }
  }
}

/** What the driver says when a query takes longer than its `query_timeout`. */
const timeoutMessage = 'Query read timeout'

/** The columns of a statement that returns no rows. */
const none: Columns = { names: [], readers: [] }

/**
 * The driver's own queries are of one statement each. This one sends several before it says `Sync`, and hears from the
 * driver what the server says of them until it is ready again (PostgreSQL 18, 54.2.3).
 */
class PipelinedBatch {
  /** Ends it; the driver calls it as well, when the server takes too long. */
  callback: (error?: unknown) => void
  /** How long the driver waits for all, in milliseconds: for each as long as for one alone. */
  readonly query_timeout: number
  readonly #session: Session
  readonly #all: readonly PostgresQuery[]
  readonly #values: readonly WireValue[][]
  readonly #resolve: (outcome: BatchResult) => void
  readonly #reject: (error: unknown) => void
  #answers: PostgresResult[] = []
  /** Of the statement whose rows come, where the server describes them. */
  #columns: Columns | undefined
  #rows: unknown[][] = []
  #failure: unknown
  #prepared: readonly (Prepared | undefined)[] = []
  readonly #fresh: Statement[] = []
  #state: 'running' | 'late' | 'over' = 'running'
  /** Whether the request to stop it was taken, once it was made. */
  #canceled: Promise<boolean> | undefined
  /** Ends the wait for a server that does not stop. */
  #impatience: NodeJS.Timeout | undefined

  constructor(
    session: Session,
    all: readonly PostgresQuery[],
    resolve: (outcome: BatchResult) => void,
    reject: (error: unknown) => void,
  ) {
    this.#session = session
    this.#all = all
    this.#resolve = resolve
    this.#reject = reject
    this.query_timeout = session.limits.driverTimeout * all.length
    this.#values = all.map(({ statement, values }) => bound(statement, values).map(toWireValue))
    this.callback = (error) => {
      if (error instanceof Error && error.message === timeoutMessage) this.#expire(error)
      else this.#end(error)
    }
  }

  /** Has the server stop what runs; what it says then ends the exchange. */
  cancel(): void {
    if (this.#state !== 'over') this.#canceled ??= this.#session.cancel()
  }

  /** The server has not stopped by itself: behind a pooler nobody has told it to, or it hangs. */
  #expire(error: Error): void {
    this.#state = 'late'
    this.cancel()
    this.#impatience = setTimeout(() => this.#end(error), cancelGracePeriod)
  }

  /** The driver has forgotten the callback of an exchange that is late. */
  #finish(error?: unknown): void {
    if (this.#state === 'late') this.#end(error)
    else this.callback(error)
  }

  #end(error: unknown): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    clearTimeout(this.#impatience)
    // The driver's closures keep this object alive until V8 collects the whole heap: the rows are not to stay with it.
    const answers = this.#answers
    this.#answers = []
    if (this.#canceled === undefined) {
      this.#settle(answers, error)
      return
    }
    const inDoubt = new Error(timeoutMessage)
    this.#canceled.then((isTaken) => this.#settle(answers, isTaken ? error : inDoubt))
  }

  #settle(answers: readonly PostgresResult[], error: unknown): void {
    if (error == null) {
      this.#resolve({ results: answers })
      return
    }
    const statement = this.#all[answers.length]?.statement
    const failure = translate(error, { statement, timeout: this.#session.limits.timeout })
    if (isConnectionLost(failure)) this.#reject(failure)
    else this.#resolve({ results: answers, failure })
  }

  submit(connection: Connection): void {
    const kept = this.#session.prepared
    connection.stream.cork()
    this.#prepared = this.#all.map(({ statement, isPrepared }, index) => {
      const isAgain = isPrepared && kept.hasMet(statement)
      const prepared = isAgain ? this.#prepare(connection, statement) : undefined
      if (!prepared) connection.parse({ name: '', text: statement.sql, types: [] }, true)
      connection.bind({ statement: prepared?.name ?? '', values: this.#values[index] ?? [] }, true)
      if (prepared?.columns === undefined) connection.describe({ type: 'P' }, true)
      connection.execute({}, true)
      return prepared
    })
    connection.sync()
    connection.stream.uncork()
  }

  /** @returns the statement as the server has it once it comes to it; `undefined` where it is not kept */
  #prepare(connection: Connection, statement: Statement): Prepared | undefined {
    const { prepared: kept } = this.#session
    const known = kept.get(statement)
    if (known !== undefined) return known
    const added = kept.add(statement)
    if (added === undefined) return undefined
    const { prepared, closing } = added
    this.#fresh.push(statement)
    for (const name of closing) connection.close({ type: 'S', name }, true)
    connection.parse({ name: prepared.name, text: statement.sql, types: [] }, true)
    return prepared
  }

  handleRowDescription({ fields }: Readonly<{ fields: readonly FieldDef[] }>): void {
    const types = this.#all[this.#answers.length]?.types ?? pg.types
    this.#columns = {
      names: fields.map(({ name }) => name),
      readers: fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text')),
    }
  }

  handleDataRow({ fields }: Readonly<{ fields: readonly (string | null)[] }>): void {
    const { readers } = this.#current
    try {
      this.#rows.push(fields.map((text, index) => (text === null ? null : readers[index]?.(text))))
    } catch (error) {
      this.#failure ??= error
    }
  }

  /** The columns of the statement whose turn it is. */
  get #current(): Columns {
    return this.#columns ?? this.#prepared[this.#answers.length]?.columns ?? none
  }

  handleCommandComplete({ text }: Readonly<{ text: string }>): void {
    const columns = this.#current
    const prepared = this.#prepared[this.#answers.length]
    if (prepared) prepared.columns = columns
    const count = Number(/\d+$/.exec(text)?.[0] ?? 0)
    this.#answers.push({ columns: columns.names, rows: this.#rows, count })
    this.#columns = undefined
    this.#rows = []
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  /** Nothing is copied: the server would wait for rows that nobody sends. */
  handleCopyInResponse({ stream }: Connection): void {
    stream.destroy()
  }

  handleCopyData(): void {}

  /** Called after an error as well as without one; then it has been told already. */
  handleReadyForQuery(): void {
    // Which of them it was does not matter.
    if (this.#failure !== undefined) this.#answers = []
    this.#finish(this.#failure)
  }

  handleError(error: unknown): void {
    // The driver says so of every query that is late, also when it has told it already.
    if (error instanceof Error && error.message === timeoutMessage) return
    // Nobody says which of them were prepared before it happened.
    for (const statement of this.#fresh) this.#session.prepared.forget(statement)
    this.#finish(error)
  }
}

/** As the driver sends it in its own queries: a hook's SQL may bind what only the driver knows, e.g. dates and arrays. */
function toWireValue(value: unknown): WireValue {
  return utils.prepareValue(value)
}
