import { commitFault, constrained } from '../constraints.ts'
import type { WritingConnection } from '../transaction.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { counted } from './sqlite-counts.ts'
import { queryOn, readWhole } from './sqlite-read.ts'
import type { SqliteStatements } from './sqlite-whole.ts'

/** A SQLite connection as a transaction that writes needs it. */
export function writingOn(
  writer: SqliteConnection,
  statements: SqliteStatements,
): WritingConnection {
  const reader = { connection: writer, statements, count: counted(writer) }
  return {
    isTogether: false,
    all: (statement, values) => writer.all(statement, values),
    run: (statement, values) => writer.run(statement, values),
    read: (plan, id) => readWhole(reader, plan, id),
    query: queryOn(writer),
  }
}

/** Runs work in a transaction that writes: all of it or nothing. */
export async function inTransaction<Result>(
  writer: SqliteConnection,
  work: () => Promise<Result>,
): Promise<Result> {
  writer.begin('immediate')
  try {
    const result = await work()
    // Some keys are looked at only now.
    await constrained(() => writer.commit(), commitFault)
    return result
  } catch (error) {
    writer.rollback()
    throw error
  }
}
