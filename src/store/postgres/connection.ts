import { channel } from 'node:diagnostics_channel'
import pg, { type CustomTypesConfig, type QueryResult } from 'pg'
import type { Row } from '../../plan/row-layout.ts'
import type { RunValues, Statement } from '../statement.ts'
import { translate } from './errors.ts'
import type { PostgresQuery, PostgresResult } from './pipeline.ts'
import type { Session } from './session.ts'

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

/** Takes statements to the server. */
export interface QueryExecutor {
  /** @throws what `translate` makes of the server's errors */
  send(asked: PostgresQuery): Promise<PostgresResult>
  /**
   * Sends text that binds nothing, of one statement or more; returns the word by which the server says that the last is
   * done.
   * @param patience - how long it is waited for, in milliseconds; as long as for any statement when absent
   */
  execute(text: string, patience?: number): Promise<string>
}

/** What runs on a connection, its errors told as what they mean. */
export class PostgresConnection {
  readonly #line: QueryExecutor
  readonly #prepares: boolean

  /** @param prepares - whether statements are kept by the server; a pooler between may not allow it */
  constructor(line: QueryExecutor, prepares: boolean) {
    this.#line = line
    this.#prepares = prepares
  }

  /**
   * Every row, as arrays.
   * @param signal - makes a signal on which the server stops the statement
   */
  async all(
    statement: Statement,
    values: RunValues,
    signal?: () => AbortSignal,
  ): Promise<readonly Row[]> {
    publish(statement.sql)
    const { rows } = await this.#line.send({
      statement,
      values,
      isPrepared: this.#prepares,
      signal,
    })
    return rows
  }

  /** The same for a statement that will not come again, so that the server need not keep it. */
  async once(
    statement: Statement,
    values: RunValues = { parameters: [] },
  ): Promise<readonly Row[]> {
    const { rows } = await this.#line.send({ statement, values, isPrepared: false })
    return rows
  }

  /** Runs a statement that returns nothing; says how many rows it changed. */
  async run(statement: Statement, values: RunValues): Promise<number> {
    publish(statement.sql)
    const { count } = await this.#line.send({ statement, values, isPrepared: this.#prepares })
    return count
  }

  /** Rows of a statement by the names of their columns. */
  async records(statement: Statement): Promise<readonly Readonly<Record<string, unknown>>[]> {
    publish(statement.sql)
    const asked = { statement, values: { parameters: [] }, isPrepared: false, types }
    const { columns, rows } = await this.#line.send(asked)
    return rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])))
  }

  /** Runs text that binds nothing, as `Line.execute`. */
  execute(text: string, patience?: number): Promise<string> {
    return this.#line.execute(text, patience)
  }

  /** Has the server read a statement without running it. */
  async check({ sql }: Statement): Promise<void> {
    await this.execute(`prepare lapidary_check as ${sql}; deallocate lapidary_check`)
  }
}

/** Runs text on a connection, as `Line.execute`. */
export async function execute(session: Session, text: string, patience?: number): Promise<string> {
  const query = { text, ...(patience !== undefined && { query_timeout: patience }) }
  // Of several statements the driver tells each, though its types know of one alone.
  const told: QueryResult | QueryResult[] = await translateErrors(session.limits.timeout, () =>
    session.client.query(query),
  )
  return (Array.isArray(told) ? told.at(-1) : told)?.command ?? ''
}

/** Tells whoever counts statements of one. */
export function publish(sql: string): void {
  if (statements.hasSubscribers) statements.publish({ sql })
}

/**
 * Does what may fail in the driver.
 * @param timeout - how long it may take, in milliseconds
 * @throws what `translate` makes of its failure
 */
export async function translateErrors<Result>(
  timeout: number,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw translate(error, { timeout })
  }
}
