import { type Catalog, findTable } from '../../model/catalog.ts'
import { checkStoredTables } from '../../model/check/check-tables.ts'
import { throwDeclarationErrors } from '../../model/check/declaration-error.ts'
import type { SessionOptions } from '../../model/declare/session.ts'
import { type Dialect, type Sql, sql } from '../../model/dialect.ts'
import {
  getResourceType,
  type KeyColumns,
  listRelationships,
  type Model,
  type RelationshipField,
  type ResourceType,
  type Table,
} from '../../model/model.ts'
import { listDeclaredPages } from '../../plan/include-page.ts'
import { compileStatement, listParam, type Statement } from '../../sql/statement.ts'
import type { Store } from '../../sql/store.ts'
import type { Target } from '../../sql/tables.ts'
import { listCursorTypeWarnings } from '../../sql/verify/cursor-index.ts'
import { checkDeclaredSql } from '../../sql/verify/declared-sql.ts'
import { addTableFunctions } from '../../sql/verify/describe-table-functions.ts'
import { formatRelationshipWarnings } from '../../sql/verify/member-index.ts'
import { findViewIdErrors, listSegmentIdWarnings } from '../../sql/verify/stored-ids.ts'
import { describeDanglingKeys, describeUnserved } from '../../sql/verify/stored-rows.ts'
import { specialName } from '../catalog/catalog.ts'
import type { CollationLookup } from '../catalog/collations.ts'
import type { PostgresFacts } from '../catalog/facts.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { compileSession } from '../connection/session-setup.ts'
import { postgres } from '../database.ts'
import { listPrivilegeWarnings } from './privileges.ts'
import { listShardWarnings } from './shard-warnings.ts'
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
    ...listCursorTypeWarnings(target, catalog),
    ...formatRelationshipWarnings(listDeclaredPages(model), { target, catalog }),
    ...(await listShardWarnings(target, connection)),
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

/**
 * Returns the names and the types of the columns of a query, as the catalog describes them. The query is executed with null for its
 * parameters and a limit of 0, so that no function in it runs.
 */
async function describeColumns(
  query: Sql,
  connection: Pick<PostgresConnection, 'records' | 'allUnprepared'>,
): Promise<readonly Readonly<{ name: string; type: string }>[]> {
  const none = sql`(select) as one left join (select * from (${query}) as q limit 0) as q on true`
  const [row = {}] = await connection.records(
    compileStatement(sql`select q.* from ${none}`, postgres),
  )
  const names = Object.keys(row)
  const types = sql.join(names.map((name) => sql`pg_typeof(q.${sql.id(name)})::oid`))
  const described = await connection.allUnprepared(
    compileStatement(
      sql`select coalesce(${specialName(sql.id('b'))}, ${specialName(sql.id('e'))} || '[]', format_type(b.oid, null))
        from (select array[${types}] as types from ${none}) as typed, unnest(typed.types) with ordinality as u (type, at)
          join pg_type as t on t.oid = u.type
          join pg_type as b on b.oid = case when t.typtype = 'd' then t.typbasetype else t.oid end
          left join pg_type as e on e.oid = b.typelem and b.typcategory = 'A'
        order by u.at`,
      postgres,
    ),
  )
  return names.map((name, index) => ({ name, type: String(described[index]?.[0] ?? '') }))
}

/** A column of a table. */
type TableColumn = readonly [table: Table, column: string]

/** Lists relationships whose columns PostgreSQL cannot compare, so that every request for them would fail: a line for each. */
function checkCollations(model: Model, catalog: Catalog, findCollation: CollationLookup): string[] {
  return [...model.types.values()].flatMap((resource) =>
    listRelationships(resource).flatMap((field) => {
      const path = `${resource.type}.fields.${field.name}`
      return listComparisons(field, resource, model).flatMap(([one, other]) => {
        const [left, right] = [findCollation(...one)?.name, findCollation(...other)?.name]
        // A column with the default collation takes that of the other.
        const isComparable = [left, right].some((name) => name === undefined || name === 'default')
        if (isComparable || left === right) return []
        const [first, second] = [one, other].map(([table, column]) => {
          return `"${column}" of the table "${findTable(catalog, table)?.name}"`
        })
        return `${path}: the columns ${first} and ${second} have two collations, "${left}" and "${right}", and cannot be compared; give one of them the other's`
      })
    }),
  )
}

function listComparisons(
  { link, to }: RelationshipField,
  { table }: ResourceType,
  model: Model,
): (readonly [TableColumn, TableColumn])[] {
  const own = pairWith(table, link.ownKey)
  const other = pairWith(getResourceType(model, to).table, link.otherKey)
  if (link.foreignKey !== 'join table') return zip(own, other)
  const { joinTable, from, to: toColumns } = link
  return [...zip(own, pairWith(joinTable, from)), ...zip(pairWith(joinTable, toColumns), other)]
}

function pairWith(table: Table, columns: KeyColumns): TableColumn[] {
  return columns.map((column): TableColumn => [table, column])
}

function zip(
  left: readonly TableColumn[],
  right: readonly TableColumn[],
): (readonly [TableColumn, TableColumn])[] {
  return left.flatMap((one, index): (readonly [TableColumn, TableColumn])[] => {
    const other = right[index]
    return other ? [[one, other]] : []
  })
}

/** What the startup finds about the roles of the option `session`. */
interface SessionRoleFindings {
  /** Roles that cannot be set. */
  readonly errors: readonly string[]
  /** Roles to which no policy applies. */
  readonly warnings: readonly string[]
}

/**
 * Checks the roles that are declared as constants: the role of the connection must be able to set them, and policies should apply to
 * them.
 */
async function checkSessionRoles(
  { role, anonymousRole }: SessionOptions,
  connection: PostgresConnection,
  dialect: Dialect,
): Promise<SessionRoleFindings> {
  const errors: string[] = []
  const warnings: string[] = []
  for (const [option, name] of Object.entries({ role, anonymousRole })) {
    if (option === 'anonymousRole' && name === undefined) continue
    // Without a role, requests have that of the connection.
    if (name !== undefined && typeof name !== 'string') continue
    const query = sql`select r.rolname, pg_has_role(session_user, r.oid, 'member'), r.rolsuper or r.rolbypassrls, session_user
      from pg_roles as r where r.rolname = coalesce((${listParam('ids', 'text', dialect)})[1], current_user)`
    const ids = name === undefined ? [] : [name]
    const statement = compileStatement(query, dialect)
    const [found] = await connection.allUnprepared(statement, { planValues: [], ids })
    const location = `options.session.${option}`
    if (found === undefined) errors.push(`${location}: there is no role "${name}"`)
    else if (found[1] !== true)
      errors.push(
        `${location}: the role "${found[3]}" of the connection is not a member of "${name}"; to fix it: grant "${name}" to "${found[3]}"`,
      )
    else if (found[2] === true)
      warnings.push(
        `${location}: policies do not apply to the role "${found[0]}", which is a superuser or bypasses row-level security; to fix it: declare another role`,
      )
  }
  return { errors, warnings }
}

/**
 * Returns the connection as the role of a request, to inspect its privileges.
 * @returns `undefined` if the role depends on the request
 */
function connectAsRole(
  session: SessionOptions | undefined,
  connection: PostgresConnection,
  dialect: Dialect,
): Pick<PostgresConnection, 'all'> | undefined {
  const { role } = session ?? {}
  if (role === undefined) return connection
  if (typeof role !== 'string') return undefined
  const setup = compileSession({ role }, dialect)?.(undefined)
  return setup ? connection.withSetup(setup) : connection
}
