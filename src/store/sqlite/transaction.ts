import type { ReadPlan } from '../../plan/read.ts'
import type { CompleteRows } from '../../plan/read-result.ts'
import { tooManyResourcesError } from '../resource-limit.ts'
import { addAuth } from '../run-values.ts'
import { runSequentially } from '../steps.ts'
import type { WriteConnection } from '../write-connection.ts'
import type { SqliteConnection } from './connection.ts'
import { runSync } from './query-sequence.ts'
import { executeFullRead, type FullReadStatements, readPoint, writeBudget } from './read.ts'
import { createSqliteRunQuery } from './read-transaction.ts'
import type { SqliteStatements } from './statements.ts'

/** Creates the operations of a write transaction on a connection. */
export function createWriteConnection(
  writer: SqliteConnection,
  statements: SqliteStatements,
): WriteConnection {
  const runQuery = createSqliteRunQuery(writer)
  return {
    runSteps: runSequentially,
    all: writer.all.bind(writer),
    run: writer.run.bind(writer),
    read: (plan, id) => {
      writer.checkTransaction()
      const fullRead = statements.fullRead(plan.shape)
      return fullRead.isPointRead
        ? readPoint(writer, fullRead, plan, id)
        : readDocument(writer, { statements, fullRead }, plan, id)
    },
    query: async (expression) => {
      writer.checkTransaction()
      return runQuery(expression)
    },
    savepoint: (work) => runInSavepoint(writer, work),
  }
}

/** Reads a document in a write transaction. @throws HeaderError `too_many_resources` (400) */
function readDocument(
  writer: SqliteConnection,
  statements: FullReadStatements,
  plan: ReadPlan,
  id: string | undefined,
): CompleteRows {
  const limit = { resources: writeBudget.resources, isWrite: true }
  const budget = {
    ...writeBudget,
    exceed: (edge: number | undefined) => tooManyResourcesError(plan, limit, edge),
  }
  const queries = executeFullRead(statements, plan, id, budget)
  const rows = runSync(queries, ({ statement, values }) =>
    writer.all(statement, addAuth(values, plan.identity)),
  )
  if (rows === undefined) throw tooManyResourcesError(plan, limit)
  return rows
}

async function runInSavepoint<Result>(
  writer: SqliteConnection,
  work: () => Promise<Result>,
): Promise<Result> {
  writer.checkTransaction()
  writer.execute('savepoint lapidary_nested')
  try {
    const result = await work()
    writer.execute('release lapidary_nested')
    return result
  } catch (error) {
    if (writer.isInTransaction)
      writer.execute('rollback to lapidary_nested; release lapidary_nested')
    throw error
  }
}
