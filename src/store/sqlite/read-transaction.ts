import type { Awaitable } from '../../model/hooks.ts'
import type { Row } from '../../plan/row-layout.ts'
import type { QueryRequest } from '../executor.ts'
import { compileStatement, type RunValues, type Statement } from '../statement.ts'
import type { RunQuery } from '../store.ts'
import { sqliteDialect } from './dialect.ts'

/** A row of declared SQL, by the names of its columns. */
export type SqlRecord = Readonly<Record<string, unknown>>

/** A read transaction on a connection of its own, in this process or in a reader process. */
export interface ReadTransaction {
  /** Returns every row of a statement. */
  query(request: QueryRequest): Awaitable<readonly Row[]>
  /** Yields rows in batches; each batch is read when it is requested. */
  batches(statement: Statement, values: RunValues): AsyncGenerator<readonly Row[]>
  records(statement: Statement): Promise<readonly SqlRecord[]>
  /** Ends the transaction and releases its connection; calling it again has no effect. */
  end(): void
}

/** Creates the function by which hooks run SQL in a transaction. */
export function createRunQuery(
  transaction: Readonly<{ records: (statement: Statement) => Awaitable<readonly SqlRecord[]> }>,
): RunQuery {
  return async (expression) => transaction.records(compileStatement(expression, sqliteDialect))
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
