import { sql } from 'kysely'
import type { Expression } from '../../model/declare/fields.ts'
import type { Sql } from '../../model/dialect.ts'
import { listRelationships, type ResourceType } from '../../model/model.ts'
import { findRowCondition } from '../../plan/access/identity.ts'
import { compileStatement, type Statement } from '../statement.ts'
import { columnAt, matchesRequestedId, type Target, tableAt, tableName } from '../tables.ts'
import type { Assignment } from '../write/written-columns.ts'
import { compileRowCondition } from './restrict.ts'

/** A statement that returns a row if something denies the values of a write: the tenant, the declared scope, or the access rule. */
export interface DeniedWrite {
  readonly by: 'tenant' | 'scope' | 'rule'
  readonly statement: Statement
}

/** The values of a written row. */
interface WrittenValues {
  /** Those of the request. */
  readonly sent: readonly Assignment[]
  /** All that an insert stores; `undefined` for an update, whose other columns keep their values. */
  readonly inserted: readonly Assignment[] | undefined
}

/**
 * Compiles the statements that evaluate the tenant, the declared scope and the access rule of a type on the values of a write, as far as
 * they decide them, before the row is written. So neither the error of a constraint nor that of an id reveals a stored value to an
 * identity that may not write the row.
 */
export function compileDeniedWrites(
  resource: ResourceType,
  values: WrittenValues,
  target: Target,
): readonly DeniedWrite[] {
  const { type } = resource
  const { access, declarations } = target.model
  const declared = declarations[type]
  const tenant = declared?.tenant === false ? undefined : access?.tenant
  const rule = findRowCondition(target.access?.rules, type, values.inserted ? 'create' : 'update')
  const conditions: readonly (readonly [DeniedWrite['by'], Expression | undefined])[] = [
    ['tenant', tenant && ((column) => sql`${column(tenant.column)} = ${tenant.value}`)],
    ['scope', declared?.scope],
    [
      'rule',
      typeof rule === 'boolean'
        ? undefined
        : (column) => compileRowCondition(rule, { resource, column }, target),
    ],
  ]
  return conditions.flatMap(([by, condition]) => {
    const statement = condition && compileDenied(condition, by, values, { resource, target })
    return statement ? [{ by, statement }] : []
  })
}

/** @returns `undefined` for a condition on columns whose values the database sets, and for one that no sent value decides */
function compileDenied(
  condition: Expression,
  by: DeniedWrite['by'],
  { sent, inserted }: WrittenValues,
  { resource, target }: Readonly<{ resource: ResourceType; target: Target }>,
): Statement | undefined {
  const used = new Set<string>()
  const refused = condition((name) => {
    used.add(name)
    return columnAt(0, name)
  })
  const given = new Map(inserted ? [...inserted, ...listUnsetKeys(resource, inserted)] : sent)
  const names = [...used]
  // What the server itself sets matches the tenant and the scope. A rule may refuse it.
  const isDecided = names.some((name) =>
    by === 'rule' ? given.has(name) : sent.some(([column]) => column === name),
  )
  if (!isDecided || (inserted && !names.every((name) => given.has(name)))) return undefined
  const row = compileRow(names, given, inserted === undefined, { resource, target })
  return compileStatement(
    sql`select 1 from (${row}) as ${sql.id('t0')} where (${refused}) is not true`,
    target.dialect,
  )
}

/** Compiles the written row. The values have the types of the table: the other half of the union has them, and no rows. */
function compileRow(
  names: readonly string[],
  given: ReadonlyMap<string, Sql>,
  isUpdate: boolean,
  { resource, target }: Readonly<{ resource: ResourceType; target: Target }>,
): Sql {
  const values = names.map((name) => given.get(name) ?? columnAt(0, name))
  const from = isUpdate
    ? sql` from ${tableAt(0, resource.table)} where ${matchesRequestedId(resource, 0, target)}`
    : sql``
  const columns = sql.join(names.map((name) => sql.id(name)))
  return sql`select ${columns} from ${tableName(resource.table)} where false union all select ${sql.join(values)}${from}`
}

/** The foreign keys that the insert does not set. They are null; any other column may have a default. */
function listUnsetKeys(resource: ResourceType, assignments: readonly Assignment[]): Assignment[] {
  const assigned = new Set(assignments.map(([name]) => name))
  const keys = listRelationships(resource).flatMap(({ link }) =>
    link.foreignKey === 'own' ? link.ownKey : [],
  )
  return [...new Set(keys)]
    .filter((name) => !assigned.has(name))
    .map((name): Assignment => [name, sql`null`])
}
