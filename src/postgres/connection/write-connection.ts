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
  const { dialect } = statements.target
  return {
    runSteps: runPipelined,
    checkValues,
    all: (statement, values) => transaction.all(statement, values),
    run: (statement, values) => transaction.run(statement, values),
    runUnawaited: (statement, values) => transaction.runUnawaited(statement, values),
    read: (plan, id) => readForWrite(transaction, plan, id, statements),
    ...(dialect.lastInsertId && {
      readInserted: (plan) => readInserted(transaction, plan, statements),
    }),
    // Citus commits the first statement of a batch on its server at once, unless a transaction was begun.
    ...(!isInSteps &&
      dialect.lastInsertId && {
        commitNext: async (findFailure) =>
          reportConstraintErrors(() => transaction.commitNext(findFailure), commitConstraintError),
      }),
    query: createPostgresRunQuery(transaction, dialect),
    checkDeferred: async () => {
      await transaction.execute('set constraints all immediate')
    },
    savepoint: (work) => transaction.nest(work),
  }
}
