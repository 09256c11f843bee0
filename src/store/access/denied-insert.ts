import { sql } from 'kysely'
import { getResourceType, listRelationships, type ResourceType } from '../../model/model.ts'
import { findRowCondition } from '../../plan/access/identity.ts'
import { compileStatement, type Statement } from '../statement.ts'
import { columnAt, type Target, tableName } from '../tables.ts'
import type { Assignment } from '../written-columns.ts'
import { compileRowCondition } from './restrict.ts'

/**
 * Compiles a statement that returns a row if the rule for creates denies a new row. It evaluates the rule on the values of the insert
 * before the row exists, so that the error of a constraint reveals no stored value to an identity that may not create the row.
 *
 * The values form a row of the types of the table: the other half of the union has them, and no rows.
 * @returns `undefined` without a condition, and for one on columns whose values the database sets
 */
export function compileDeniedInsert(
  type: string,
  assignments: readonly Assignment[],
  target: Target,
): Statement | undefined {
  const condition = findRowCondition(target.access?.rules, type, 'create')
  if (typeof condition === 'boolean') return undefined
  const resource = getResourceType(target.model, type)
  const used = new Set<string>()
  const column = (name: string) => {
    used.add(name)
    return columnAt(0, name)
  }
  const rule = compileRowCondition(condition, { resource, column }, target)
  const given = [...assignments, ...listUnsetKeys(resource, assignments)]
  const needed = given.filter(([name]) => used.has(name))
  if (needed.length === 0 || needed.length < used.size) return undefined
  const names = sql.join(needed.map(([name]) => sql.id(name)))
  const values = sql.join(needed.map(([, value]) => value))
  const row = sql`select ${names} from ${tableName(resource.table)} where false union all select ${values}`
  return compileStatement(
    sql`select 1 from (${row}) as ${sql.id('t0')} where (${rule}) is not true`,
    target.dialect,
  )
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
