import type { ReadPlan } from '../../plan/read.ts'
import type { CompleteRows } from '../../plan/read-result.ts'
import type { Row } from '../../plan/row-layout.ts'
import { ConstraintError } from '../../sql/errors.ts'
import { countCharacters, writeBudget } from '../../sql/read/document-budget.ts'
import {
  executeReadSequence,
  type ReadSequenceStatements,
} from '../../sql/read/execute-read-sequence.ts'
import { runSync } from '../../sql/read/query-sequence.ts'
import { addAuth } from '../../sql/read/run-values.ts'
import type { QueryRequest } from '../../sql/read/stream.ts'
import { tooManyResourcesError, tooMuchTextError } from '../../sql/resource-limit.ts'
import { bound, loadRows } from '../../sql/statement-values.ts'
import { runSequentially } from '../../sql/write/steps.ts'
import type { WriteConnection } from '../../sql/write/write-connection.ts'
import { LargeResultError } from '../errors.ts'
import { readOne } from '../read/read-one.ts'
import { createSqliteRunQuery } from '../read/read-transaction.ts'
import type { SqliteStatements } from '../statements.ts'
import type { SqliteConnection } from './connection.ts'

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
      const readSequence = statements.readSequence(plan.shape)
      return readSequence.isOneStatement
        ? readOne(writer, readSequence, plan, id)
        : readDocument(writer, { statements, readSequence }, plan, id)
    },
    query: async (expression) => {
      writer.checkTransaction()
      return runQuery(expression)
    },
    checkDeferred: () => checkDeferred(writer),
    savepoint: (work) => runInSavepoint(writer, work),
  }
}

/** Reads a document in a write transaction. @throws ParameterError `too_many_resources` (400) */
function readDocument(
  writer: SqliteConnection,
  statements: ReadSequenceStatements,
  plan: ReadPlan,
  id: string | undefined,
): CompleteRows {
  const queries = executeReadSequence(statements, plan, id, writeBudget)
  const rows = runSync(queries, createTextLimit(writer, plan))
  if (rows === undefined) throw tooManyResourcesError(plan, writeBudget)
  return rows
}

/**
 * Creates the function that runs the statements of a document: the first one reads the resource itself, and the texts of all other
 * rows together are limited.
 */
function createTextLimit(
  writer: SqliteConnection,
  { identity }: ReadPlan,
): (request: QueryRequest) => readonly Row[] {
  let remaining: number | undefined
  return ({ statement, values: runValues }) => {
    const values = addAuth(runValues, identity)
    if (remaining === undefined) {
      remaining = writeBudget.text
      return writer.all(statement, values)
    }
    try {
      const rows = writer.boundedRows(statement, bound(statement, values), remaining)
      for (const row of rows) remaining -= countCharacters(row)
      return loadRows(rows, statement.load)
    } catch (error) {
      throw error instanceof LargeResultError ? tooMuchTextError() : error
    }
  }
}

/** Checks the tables with deferred foreign keys: SQLite has a list of the violations of each, and none of those of a transaction. */
function checkDeferred(writer: SqliteConnection): void {
  writer.checkTransaction()
  const tables = writer.introspect(
    "select name from sqlite_schema where type = 'table' and sql like '%initially deferred%'",
  )
  for (const [name] of tables) {
    const violations = 'select 1 from pragma_foreign_key_check(?) limit 1'
    const [violation] = writer.introspect(violations, String(name))
    if (violation !== undefined)
      throw new ConstraintError(
        'foreignKey',
        {},
        new Error(`The table ${name} has rows that reference none.`),
      )
  }
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
