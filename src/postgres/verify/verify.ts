import type { Catalog } from '../../model/catalog.ts'
import { checkStoredTables } from '../../model/check/check-tables.ts'
import { throwDeclarationErrors } from '../../model/check/declaration-error.ts'
import type { Statement } from '../../sql/statement.ts'
import type { Store } from '../../sql/store.ts'
import type { Target } from '../../sql/tables.ts'
import { checkDeclaredSql } from '../../sql/verify/declared-sql.ts'
import { addTableFunctions } from '../../sql/verify/describe-table-functions.ts'
import { listSegmentIdWarnings } from '../../sql/verify/segment-ids.ts'
import { describeDanglingKeys, describeUnserved } from '../../sql/verify/stored-rows.ts'
import { findViewIdErrors } from '../../sql/verify/view-ids.ts'
import type { PostgresFacts } from '../catalog/facts.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { postgres } from '../database.ts'
import { describeColumns } from './describe-columns.ts'
import { checkCollations } from './link-collations.ts'
import { listPrivilegeWarnings } from './privileges.ts'
import { checkSessionRoles, connectAsRole } from './session-roles.ts'
import { listPostgresWarnings } from './warnings.ts'

/** Verifies that the tables and the declared SQL match the model, as `Store.verify`. */
export async function verifyPostgres(
  { target, facts }: Readonly<{ target: Target; facts: PostgresFacts }>,
  connection: PostgresConnection,
): ReturnType<Store['verify']> {
  const { model } = target
  const catalog = await addTableFunctions(target, facts.catalog, (query) =>
    describeColumns(query, connection),
  )
  checkStoredTables(model, catalog, postgres)
  throwDeclarationErrors([
    ...checkCollations(model, catalog, facts.findCollation),
    ...(await checkDeclaredSql(target, (statement) => connection.check(statement))),
  ])
  const run = (statement: Statement) => connection.allUnprepared(statement)
  throwDeclarationErrors(await findViewIdErrors(target, catalog, run))
  const access = await checkRoles(target, catalog, connection)
  const unserved = describeUnserved(model, facts)
  const warnings = [
    ...(await listPostgresWarnings(model, { ...facts, catalog }, connection)),
    ...unserved,
    ...describeDanglingKeys(facts),
  ]
  const segments = await listSegmentIdWarnings(target, run)
  return { warnings: [...access, ...warnings, ...segments], unserved }
}

/** Checks the roles of the requests. @returns warnings about them and their privileges */
async function checkRoles(
  { model, dialect }: Target,
  catalog: Catalog,
  connection: PostgresConnection,
): Promise<readonly string[]> {
  const { session } = model
  const { errors = [], warnings = [] } = session
    ? await checkSessionRoles(session, connection, dialect)
    : {}
  throwDeclarationErrors(errors)
  const asRole = connectAsRole(session, connection, dialect)
  return [...warnings, ...(asRole ? await listPrivilegeWarnings(model, catalog, asRole) : [])]
}
