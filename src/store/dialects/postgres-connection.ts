import { channel } from 'node:diagnostics_channel'
import pg, { type CustomTypesConfig, type Pool, type PoolClient } from 'pg'
import type { Row } from '../../plan/rows.ts'
import { bound, type RunValues, type Statement } from '../statement.ts'
import { translate } from './postgres-errors.ts'

/** Every statement that is run is published here as `{ sql }`; whoever wants to count them subscribes. */
const statements = channel('lapidary:statement')

/** How rows of a declaration's own SQL are read, by the OIDs of their types: as SQLite has them, where it has them. */
const readers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.INT8, readInteger],
  [pg.types.builtins.DATE, String],
  [pg.types.builtins.TIMESTAMP, String],
  [pg.types.builtins.TIMESTAMPTZ, String],
])
const types: CustomTypesConfig = {
  getTypeParser: (type, format) => readers.get(type) ?? pg.types.getTypeParser(type, format),
}

/** A whole number as a number where one holds it. */
function readInteger(text: string): number | bigint {
  return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)
}

/** Whoever can run a query: a connection, or a pool that takes any. */
export type Querier = Pick<Pool | PoolClient, 'query'>

const names = new WeakMap<Statement, string>()
let named = 0

/** Equal shapes have one statement, so a connection prepares each once, under its name. */
function nameOf(statement: Statement): string {
  const known = names.get(statement)
  if (known !== undefined) return known
  named += 1
  const name = `lapidary_${named}`
  names.set(statement, name)
  return name
}

/** What runs on a connection, its errors told as what they mean. */
export class PostgresConnection {
  readonly #querier: Querier
  readonly #prepares: boolean
  readonly #admit: () => void

  /**
   * @param prepares - whether statements are kept by the server under a name; a pooler between may not allow it
   * @param admit - throws when no more can wait for their turn
   */
  constructor(querier: Querier, prepares: boolean, admit: () => void = () => {}) {
    this.#querier = querier
    this.#prepares = prepares
    this.#admit = admit
  }

  /** Every row, as arrays. */
  async all(statement: Statement, values: RunValues): Promise<readonly Row[]> {
    publish(statement.sql)
    const { rows } = await this.#run(statement, values, this.#prepares)
    return rows
  }

  /** The same for a statement that will not come again, so that the server need not keep it. */
  async once(statement: Statement, values: RunValues = { slots: [] }): Promise<readonly Row[]> {
    const { rows } = await this.#run(statement, values, false)
    return rows
  }

  /** Runs a statement that returns nothing; says how many rows it changed. */
  async run(statement: Statement, values: RunValues): Promise<number> {
    publish(statement.sql)
    const { rowCount } = await this.#run(statement, values, this.#prepares)
    return rowCount ?? 0
  }

  /** Rows of a statement by the names of their columns. */
  async records(statement: Statement): Promise<readonly Readonly<Record<string, unknown>>[]> {
    publish(statement.sql)
    const values = bound(statement, { slots: [] })
    const query = { text: statement.sql, values, types }
    return translated(async () => (await this.#querier.query(query)).rows)
  }

  /**
   * Runs text that binds nothing; returns the word by which the server says that it is done.
   * @param patience - how long it is waited for, in milliseconds; as long as for any statement when absent
   */
  async execute(text: string, patience?: number): Promise<string> {
    const query = { text, ...(patience !== undefined && { query_timeout: patience }) }
    return translated(async () => (await this.#querier.query(query)).command)
  }

  /** Has the server read a statement without running it. */
  async check({ sql }: Statement): Promise<void> {
    await this.execute(`prepare lapidary_check as ${sql}; deallocate lapidary_check`)
  }

  async #run(statement: Statement, values: RunValues, prepares: boolean) {
    this.#admit()
    return translated(
      () =>
        this.#querier.query<unknown[]>({
          text: statement.sql,
          values: bound(statement, values),
          rowMode: 'array',
          ...(prepares && { name: nameOf(statement) }),
        }),
      statement,
    )
  }
}

/** Tells whoever counts statements of one. */
export function publish(sql: string): void {
  if (statements.hasSubscribers) statements.publish({ sql })
}

/** Does what may fail in the driver. @throws what `translate` makes of it */
export async function translated<Result>(
  work: () => Promise<Result>,
  statement?: Statement,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw translate(error, statement)
  }
}
