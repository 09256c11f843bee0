import { commitConstraintError, reportConstraintErrors } from '../constraints.ts'
import { runSync } from '../executor.ts'
import { tooManyResourcesError } from '../resource-limit.ts'
import { runSequentially } from '../steps.ts'
import type { WriteConnection } from '../transaction.ts'
import type { SqliteConnection } from './connection.ts'
import type { DatabaseFile } from './database-file.ts'
import type { SqliteStatements } from './full-read.ts'
import { queryOn, readSteps, writeBudget } from './read.ts'

/** A SQLite connection as a transaction that writes needs it. */
export function writingOn(writer: SqliteConnection, statements: SqliteStatements): WriteConnection {
  return {
    runSteps: runSequentially,
    all: (statement, values) => writer.all(statement, values),
    run: (statement, values) => writer.run(statement, values),
    read: (plan, id) => {
      const limit = { resources: writeBudget.resources, isWrite: true }
      const budget = {
        ...writeBudget,
        exceed: (edge: number | undefined) => tooManyResourcesError(plan, limit, edge),
      }
      const rows = runSync(
        readSteps({ statements, whole: statements.whole(plan.shape) }, plan, id, budget),
        ({ statement, values }) => writer.all(statement, values),
      )
      if (rows === undefined) throw tooManyResourcesError(plan, limit)
      return rows
    },
    query: queryOn(writer),
  }
}

/** Runs work in a transaction that writes: all of it or nothing. */
export async function inTransaction<Result>(
  writer: SqliteConnection,
  file: DatabaseFile,
  work: () => Promise<Result>,
): Promise<Result> {
  writer.begin('immediate')
  try {
    const result = await work()
    // Some keys are looked at only now.
    await reportConstraintErrors(() => writer.commit(), commitConstraintError)
    // What was written to a file that is gone is not acknowledged.
    file.verify()
    return result
  } catch (error) {
    writer.rollback()
    throw error
  }
}
