import { channel } from 'node:diagnostics_channel'
import type { Pool, PoolClient } from 'pg'
import Cursor from 'pg-cursor'
import type { Row } from '../../plan/rows.ts'
import { bound, type RunValues, type Statement } from '../statement.ts'
import { translate } from './postgres-errors.ts'

/** Every statement that is run is published here as `{ sql }`; whoever wants to count them subscribes. */
const statements = channel('lapidary:statement')

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
  readonly #client: Querier
  readonly #prepares: boolean

  /** @param prepares - whether statements are kept by the server under a name; a pooler between may not allow it */
  constructor(client: Querier, prepares: boolean) {
    this.#client = client
    this.#prepares = prepares
  }

  /** Every row, as arrays. */
  async all(statement: Statement, values: RunValues): Promise<readonly Row[]> {
    const { rows } = await this.#run(statement, values)
    return rows
  }

  /** Runs a statement that returns nothing; says how many rows it changed. */
  async run(statement: Statement, values: RunValues): Promise<number> {
    const { rowCount } = await this.#run(statement, values)
    return rowCount ?? 0
  }

  /** Rows of a statement by the names of their columns. */
  async records(statement: Statement): Promise<readonly Readonly<Record<string, unknown>>[]> {
    publish(statement.sql)
    const values = bound(statement, { slots: [] })
    return translated(async () => (await this.#client.query(statement.sql, values)).rows)
  }

  /** Runs text that binds nothing. */
  async execute(text: string): Promise<void> {
    await translated(() => this.#client.query(text))
  }

  async #run(statement: Statement, values: RunValues) {
    publish(statement.sql)
    return translated(() =>
      this.#client.query<unknown[]>({
        text: statement.sql,
        values: bound(statement, values),
        rowMode: 'array',
        ...(this.#prepares && { name: nameOf(statement) }),
      }),
    )
  }
}

/** Rows in batches, read as they are asked for, in a transaction that is open. */
export async function* batches(
  client: PoolClient,
  statement: Statement,
  values: RunValues,
  size: number,
): AsyncGenerator<readonly Row[]> {
  publish(statement.sql)
  const cursor = client.query(
    new Cursor<unknown[]>(statement.sql, bound(statement, values), { rowMode: 'array' }),
  )
  try {
    for (;;) {
      const rows = await translated(() => cursor.read(size))
      if (rows.length > 0) yield rows
      if (rows.length < size) return
    }
  } finally {
    await cursor.close()
  }
}

function publish(sql: string): void {
  if (statements.hasSubscribers) statements.publish({ sql })
}

async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw translate(error)
  }
}
