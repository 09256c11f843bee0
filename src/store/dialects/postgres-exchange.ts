import pg, { type Connection, type CustomTypesConfig, type FieldDef, type PoolClient } from 'pg'
import { bound, type RunValues, type Statement } from '../statement.ts'
import { isLost, translate } from './postgres-errors.ts'
import { type Columns, type Prepared, PreparedStatements } from './postgres-prepared.ts'

/** A value as it goes over the wire: bytes as they are, anything else as text. */
type Sent = Buffer | string | null

// The driver exports it, though its types know nothing of it.
const { utils } = pg as typeof pg & {
  readonly utils: Readonly<{ prepareValue: (value: unknown) => Sent }>
}

/** A statement that is to run. */
export interface Asked {
  readonly statement: Statement
  readonly values: RunValues
  /** Whether the server is to keep it when it comes again. */
  readonly isKept: boolean
  /** How values are read, by the OIDs of their types; as the driver does when absent. */
  readonly types?: CustomTypesConfig
}

/** What a statement came to. */
export interface Answered {
  readonly columns: readonly string[]
  readonly rows: unknown[][]
  /** How many rows it returned or changed. */
  readonly count: number
}

/** What statements came to that were sent together. */
export interface Outcome {
  /** An answer for each, up to the one that failed. */
  readonly answers: readonly Answered[]
  /** What `translate` makes of the failure; absent when there was none. */
  readonly failure?: unknown
}

/** Sends a statement to the server and waits for what it comes to. @throws what `translate` makes of its failure */
export async function exchange(client: PoolClient, asked: Asked): Promise<Answered> {
  const { answers, failure } = await exchangeAll(client, [asked])
  const [answer] = answers
  if (answer === undefined) throw failure
  return answer
}

/**
 * Sends statements to the server in one go, and waits once for all that they come to. The server runs them one after the
 * other; when one fails, it skips the rest.
 * @throws what `translate` makes of the failure where the connection is of no more use
 */
export function exchangeAll(client: PoolClient, all: readonly Asked[]): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    try {
      client.query(new Exchange(all, patienceOf(client), resolve, reject))
    } catch (failure) {
      // What cannot be bound is found out before anything is sent.
      resolve({ answers: [], failure })
    }
  })
}

/** How long the driver waits for a query of its own, in milliseconds. */
function patienceOf(client: PoolClient): number {
  // The driver's types do not tell of it.
  const { connectionParameters } = client as PoolClient & {
    readonly connectionParameters: Readonly<{ query_timeout: number }>
  }
  return connectionParameters.query_timeout
}

/** The columns of a statement that returns no rows. */
const none: Columns = { names: [], readers: [] }

/**
 * The driver's own queries are of one statement each. This one sends several before it says `Sync`, and hears from the
 * driver what the server says of them until it is ready again (PostgreSQL 18, 54.2.3).
 */
class Exchange {
  /** Ends it; the driver calls it as well, when the server takes too long. */
  callback: (error?: unknown) => void
  /** How long the driver waits for all, in milliseconds: for each as long as for one alone. */
  readonly query_timeout: number
  readonly #all: readonly Asked[]
  readonly #values: readonly Sent[][]
  #answers: Answered[] = []
  /** Of the statement whose rows come, where the server describes them. */
  #columns: Columns | undefined
  #rows: unknown[][] = []
  #failure: unknown
  #kept: PreparedStatements | undefined
  #prepared: readonly (Prepared | undefined)[] = []
  readonly #fresh: Statement[] = []

  constructor(
    all: readonly Asked[],
    patience: number,
    resolve: (outcome: Outcome) => void,
    reject: (error: unknown) => void,
  ) {
    this.#all = all
    this.query_timeout = patience * all.length
    this.#values = all.map(({ statement, values }) => bound(statement, values).map(sent))
    this.callback = (error) => {
      // The driver's closures keep this object alive until V8 collects the whole heap: the rows are not to stay with it.
      const answers = this.#answers
      this.#answers = []
      if (error == null) return resolve({ answers })
      const failure = translate(error, all[answers.length]?.statement)
      if (isLost(failure)) reject(failure)
      else resolve({ answers, failure })
    }
  }

  submit(connection: Connection): void {
    const kept = preparedOn(connection)
    this.#kept = kept
    connection.stream.cork()
    this.#prepared = this.#all.map(({ statement, isKept }, index) => {
      const isAgain = isKept && kept.hasMet(statement)
      const prepared = isAgain ? this.#prepare(connection, statement, kept) : undefined
      if (!prepared) connection.parse({ name: '', text: statement.sql, types: [] }, true)
      connection.bind({ statement: prepared?.name ?? '', values: this.#values[index] ?? [] }, true)
      if (prepared?.columns === undefined) connection.describe({ type: 'P' }, true)
      connection.execute({}, true)
      return prepared
    })
    connection.sync()
    connection.stream.uncork()
  }

  /** @returns the statement as the server has it once it comes to it */
  #prepare(connection: Connection, statement: Statement, kept: PreparedStatements): Prepared {
    const known = kept.get(statement)
    if (known !== undefined) return known
    const prepared = kept.add(statement)
    const { name } = prepared
    this.#fresh.push(statement)
    connection.close({ type: 'S', name }, true)
    connection.parse({ name, text: statement.sql, types: [] }, true)
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
    this.callback(this.#failure)
  }

  handleError(error: unknown): void {
    // Nobody says which of them were prepared before it happened.
    for (const statement of this.#fresh) this.#kept?.forget(statement)
    this.callback(error)
  }
}

const kept = new WeakMap<Connection, PreparedStatements>()

function preparedOn(connection: Connection): PreparedStatements {
  const known = kept.get(connection) ?? new PreparedStatements()
  kept.set(connection, known)
  return known
}

/** Whether the server keeps a statement for a connection. */
export function isPrepared(client: PoolClient, statement: Statement): boolean {
  // The driver's types do not tell of a client's connection.
  const { connection } = client as PoolClient & { readonly connection: Connection }
  return kept.get(connection)?.has(statement) ?? false
}

/** As the driver sends it in its own queries: a hook's SQL may bind what only the driver knows, e.g. dates and arrays. */
function sent(value: unknown): Sent {
  return utils.prepareValue(value)
}
