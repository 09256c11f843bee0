import pg, { type CustomTypesConfig, type QueryResult } from 'pg'
import type { DatabaseSource, RunningStatement } from '../../observe/events.ts'
import type { Row } from '../../plan/row-layout.ts'
import type { RunValues, Statement } from '../../sql/statement.ts'
import { loadRows, publishStatement } from '../../sql/statement-values.ts'
import { translateError } from '../errors.ts'
import type { PostgresQuery, PostgresResult } from './pipeline.ts'
import type { Session } from './session.ts'
import type { SessionSetup } from './session-setup.ts'

/** Parsers of the values of declared SQL by the OIDs of their types, so that they equal those of SQLite. */
const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.INT8, parseInteger],
  [pg.types.builtins.DATE, String],
  [pg.types.builtins.TIMESTAMP, String],
  [pg.types.builtins.TIMESTAMPTZ, String],
])
const types: CustomTypesConfig = {
  getTypeParser: (type, format) => parsers.get(type) ?? pg.types.getTypeParser(type, format),
}

/** Parses an integer: a bigint beyond 2^53 - 1. */
function parseInteger(text: string): number | bigint {
  return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)
}

/** Sends queries to the server. */
export interface QueryExecutor {
  /** What events say of the database. */
  readonly source: DatabaseSource
  /** @throws what `translateError` returns for the server's errors */
  send(query: PostgresQuery): Promise<PostgresResult>
  /**
   * Executes text without parameters: one statement or more.
   * @param timeout - in milliseconds; that of any statement when absent
   * @returns the command tag of the last statement, e.g. `COMMIT`
   */
  execute(text: string, timeout?: number): Promise<string>
}

/**
 * Runs statements, and translates their errors. Outside of a transaction (`PostgresPool.shared`) each statement runs on any session of
 * the pool; in a `PostgresTransaction` all run on one. The network connection itself is a `Session`.
 */
export class PostgresConnection {
  readonly #executor: QueryExecutor
  readonly #prepares: boolean

  /** @param prepares - whether the server may keep prepared statements, which a pooler may not allow */
  constructor(executor: QueryExecutor, prepares: boolean) {
    this.#executor = executor
    this.#prepares = prepares
  }

  /**
   * Returns every row of a statement, with the values of the attribute kinds (`Statement.load`).
   * @param signal - creates a signal that cancels the statement
   */
  async all(
    statement: Statement,
    values: RunValues,
    signal?: () => AbortSignal,
  ): Promise<readonly Row[]> {
    const { rows } = await this.#send({ statement, values, isPrepared: this.#prepares, signal })
    return loadRows(rows, statement.load)
  }

  /**
   * Returns every row of a statement that will not be repeated, so that the server need not keep it prepared.
   * The values are those of the attribute kinds, as those of `all`.
   */
  async allUnprepared(
    statement: Statement,
    values: RunValues = { planValues: [] },
  ): Promise<readonly Row[]> {
    const { rows } = await this.#executor.send({ statement, values, isPrepared: false })
    return loadRows(rows, statement.load)
  }

  /** Runs a statement that returns no rows. @returns the number of changed rows */
  async run(statement: Statement, values: RunValues): Promise<number> {
    const { count } = await this.#send({ statement, values, isPrepared: this.#prepares })
    return count
  }

  /** Returns the rows of declared SQL by the names of their columns. */
  async records(statement: Statement): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const query = { statement, values: { planValues: [] }, isPrepared: false, types }
    const { columns, rows } = await this.#send(query)
    return rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])))
  }

  /** Sends a query, and publishes it. */
  #send(query: PostgresQuery): Promise<PostgresResult> {
    const running = publishStatement(query.statement, this.#executor.source)
    const sent = this.#executor.send(query)
    return running ? observe(sent, running) : sent
  }

  /** Returns the same connection for the statements of an identity: each runs in a transaction that its setup begins. */
  withSetup(setup: SessionSetup): Pick<PostgresConnection, 'all' | 'allUnprepared'> {
    const executor: QueryExecutor = {
      source: this.#executor.source,
      send: (query) => this.#executor.send({ ...query, setup }),
      execute: () => Promise.reject(new Error('Text without parameters has no setup.')),
    }
    return new PostgresConnection(executor, this.#prepares && !setup.setsSearchPath)
  }

  /** Executes text without parameters, as `QueryExecutor.execute`. */
  execute(text: string, timeout?: number): Promise<string> {
    return this.#executor.execute(text, timeout)
  }

  /** Prepares a statement without running it. PostgreSQL prepares no `call`: a wrong one fails when it runs. */
  async check({ sql }: Statement): Promise<void> {
    if (/^\s*call\b/i.test(sql)) return
    await this.execute(`prepare lapidary_check as ${sql}; deallocate lapidary_check`)
  }
}

async function observe(
  sent: Promise<PostgresResult>,
  running: RunningStatement,
): Promise<PostgresResult> {
  try {
    const result = await sent
    running.end(result.count, result.timing)
    return result
  } catch (error) {
    running.fail(error)
    throw error
  }
}

/** Executes text on a session, as `QueryExecutor.execute`. */
export async function executeText(
  session: Session,
  text: string,
  timeout?: number,
): Promise<string> {
  const query = { text, ...(timeout !== undefined && { query_timeout: timeout }) }
  // For several statements the driver returns an array, which its types omit.
  const results: QueryResult | QueryResult[] = await translateErrors(session.limits.timeout, () =>
    session.client.query(query),
  )
  return (Array.isArray(results) ? results.at(-1) : results)?.command ?? ''
}

/**
 * Runs work and translates its errors.
 * @param timeout - how long the work may take, in milliseconds
 * @throws what `translateError` returns
 */
async function translateErrors<Result>(
  timeout: number,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw translateError(error, { timeout })
  }
}
