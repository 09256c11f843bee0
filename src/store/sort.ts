import { sql } from 'kysely'
import type { Sql } from '../model/dialect.ts'
import { getRelationship, getResourceType, type ResourceType } from '../model/model.ts'
import { type OrderTerm, toPathKey } from '../plan/sort.ts'
import { and, columnAt, getAttribute, sortKey, type Target, tableName } from './tables.ts'

/** An order as SQL: what must be joined for it, and its terms. */
export interface CompiledOrder {
  readonly joins: Sql
  readonly orderBy: Sql
}

/** The same order from its end. */
export function reverseOrder(order: readonly OrderTerm[]): OrderTerm[] {
  return order.map((each) => ({ ...each, descending: !each.descending }))
}

/** Where a way through relationships has come to. */
interface Reached {
  readonly resource: ResourceType
  readonly column: (name: string) => Sql
}

/**
 * Writes an order as SQL. Joined tables are `s1`, `s2`, …; terms that go the same way share them.
 * Null counts as the largest value (`docs/service.md`, Sort); where none can be, nothing is said of it, so that an index serves.
 */
export function compileOrder(
  order: readonly OrderTerm[],
  resource: ResourceType,
  target: Target,
): CompiledOrder {
  const start: Reached = { resource, column: (name) => columnAt(0, name) }
  const reached = new Map<string, Reached>()
  const joins: Sql[] = []
  const follow = (way: readonly string[]): Reached => {
    const name = way.at(-1)
    if (name === undefined) return start
    const known = reached.get(toPathKey(way))
    if (known !== undefined) return known
    const before = follow(way.slice(0, -1))
    const { link, to } = getRelationship(before.resource, name)
    const alias = sql.id(`s${reached.size + 1}`)
    const after: Reached = {
      resource: getResourceType(target.model, to),
      column: (column) => sql`${alias}.${sql.id(column)}`,
    }
    const { table, scope } = after.resource
    const isLinked = sql`${after.column(link.otherKey)} = ${before.column(link.ownKey)}`
    const on = and([isLinked, ...(scope ? [sql`(${scope(after.column)})`] : [])])
    joins.push(sql` left join ${tableName(table)} as ${alias} on ${on}`)
    reached.set(toPathKey(way), after)
    return after
  }
  const terms = order.map(({ path, field, descending, nullable }) => {
    const at = follow(path)
    const { expression, column, kind } = getAttribute(at.resource, field)
    const value = expression(at.column)
    // Where a way leads to nothing, an expression may still make something of the nulls.
    const isMadeUp = column === undefined && path.length > 0
    const isThere = sql`${at.column(at.resource.id.column)} is not null`
    const known = isMadeUp ? sql`case when ${isThere} then ${value} end` : value
    const key = sortKey(known, kind.codec, target)
    return sql`${key} ${sql.raw(directionOf(descending, nullable))}`
  })
  return { joins: sql.join(joins, sql.raw('')), orderBy: sql.join(terms, sql.raw(', ')) }
}

function directionOf(descending: boolean, nullable: boolean): string {
  const direction = descending ? 'desc' : 'asc'
  if (!nullable) return direction
  return `${direction} nulls ${descending ? 'first' : 'last'}`
}
