import type { Awaitable } from '../../model/declare/hooks.ts'
import { compileQuery } from '../../sql/compile-query.ts'
import type { StreamSource } from '../../sql/read/stream.ts'
import type { Statement } from '../../sql/statement.ts'
import type { RunQuery } from '../../sql/store.ts'
import { sqliteDialect } from '../dialect.ts'

/** A row of declared SQL, by the names of its columns. */
export type SqlRecord = Readonly<Record<string, unknown>>

/** A read transaction on a connection of its own, in this process or in a reader process. Its end releases the connection. */
export interface ReadTransaction extends StreamSource {
  /** Returns the rows of declared SQL. */
  records(statement: Statement): Promise<readonly SqlRecord[]>
}

/** Creates the function by which hooks run SQL in a transaction. */
export function createSqliteRunQuery(
  transaction: Readonly<{ records: (statement: Statement) => Awaitable<readonly SqlRecord[]> }>,
): RunQuery {
  return async (expression) => transaction.records(compileQuery(expression, sqliteDialect))
}

/** Runs work in a transaction, and ends the transaction if the work fails. */
export async function endOnError<Result>(
  transaction: ReadTransaction,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    transaction.end()
    throw error
  }
}
