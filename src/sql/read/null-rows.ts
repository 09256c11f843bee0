import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import { getRelationship, getResourceType, type ResourceType } from '../../model/model.ts'
import type { OrderTerm } from '../../plan/sort.ts'
import { and, type Target } from '../tables.ts'
import { isOwnKey } from './linkage.ts'

// The rows in which a sort key of a related resource is null: those whose foreign key is null, at one of the relationships of the path,
// and those whose related resource has no value. As one condition, `s1.name is null`, they are found by reading the list in its order
// until the page is full: all of it if few rows match. Each part of the union is found by an index: of the foreign key, or of the
// attribute. The union lacks the rows whose key references no row, so it replaces the condition only where a key is trusted to reference
// one (docs/decisions/0057).
//
// Where many related resources have no value, the list in its order is the faster way: a page of it ends soon, and the union would sort
// all of them. PostgreSQL knows from its statistics how many there are, and chooses. SQLite counts them, up to a limit.

/** The rows in which the first key of an order is null, as disjoint conditions. */
export interface NullRows {
  /** The foreign key of the row is null. */
  readonly unrelated: readonly Sql[]
  /** There is a related row, and a later foreign key of the path or the attribute is null; by indexes of the related tables. */
  readonly related: readonly Sql[]
  /** All rows of `related`, by the list in its order. */
  readonly relatedInOrder: Sql
}

/** A table on a relationship path: that of the list first. */
interface PathTable {
  readonly resource: ResourceType
  readonly column: (name: string) => Sql
}

/** With more, the statement would grow with the length of the path. */
const maxConditions = 4

/** The related rows that SQLite finds by indexes and sorts; if there are more, it reads the list in its order. */
const maxSorted = 1000

/**
 * Compiles the rows in which a term is null.
 * @param tables - of its path, with that of the list
 * @param value - the expression of the term
 * @returns `undefined` if only its expression tells
 */
export function compileNullRows(
  { path, field, isCount = false }: OrderTerm,
  tables: readonly PathTable[],
  value: Sql,
  target: Target,
): NullRows | undefined {
  const [list] = tables
  const last = tables.at(-1)
  if (list === undefined || last === undefined || path.length === 0 || isCount) return undefined
  if (findUntrustedKey(path, list.resource, target) !== undefined) return undefined
  if (tables.some(({ resource }) => target.facts.shardingOf(resource.table))) return undefined
  const keys = path.map((name, at) => {
    const { resource, column } = tables[at] ?? list
    return getRelationship(resource, name).link.ownKey.map(column)
  })
  const [unrelated = [], ...later] = keys.map(listNulls)
  const isNull = sql`${value} is null`
  const related = [
    ...later.flatMap((nulls, at) => nulls.map((each) => and([isPresent(tables[at + 1]), each]))),
    ...(field === 'id' ? [] : [and([isPresent(last), isNull])]),
  ]
  if (unrelated.length + related.length > maxConditions) return undefined
  // The plus keeps the index of the key from being the order in which the list is read.
  const isLinked = (keys[0] ?? []).map((column) => sql`+${column} is not null`)
  return { unrelated, related, relatedInOrder: and([...isLinked, isNull]) }
}

/** A relationship of a sort whose key does not tell whether there is a related row. */
export interface UntrustedKey {
  readonly owner: ResourceType
  readonly name: string
}

/**
 * Finds the first relationship of a path whose key does not tell whether there is a related row: one of the other table, one that is
 * not trusted, and one of a row that may be hidden.
 */
export function findUntrustedKey(
  path: readonly string[],
  resource: ResourceType,
  target: Target,
): UntrustedKey | undefined {
  const [name, ...rest] = path
  if (name === undefined) return undefined
  const field = getRelationship(resource, name)
  if (!isOwnKey(field, target)) return { owner: resource, name }
  return findUntrustedKey(rest, getResourceType(target.model, field.to), target)
}

/** The disjoint conditions under which one of several columns is null. */
function listNulls(columns: readonly Sql[]): Sql[] {
  return columns.map((column, at) =>
    and([
      ...columns.slice(0, at).map((earlier) => sql`${earlier} is not null`),
      sql`${column} is null`,
    ]),
  )
}

/** Compiles whether there is a row in a joined table, so that the database may start there. */
function isPresent(table: PathTable | undefined): Sql {
  return table ? sql`${table.column(table.resource.id.columns[0])} is not null` : sql`true`
}

/** Compiles a query of some of the rows, with the number of its rows at most. */
type CompilePart = (condition: Sql, limit: Sql) => Sql

/**
 * Compiles the rows in which a key is null as one query.
 * @param compilePart - compiles the rows with a condition, sorted
 * @param orderBy - the order of the rows, by the names of their columns
 */
export function mergeNullRows(
  { unrelated, related, relatedInOrder }: NullRows,
  compilePart: CompilePart,
  { limit, orderBy }: Readonly<{ limit: Sql; orderBy: Sql }>,
  { dialect }: Target,
): Sql {
  const compileAll = (conditions: readonly Sql[], most: Sql) =>
    conditions.map((each) => compilePart(each, most))
  const inParts = dialect.knowsNulls
    ? compileAll(related, limit)
    : [
        ...compileAll(related, sql`case when ${areFew} then ${limit} else 0 end`),
        ...(related.length > 0
          ? [compilePart(relatedInOrder, sql`case when ${areFew} then 0 else ${limit} end`)]
          : []),
      ]
  const parts = [...compileAll(unrelated, limit), ...inParts]
  const [first] = parts
  if (first && parts.length === 1) return first
  const queries = parts.map((part, at) => sql`select * from (${part}) as ${sql.id(`n${at}`)}`)
  return sql`${sql.join(queries, sql.raw(' union all '))} order by ${orderBy} limit ${limit}`
}

const areFew = sql`(select number from lapidary_related) < ${sql.lit(maxSorted)}`

/**
 * Compiles the clause that counts the related rows once for all parts, up to a limit; nothing where the database knows.
 * @param from - the tables
 */
export function countRelatedNulls({ related }: NullRows, from: Sql, { dialect }: Target): Sql {
  if (dialect.knowsNulls || related.length === 0) return sql``
  const limit = sql` limit ${sql.lit(maxSorted)}`
  const queries = related.map(
    (condition) => sql`select * from (select 1 from ${from} where ${condition}${limit})`,
  )
  const rows = sql.join(queries, sql.raw(' union all '))
  return sql`with lapidary_related (number) as materialized (select count(*) from (${rows})) `
}
