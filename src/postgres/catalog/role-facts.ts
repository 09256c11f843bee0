import { sql } from 'kysely'
import type { Table } from '../../model/model.ts'
import { type DatabaseFacts, listTables } from '../../sql/database-facts.ts'
import { compileStatement, listParam, param } from '../../sql/statement.ts'
import type { Target } from '../../sql/tables.ts'
import type { PostgresConnection } from '../connection/connection.ts'

/** What statements depend on that differs between the roles of requests (docs/guides/row-level-security.md). */
export interface RoleFacts extends Pick<DatabaseFacts, 'mayHide' | 'mayLock'> {
  /** The same for roles that see all tables alike, so that they share statements. */
  readonly key: string
}

/**
 * Loads what a role may do with the tables of a model. The hook `begin` may set any role of which that of the connection is a member:
 * then a table is hidden if it is from one of them, and locked if all that read it may.
 * @param role - that of the option `session`; `undefined` for that of the connection
 */
export async function loadRoleFacts(
  { model, dialect }: Pick<Target, 'model' | 'dialect'>,
  role: string | undefined,
  connection: PostgresConnection,
): Promise<RoleFacts> {
  const names = [...new Set(listTables(model).map(({ name }) => name))]
  const isCandidate = model.begin
    ? sql`pg_has_role(session_user, r.oid, 'member') and r.rolname !~ '^pg_'`
    : sql`r.rolname = coalesce(${param('id', 'text', dialect)}, current_user)`
  const query = sql`
    select n.nspname, c.relname, n.nspname = current_schema(), bool_or(${isPoliced}),
      bool_and(has_any_column_privilege(r.oid, c.oid, 'update'))
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace join pg_roles as r on ${isCandidate}
    where c.relkind in ('r', 'p', 'v', 'm', 'f')
      and ${dialect.inList(sql`c.relname::text`, listParam('ids', 'text', dialect))}
      and has_any_column_privilege(r.oid, c.oid, 'select')
    group by 1, 2 order by 1, 2`
  const values = { planValues: [], id: role, ids: names }
  const rows = await connection.allUnprepared(compileStatement(query, dialect), values)
  // With a search path of the request, a table without a schema may be in any.
  return toRoleFacts(rows, model.session?.searchPath !== undefined)
}

/**
 * Whether a policy may hide rows of the table `c` from the role `r`: not from owners unless the table forces it, nor if all policies are
 * permissive and one for reading is always true.
 */
const isPoliced = sql`c.relrowsecurity and not (r.rolsuper or r.rolbypassrls)
  and (c.relforcerowsecurity or not pg_has_role(r.oid, c.relowner, 'usage'))
  and (exists (select 1 from pg_policy as p where p.polrelid = c.oid and not p.polpermissive)
    or not exists (select 1 from pg_policy as p where p.polrelid = c.oid and p.polcmd in ('r', '*')
      and pg_get_expr(p.polqual, p.polrelid) = 'true' and (0::oid = any(p.polroles)
        or exists (select 1 from pg_roles as o where o.oid = any(p.polroles) and pg_has_role(r.oid, o.oid, 'usage')))))`

/** @param rows - schema, name, whether the schema is that of the connection, whether rows may be hidden, whether they may be locked */
function toRoleFacts(rows: readonly (readonly unknown[])[], isAnySchema: boolean): RoleFacts {
  const select = (at: number, value: boolean) =>
    new Set(
      rows.flatMap((row) => {
        const [schema, name, isOwn] = row
        if (row[at] !== value) return []
        const keys = [JSON.stringify([schema, name])]
        return isAnySchema || isOwn === true ? [...keys, JSON.stringify([null, name])] : keys
      }),
    )
  const [hidden, unlockable] = [select(3, true), select(4, false)]
  const includes = (tables: ReadonlySet<string>, { schema, name, call }: Table) =>
    call === undefined && tables.has(JSON.stringify([schema ?? null, name]))
  return {
    mayHide: (table) => includes(hidden, table),
    mayLock: (table) => !includes(unlockable, table),
    key: JSON.stringify([[...hidden], [...unlockable]]),
  }
}
