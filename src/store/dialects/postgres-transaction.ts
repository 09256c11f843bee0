import type { PoolClient } from 'pg'
import type { Row } from '../../plan/rows.ts'
import type { RunValues, Statement } from '../statement.ts'
import { Turns } from '../turns.ts'
import { execute, type Line, PostgresConnection, publish } from './postgres-connection.ts'
import { isLost, unavailable } from './postgres-errors.ts'
import { type Answered, type Asked, exchangeAll } from './postgres-exchange.ts'

const inDoubt =
  'The database went away while it made this write final, so it may have been kept or not'

/** Begins a transaction that writes. */
export const writing: readonly Statement[] = [
  { sql: 'begin isolation level read committed', placeholders: [] },
]

/** Begins a transaction that reads one moment. All rows of a cursor are read, so none is to come early at the cost of the others. */
export const snapshot: readonly Statement[] = [
  { sql: 'begin isolation level repeatable read read only', placeholders: [] },
  { sql: 'set local cursor_tuple_fraction = 1', placeholders: [] },
]

/** Begins a transaction that changes the schema. */
export const migrating: readonly Statement[] = [{ sql: 'begin', placeholders: [] }]

/** A connection with a transaction on it, which begins with its first statement; it goes back to the pool with its end. */
export class PostgresTransaction extends PostgresConnection {
  readonly #line: TransactionLine
  #client: PoolClient | undefined
  #cursors = 0
  #hasSavepoint = false
  readonly #turns = new Turns()

  /** @param begin - the statements that begin it */
  constructor(client: PoolClient, begin: readonly Statement[], prepares: boolean) {
    const line = new TransactionLine(client, begin, prepares)
    super(line, prepares)
    this.#line = line
    this.#client = client
  }

  /**
   * Makes everything durable.
   * @throws HeaderError `unavailable` (503), which says so, when nobody can know whether it was
   */
  async commit(): Promise<void> {
    if (this.#line.hasBegun) {
      const said = await this.execute('commit').catch((error) => {
        throw isLost(error) ? unavailable(inDoubt, error, 'look before you try again') : error
      })
      if (said !== 'COMMIT')
        throw new Error(
          'A statement of the transaction failed and its error was caught; all is undone.',
        )
    }
    this.#giveBack()
  }

  /**
   * Undoes everything, if the transaction has not ended.
   * @param isLost - whether the connection is known to be gone, so that nothing more need be said on it
   */
  async rollback(isLost = false): Promise<void> {
    if (this.#client === undefined) return
    const isOver = !this.#line.hasBegun
    const isUndone =
      isOver || (!isLost && (await this.execute('rollback').then(Boolean, () => false)))
    this.#giveBack(!isUndone)
  }

  /**
   * Runs a piece of work of which nothing is left when it throws, so that the transaction can go on. One after the other:
   * savepoints are nested.
   */
  guarded<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#turns.take(async () => {
      const before = this.#hasSavepoint ? 'release savepoint lapidary; ' : ''
      await this.execute(`${before}savepoint lapidary`)
      this.#hasSavepoint = true
      try {
        return await work()
      } catch (error) {
        await this.execute('rollback to savepoint lapidary')
        throw error
      }
    })
  }

  /** Rows in batches, read as they are asked for; whatever else is run meanwhile comes between two of them. */
  async *batches(
    { sql, placeholders }: Statement,
    values: RunValues,
    size: number,
  ): AsyncGenerator<readonly Row[]> {
    publish(sql)
    this.#cursors += 1
    const name = `lapidary_${this.#cursors}`
    await this.once({ sql: `declare ${name} no scroll cursor for ${sql}`, placeholders }, values)
    for (;;) {
      const rows = await this.once({ sql: `fetch ${size} from ${name}`, placeholders: [] })
      if (rows.length > 0) yield rows
      if (rows.length < size) break
    }
    await this.execute(`close ${name}`)
  }

  #giveBack(broken = false): void {
    this.#client?.release(broken)
    this.#client = undefined
  }
}

/** A statement that is about to be sent, and who waits for what it comes to. */
interface Waiting {
  readonly asked: Asked
  readonly resolve: (answer: Answered) => void
  readonly reject: (error: unknown) => void
}

/**
 * Takes statements to the server on one connection. Those that are asked for without waiting for one another go together,
 * and those that begin the transaction go with the first: if they fail, nothing runs outside of it.
 */
class TransactionLine implements Line {
  readonly #client: PoolClient
  readonly #begin: readonly Asked[]
  #hasBegun = false
  #waiting: Waiting[] = []

  constructor(client: PoolClient, begin: readonly Statement[], prepares: boolean) {
    this.#client = client
    this.#begin = begin.map((statement) => ({
      statement,
      values: { slots: [] },
      isKept: prepares,
    }))
  }

  /** Whether the server knows of the transaction. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  send(asked: Asked): Promise<Answered> {
    return new Promise((resolve, reject) => {
      // Once nothing more can be done without waiting.
      if (this.#waiting.length === 0) queueMicrotask(() => process.nextTick(() => this.#flush()))
      this.#waiting.push({ asked, resolve, reject })
    })
  }

  execute(text: string, patience?: number): Promise<string> {
    this.#flush()
    const begin = this.#beginning().map(({ statement }) => `${statement.sql}; `)
    return execute(this.#client, begin.join('') + text, patience)
  }

  #flush(): void {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    const begin = this.#beginning()
    exchangeAll(this.#client, [...begin, ...waiting.map(({ asked }) => asked)]).then(
      ({ answers, failure }) => {
        for (const [index, { resolve, reject }] of waiting.entries()) {
          const answer = answers[begin.length + index]
          if (answer) resolve(answer)
          else reject(failure)
        }
      },
      (error) => {
        for (const { reject } of waiting) reject(error)
      },
    )
  }

  #beginning(): readonly Asked[] {
    const begin = this.#hasBegun ? [] : this.#begin
    this.#hasBegun = true
    return begin
  }
}
