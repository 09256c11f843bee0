import pg, { type Connection, type CustomTypesConfig, type FieldDef, type PoolClient } from 'pg'
import { bound, type RunValues, type Statement } from '../statement.ts'
import { translate } from './postgres-errors.ts'
import { PreparedStatements } from './postgres-prepared.ts'

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
  /** Whether the server is to keep it, because it will come again. */
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

/** Sends a statement to the server and waits for what it comes to; throws as `exchangeAll`. */
export async function exchange(client: PoolClient, asked: Asked): Promise<Answered> {
  const [answer] = await exchangeAll(client, [asked])
  return answer ?? nothing
}

/**
 * Sends statements to the server in one go, and waits once for all that they come to. The server runs them one after the
 * other; when one fails, it skips the rest.
 * @returns an answer for each
 * @throws what `translate` makes of the failure
 */
export function exchangeAll(
  client: PoolClient,
  all: readonly Asked[],
): Promise<readonly Answered[]> {
  return new Promise((resolve, reject) => {
    client.query(new Exchange(all, resolve, reject))
  })
}

/** What a statement comes to that returns nothing. */
const nothing: Answered = { columns: [], rows: [], count: 0 }

/**
 * The driver's own queries are of one statement each. This one sends several before it says `Sync`, and hears from the
 * driver what the server says of them until it is ready again (PostgreSQL 18, 54.2.3).
 */
class Exchange {
  /** Ends it; the driver calls it as well, when the server takes too long. */
  callback: (error?: unknown) => void
  readonly #all: readonly Asked[]
  readonly #values: readonly Sent[][]
  readonly #answers: Answered[] = []
  #columns: readonly string[] = []
  #readers: readonly ((text: string) => unknown)[] = []
  #rows: unknown[][] = []
  #failure: unknown
  #prepared: PreparedStatements | undefined
  readonly #fresh: Statement[] = []

  constructor(
    all: readonly Asked[],
    resolve: (answers: readonly Answered[]) => void,
    reject: (error: unknown) => void,
  ) {
    this.#all = all
    // What cannot be bound is found out before anything is sent.
    this.#values = all.map(({ statement, values }) => bound(statement, values).map(sent))
    this.callback = (error) => {
      if (error == null) resolve(this.#answers)
      else reject(translate(error, all[this.#answers.length]?.statement))
    }
  }

  submit(connection: Connection): void {
    this.#prepared = preparedOn(connection)
    connection.stream.cork()
    for (const [index, { statement, isKept }] of this.#all.entries()) {
      const name = isKept ? this.#prepare(connection, statement, this.#prepared) : ''
      if (!isKept) connection.parse({ name, text: statement.sql, types: [] }, true)
      connection.bind({ statement: name, values: this.#values[index] ?? [] }, true)
      connection.describe({ type: 'P' }, true)
      connection.execute({}, true)
    }
    connection.sync()
    connection.stream.uncork()
  }

  /** @returns the name under which the server has the statement once it comes to it */
  #prepare(connection: Connection, statement: Statement, prepared: PreparedStatements): string {
    const known = prepared.nameOf(statement)
    if (known !== undefined) return known
    const name = prepared.add(statement)
    this.#fresh.push(statement)
    connection.close({ type: 'S', name }, true)
    connection.parse({ name, text: statement.sql, types: [] }, true)
    return name
  }

  handleRowDescription({ fields }: Readonly<{ fields: readonly FieldDef[] }>): void {
    const types = this.#all[this.#answers.length]?.types ?? pg.types
    this.#columns = fields.map(({ name }) => name)
    this.#readers = fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text'))
  }

  handleDataRow({ fields }: Readonly<{ fields: readonly (string | null)[] }>): void {
    try {
      this.#rows.push(
        fields.map((text, index) => (text === null ? null : this.#readers[index]?.(text))),
      )
    } catch (error) {
      this.#failure ??= error
    }
  }

  handleCommandComplete({ text }: Readonly<{ text: string }>): void {
    const count = Number(/\d+$/.exec(text)?.[0] ?? 0)
    this.#answers.push({ columns: this.#columns, rows: this.#rows, count })
    this.#columns = []
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
    this.callback(this.#failure)
  }

  handleError(error: unknown): void {
    // Nobody says which of them were prepared before it happened.
    for (const statement of this.#fresh) this.#prepared?.forget(statement)
    this.callback(error)
  }
}

const prepared = new WeakMap<Connection, PreparedStatements>()

function preparedOn(connection: Connection): PreparedStatements {
  const known = prepared.get(connection) ?? new PreparedStatements()
  prepared.set(connection, known)
  return known
}

/** As the driver sends it in its own queries: a hook's SQL may bind what only the driver knows, e.g. dates and arrays. */
function sent(value: unknown): Sent {
  return utils.prepareValue(value)
}
