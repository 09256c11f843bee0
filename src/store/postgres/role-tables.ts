import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Model, Table } from '../../model/model.ts'
import { compileStatement, listParam, param } from '../statement.ts'
import { listTables, type Target } from '../tables.ts'
import type { PostgresConnection } from './connection.ts'
import type { SessionSetup } from './session-setup.ts'
import type { LoadedTableFacts } from './table-facts.ts'

// What a role may do with the rows of tables, as far as statements depend on it. A foreign key is the link itself only where no policy
// can hide the row that it references (docs/guides/row-level-security.md), and rows are locked only where the role may update them.

/** The tables of a model as a role sees them. */
export interface RoleTables {
  /** Whether a policy may hide rows of a table from the role. */
  readonly mayHide: (table: Table) => boolean
  /** Whether the role may lock rows of a table. */
  readonly mayLock: (table: Table) => boolean
  /** The same for roles that see all tables alike, so that they share statements. */
  readonly key: string
}

const unknownRoleTables: RoleTables = { mayHide: () => true, mayLock: () => false, key: '' }

/** The most roles whose tables are held in memory. */
const maxRoles = 1000

/**
 * The tables of a model for each role of its requests. They are loaded with the first request of a role: policies and privileges that
 * are changed later need a restart.
 */
export class LoadedRoleTables {
  readonly #read: (role: string | undefined) => Promise<RoleTables>
  /** That of the connection, which most models use. */
  #own: RoleTables | undefined
  readonly #known = new LRUCache<string, RoleTables>({ max: maxRoles })
  readonly #loading = new Map<string | undefined, Promise<void>>()

  constructor(read: (role: string | undefined) => Promise<RoleTables>) {
    this.#read = read
  }

  /** Finds the tables of a role; `undefined` if they are not loaded. @param role - `undefined` for that of the connection */
  find(role: string | undefined): RoleTables | undefined {
    return role === undefined ? this.#own : this.#known.get(role)
  }

  /** Returns the tables of a role; facts that are safe for any role if another request has just forgotten them. */
  get(role: string | undefined): RoleTables {
    return this.find(role) ?? unknownRoleTables
  }

  /** Loads the tables of a role; once for all that wait for them. Roles that see all tables alike have the same object. */
  load(role: string | undefined): Promise<void> {
    const pending = this.#loading.get(role)
    if (pending) return pending
    const loading = this.#load(role).finally(() => this.#loading.delete(role))
    this.#loading.set(role, loading)
    return loading
  }

  async #load(role: string | undefined): Promise<void> {
    const read = await this.#read(role)
    const same = [this.#own, ...this.#known.values()].find((each) => each?.key === read.key)
    if (role === undefined) this.#own = same ?? read
    else this.#known.set(role, same ?? read)
  }

  /** Forgets all roles. */
  forget(): void {
    this.#own = undefined
    this.#known.clear()
  }
}

/** What is known of the tables of a store. */
export interface KnownTables {
  readonly facts: LoadedTableFacts
  readonly roles: LoadedRoleTables
}

/** Whether a request with the role of a session knows its tables. */
export function areKnown({ facts, roles }: KnownTables, setup: SessionSetup | undefined): boolean {
  return facts.areKnown && roles.find(setup?.role) !== undefined
}

/** Loads what a request with the role of a session needs to know. What roles may do with tables that were missing is loaded again. */
export async function loadTables(
  { facts, roles }: KnownTables,
  setup: SessionSetup | undefined,
): Promise<void> {
  if (!facts.areKnown) {
    roles.forget()
    await facts.load()
  }
  if (roles.find(setup?.role) === undefined) await roles.load(setup?.role)
}

/** Loads again what requests with the role of the connection need to know. */
export async function reloadTables({ facts, roles }: KnownTables): Promise<void> {
  roles.forget()
  await facts.load()
  await loadTables({ facts, roles }, undefined)
}

/** Restricts what SQL is compiled for to what a role may do. The facts of the target may still be loaded later. */
export function targetOfRole(target: Target, { mayHide, mayLock }: RoleTables): Target {
  return {
    ...target,
    get model() {
      return target.model
    },
    mayHide,
    mayLock,
  }
}

/**
 * Reads what a role may do with the tables of a model. The hook `begin` may set any role of which that of the connection is a member:
 * then a table is hidden if it is from one of them, and locked if all that read it may.
 * @param role - that of the option `session`; `undefined` for that of the connection
 */
export async function readRoleTables(
  model: Model,
  role: string | undefined,
  connection: PostgresConnection,
  { dialect }: Target,
): Promise<RoleTables> {
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
  return toRoleTables(rows, model.session?.searchPath !== undefined)
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
function toRoleTables(rows: readonly (readonly unknown[])[], isAnySchema: boolean): RoleTables {
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
