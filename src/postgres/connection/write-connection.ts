import { runPipelined } from '../../sql/write/steps.ts'
import type { WriteConnection } from '../../sql/write/write-connection.ts'
import { createPostgresRunQuery, readForWrite, readInserted } from '../read/read.ts'
import type { PostgresStatements } from '../statements.ts'
import type { PostgresTransaction } from '../transaction.ts'

/** Creates the operations of a write in a transaction. @param checkValues - finds values that their columns would reject */
export function createWriteConnection(
  transaction: PostgresTransaction,
  statements: PostgresStatements,
  checkValues: NonNullable<WriteConnection['checkValues']>,
): WriteConnection {
  return {
    runSteps: runPipelined,
    checkValues,
    all: (statement, values) => transaction.all(statement, values),
    run: (statement, values) => transaction.run(statement, values),
    read: (plan, id) => readForWrite(transaction, plan, id, statements),
    ...(statements.target.dialect.lastInsertId && {
      readInserted: (plan) => readInserted(transaction, plan, statements),
    }),
    query: createPostgresRunQuery(transaction, statements.target.dialect),
    savepoint: (work) => transaction.nest(work),
  }
}
