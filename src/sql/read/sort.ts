import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import {
  getRelationship,
  getResourceType,
  type Link,
  type ResourceType,
  type Table,
} from '../../model/model.ts'
import { listPrefixes, type OrderTerm, toPathKey } from '../../plan/sort.ts'
import { isEqualKey } from '../keys/keys.ts'
import { linkKeyAt } from '../keys/link-keys.ts'
import { linkCrossesShards, shardBarrier } from '../keys/shards.ts'
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
import { compileNullRows, type NullRows } from './null-rows.ts'
import { compileCounts } from './related-rows.ts'

/** A compiled order: the joins that it needs, and its terms. */
interface CompiledOrder {
  readonly joins: Sql
  readonly orderBy: Sql
  readonly keys: readonly OrderKey[]
  /** The rows in which the first key is null, if it is one of a related resource and indexes find them. */
  readonly nullRows: NullRows | undefined
}

/** An expression by which rows are sorted. */
export interface OrderKey {
  readonly expression: Sql
  readonly descending: boolean
  /** True if the expression can be null, which sorts as the largest value. */
  readonly nullable: boolean
  /** Whether it is a column of another table, so that the index of that table finds the first rows. */
  readonly isJoined: boolean
}

/** Reverses an order. */
export function reverseOrder(order: readonly OrderTerm[]): OrderTerm[] {
  return order.map((each) => ({ ...each, descending: !each.descending }))
}

/** The table at the end of a relationship path. */
interface JoinedTable {
  readonly resource: ResourceType
  readonly column: (name: string) => Sql
  /** Whether a barrier separates it from the table of the list, so that no distributed table can be joined to it. */
  readonly isApart?: boolean
}

/** The joins of an order so far. */
interface PathJoins {
  readonly start: JoinedTable
  /** By relationship path. */
  readonly tables: Map<string, JoinedTable>
  /** Compile the joins, once all columns of the joined tables are known. */
  readonly joins: (() => Sql)[]
}

/**
 * Compiles an order. Joined tables are `s1`, `s2`, …; terms with the same relationship path share them.
 * Null counts as the largest value (`docs/service.md`, Sort). The SQL of a term that is never null, an id or a count, does not mention nulls, so that
 * an index can be used.
 * @param depth - the rows are those of `t<depth>`
 */
export function compileOrder(
  order: readonly OrderTerm[],
  resource: ResourceType,
  target: Target,
  depth = 0,
): CompiledOrder {
  const start: JoinedTable = { resource, column: (name) => columnAt(depth, name) }
  const pathJoins: PathJoins = { start, tables: new Map(), joins: [] }
  const keys = order.flatMap((term): OrderKey[] => {
    const { path, isCount = false, descending, nullable } = term
    const expressions = isCount
      ? [compileCountTerm(term, pathJoins, target)]
      : compileTerm(term, followPath(path, pathJoins, target), target)
    const isJoined = path.length > 0 && !isCount
    return expressions.map((expression) => ({ expression, descending, nullable, isJoined }))
  })
  const joins = sql.join(
    pathJoins.joins.map((compile) => compile()),
    sql.raw(''),
  )
  const [first] = order
  const [key] = keys
  const tables = first
    ? listPrefixes(first.path).map((path) => followPath(path, pathJoins, target))
    : []
  const nullRows =
    first && key && compileNullRows(first, [start, ...tables], key.expression, target)
  return { joins, orderBy: compileOrderBy(keys), keys, nullRows }
}

/** Compiles the terms of an `order by`. */
export function compileOrderBy(
  keys: readonly Pick<OrderKey, 'expression' | 'descending' | 'nullable'>[],
): Sql {
  const terms = keys.map(
    ({ expression, descending, nullable }) =>
      sql`${expression} ${sql.raw(compileDirection(descending, nullable))}`,
  )
  return sql.join(terms, sql.raw(', '))
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
  const resource = getResourceType(target.model, to)
  const columns = new Set<string>()
  const table: JoinedTable = {
    resource,
    column: (column) => {
      columns.add(column)
      return sql`${alias}.${sql.id(column)}`
    },
    isApart: isApart(parent, { link, other: resource.table }, target),
  }
  const isLinked = isEqualKey(
    linkKeyAt(link, 'otherKey', table.column),
    linkKeyAt(link, 'ownKey', parent.column),
  )
  const on = and([isLinked, ...inScope(table.column, table.resource)])
  joins.push(() => sql` left join ${joinedRows(table, columns, target)} as ${alias} on ${on}`)
  tables.set(toPathKey(path), table)
  return table
}

/** Compiles the rows that are joined: the table, or a subquery with the columns that are used. */
function joinedRows(
  { resource, isApart: needsBarrier = false }: JoinedTable,
  columns: ReadonlySet<string>,
  target: Target,
): Sql {
  const from = tableName(resource.table)
  const barrier = shardBarrier(needsBarrier, target)
  if (barrier === undefined) return from
  return sql`(select ${sql.join([...columns].map((column) => sql.id(column)))} from ${from}${barrier})`
}

/** Whether a barrier has to separate the rows of a link from the table of the list. */
function isApart(
  parent: JoinedTable,
  { link, other }: Readonly<{ link: Link; other: Table }>,
  { facts }: Target,
): boolean {
  if (linkCrossesShards(parent.resource.table, link, other, facts)) return true
  return parent.isApart === true && facts.shardingOf(other) !== undefined
}

/** Joins the numbers of related resources, counted once for all rows, and compiles the term. */
function compileCountTerm(
  { path, field: name, nullable }: OrderTerm,
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
  const { table } = getResourceType(target.model, field.to)
  const needsBarrier = isApart(parent, { link: field.link, other: table }, target)
  const barrier = shardBarrier(needsBarrier, target) ?? sql``
  const key = counts.names.map((column) => sql`${alias}.${column}`)
  const isCounted = isEqualKey(key, linkKeyAt(field.link, 'ownKey', parent.column))
  joins.push(() => sql` left join (${counts.select}${barrier}) as ${alias} on ${isCounted}`)
  const number = sql`coalesce(${alias}.number, 0)`
  const exists = sql`${parent.column(parent.resource.id.columns[0])} is not null`
  return nullable ? sql`case when ${exists} then ${number} end` : number
}

function compileTerm(
  { path, field }: OrderTerm,
  { resource, column: columnOf }: JoinedTable,
  target: Target,
): readonly Sql[] {
  if (field === 'id') return idSortKeys(resource.id.columns.map(columnOf), resource.id, target)
  const attribute = getAttribute(resource, field)
  const { expression, column, kind } = attribute
  const value = validValue(expression(columnOf, target.dialect), attribute, target)
  // Without a related row an expression may still compute a value, from nulls.
  const mayComputeFromNulls = column === undefined && path.length > 0
  const exists = sql`${columnOf(resource.id.columns[0])} is not null`
  const safeValue = mayComputeFromNulls ? sql`case when ${exists} then ${value} end` : value
  return [sortKey(safeValue, kind.codec, target)]
}

function compileDirection(descending: boolean, nullable: boolean): string {
  const direction = descending ? 'desc' : 'asc'
  if (!nullable) return direction
  return `${direction} nulls ${descending ? 'first' : 'last'}`
}
