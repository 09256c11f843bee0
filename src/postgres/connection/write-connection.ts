import { commitConstraintError, reportConstraintErrors } from '../../sql/write/constraints.ts'
import { runPipelined } from '../../sql/write/steps.ts'
import type { WriteConnection } from '../../sql/write/write-connection.ts'
import { createPostgresRunQuery, readForWrite, readInserted } from '../read/read.ts'
import type { PostgresStatements } from '../statements.ts'
import type { PostgresTransaction } from '../transaction.ts'

/**
 * Creates the operations of a write in a transaction.
 * @param checkValues - finds values that their columns would reject
 * @param isInSteps - whether a commit must not be sent with the write
 */
export function createWriteConnection(
  transaction: PostgresTransaction,
  statements: PostgresStatements,
  checkValues: NonNullable<WriteConnection['checkValues']>,
  isInSteps: boolean,
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
    ...(!isInSteps && {
      commitNext: async (isAllowed) =>
        reportConstraintErrors(() => transaction.commitNext(isAllowed), commitConstraintError),
    }),
    query: createPostgresRunQuery(transaction, statements.target.dialect),
    checkDeferred: async () => {
      await transaction.execute('set constraints all immediate')
    },
    savepoint: (work) => transaction.nest(work),
  }
}
