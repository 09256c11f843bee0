import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import { getRelationship, getResourceType, type ResourceType } from '../../model/model.ts'
import { type OrderTerm, toPathKey } from '../../plan/sort.ts'
import { isEqualKey } from '../keys/keys.ts'
import { linkKeyAt } from '../keys/link-keys.ts'
import {
  and,
  columnAt,
  getAttribute,
  idSortKeys,
  inScope,
  sortKey,
  type Target,
  tableName,
  validValue,
} from '../tables.ts'
import { compileCounts } from './related-rows.ts'

/** A compiled order: the joins that it needs, and its terms. */
interface CompiledOrder {
  readonly joins: Sql
  readonly orderBy: Sql
}

/** Reverses an order. */
export function reverseOrder(order: readonly OrderTerm[]): OrderTerm[] {
  return order.map((each) => ({ ...each, descending: !each.descending }))
}

/** The table at the end of a relationship path. */
interface JoinedTable {
  readonly resource: ResourceType
  readonly column: (name: string) => Sql
}

/** The joins of an order so far. */
interface PathJoins {
  readonly start: JoinedTable
  /** By relationship path. */
  readonly tables: Map<string, JoinedTable>
  readonly joins: Sql[]
}

/**
 * Compiles an order. Joined tables are `s1`, `s2`, …; terms with the same relationship path share them.
 * Null counts as the largest value (`docs/service.md`, Sort). If a column cannot be null, the SQL does not mention nulls, so that
 * an index can be used.
 */
export function compileOrder(
  order: readonly OrderTerm[],
  resource: ResourceType,
  target: Target,
): CompiledOrder {
  const start: JoinedTable = { resource, column: (name) => columnAt(0, name) }
  const pathJoins: PathJoins = { start, tables: new Map(), joins: [] }
  const terms = order.map((term) =>
    term.isCount
      ? compileCountTerm(term, pathJoins, target)
      : compileTerm(term, followPath(term.path, pathJoins, target), target),
  )
  return { joins: sql.join(pathJoins.joins, sql.raw('')), orderBy: sql.join(terms, sql.raw(', ')) }
}

/** Joins the tables of a relationship path that are not joined yet, within the scopes of their types. @returns the last table */
function followPath(path: readonly string[], pathJoins: PathJoins, target: Target): JoinedTable {
  const { start, tables, joins } = pathJoins
  const name = path.at(-1)
  if (name === undefined) return start
  const known = tables.get(toPathKey(path))
  if (known !== undefined) return known
  const parent = followPath(path.slice(0, -1), pathJoins, target)
  const { link, to } = getRelationship(parent.resource, name)
  const alias = sql.id(`s${tables.size + 1}`)
  const table: JoinedTable = {
    resource: getResourceType(target.model, to),
    column: (column) => sql`${alias}.${sql.id(column)}`,
  }
  const isLinked = isEqualKey(
    linkKeyAt(link, 'otherKey', table.column),
    linkKeyAt(link, 'ownKey', parent.column),
  )
  const on = and([isLinked, ...inScope(table.column, table.resource)])
  joins.push(sql` left join ${tableName(table.resource.table)} as ${alias} on ${on}`)
  tables.set(toPathKey(path), table)
  return table
}

/** Joins the numbers of related resources, counted once for all rows, and compiles the term. */
function compileCountTerm(
  { path, field: name, descending, nullable }: OrderTerm,
  pathJoins: PathJoins,
  target: Target,
): Sql {
  const parent = followPath(path, pathJoins, target)
  const { tables, joins } = pathJoins
  const field = getRelationship(parent.resource, name)
  const alias = sql.id(`s${tables.size + 1}`)
  tables.set(toPathKey([...path, name]), {
    resource: getResourceType(target.model, field.to),
    column: (column) => sql`${alias}.${sql.id(column)}`,
  })
  const counts = compileCounts(field, target)
  const key = counts.names.map((column) => sql`${alias}.${column}`)
  const isCounted = isEqualKey(key, linkKeyAt(field.link, 'ownKey', parent.column))
  joins.push(sql` left join (${counts.select}) as ${alias} on ${isCounted}`)
  const number = sql`coalesce(${alias}.number, 0)`
  const exists = sql`${parent.column(parent.resource.id.columns[0])} is not null`
  const sortedBy = nullable ? sql`case when ${exists} then ${number} end` : number
  return sql`${sortedBy} ${sql.raw(compileDirection(descending, nullable))}`
}

function compileTerm(
  { path, field, descending, nullable }: OrderTerm,
  { resource, column: columnOf }: JoinedTable,
  target: Target,
): Sql {
  const direction = sql.raw(compileDirection(descending, nullable))
  if (field === 'id') {
    const keys = idSortKeys(resource.id.columns.map(columnOf), resource.id, target)
    return sql.join(keys.map((key) => sql`${key} ${direction}`))
  }
  const attribute = getAttribute(resource, field)
  const { expression, column, kind } = attribute
  const value = validValue(expression(columnOf, target.dialect), attribute, target)
  // Without a related row an expression may still compute a value, from nulls.
  const mayComputeFromNulls = column === undefined && path.length > 0
  const exists = sql`${columnOf(resource.id.columns[0])} is not null`
  const safeValue = mayComputeFromNulls ? sql`case when ${exists} then ${value} end` : value
  const key = sortKey(safeValue, kind.codec, target)
  return sql`${key} ${direction}`
}

function compileDirection(descending: boolean, nullable: boolean): string {
  const direction = descending ? 'desc' : 'asc'
  if (!nullable) return direction
  return `${direction} nulls ${descending ? 'first' : 'last'}`
}
