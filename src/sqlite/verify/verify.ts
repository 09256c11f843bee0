import type { Catalog } from '../../model/catalog.ts'
import { checkStoredTables } from '../../model/check/check-tables.ts'
import { throwDeclarationErrors } from '../../model/check/declaration-error.ts'
import { listDeclaredPages } from '../../plan/include-page.ts'
import { compileStatement, type Statement } from '../../sql/statement.ts'
import type { Store } from '../../sql/store.ts'
import type { Target } from '../../sql/tables.ts'
import { listCursorTypeWarnings } from '../../sql/verify/cursor-index.ts'
import { checkDeclaredSql } from '../../sql/verify/declared-sql.ts'
import { addTableFunctions } from '../../sql/verify/describe-table-functions.ts'
import { formatRelationshipWarnings } from '../../sql/verify/member-index.ts'
import { findViewIdErrors, listSegmentIdWarnings } from '../../sql/verify/stored-ids.ts'
import { describeDanglingKeys, describeUnserved } from '../../sql/verify/stored-rows.ts'
import type { SqliteFacts } from '../catalog/facts.ts'
import { isSmall } from '../catalog/table-size.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { sqlite } from '../database.ts'
import { LimitedReader } from '../readers/limited-reader.ts'
import { addRejectedChanges } from './rejected-changes.ts'
import { listSqliteWarnings } from './warnings.ts'

/** The longest duration of a check of rows at the start, in milliseconds. */
const checkTimeout = 1000

/**
 * Verifies that the tables and the declared SQL match the model, as `Store.verify`.
 * @param path - of the file, for a reader that stops
 * @param connection - one that reads the schema
 */
export async function verifySqlite(
  { facts, target }: Readonly<{ facts: SqliteFacts; target: Target }>,
  path: string,
  connection: SqliteConnection,
): ReturnType<Store['verify']> {
  const catalog = await checkDeclarations(target, connection)
  const reader = new LimitedReader(path, checkTimeout)
  const run = (statement: Statement, isByKey: boolean) =>
    isByKey || (isSmall(connection) && !connection.factsOf(statement).isRecursive)
      ? connection.all(statement, { planValues: [] })
      : reader.all(statement)
  try {
    throwDeclarationErrors(await findViewIdErrors(target, catalog, run))
    const unserved = describeUnserved(target.model, facts)
    const warnings = [
      ...listSqliteWarnings(target.model, { ...facts, catalog }, connection),
      ...listCursorTypeWarnings(target, catalog),
      ...formatRelationshipWarnings(listDeclaredPages(target.model), { target, catalog }),
      ...(await listSegmentIdWarnings(target, run)),
      ...unserved,
      ...describeDanglingKeys(facts),
    ]
    return { warnings, unserved }
  } finally {
    reader.close()
  }
}

/** Checks the declarations. @returns the catalog with the changes that SQLite rejects, and with the table functions */
async function checkDeclarations(target: Target, connection: SqliteConnection): Promise<Catalog> {
  const stored = addRejectedChanges(target.facts.catalog, connection)
  const catalog = await addTableFunctions(target, stored, (query) =>
    connection.columns(compileStatement(query, target.dialect)),
  )
  checkStoredTables(target.model, catalog, sqlite)
  throwDeclarationErrors(
    await checkDeclaredSql(target, (statement) => connection.prepare(statement)),
  )
  return catalog
}
