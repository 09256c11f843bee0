import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import type { KeyColumns, Link, Table } from '../../model/model.ts'
import { and, columnAt, joinAt, joinColumnAt, type Target } from '../tables.ts'
import { isKeyPresent, toKey } from './keys.ts'

// The keys of links as operands of comparisons: all SQL that compares or groups them gets them from here. Where a column of SQLite has
// another collation than the column that it references, both are compared by the collation of the referenced column, as SQLite
// compares foreign keys (docs/decisions/0057). Where a row set or a result contains a key, it is a plain column.

/** A link over a join table. */
export type JoinLink = Extract<Link, { foreignKey: 'join table' }>

/** Compiles a column of a table; a number stands for the table of this depth. */
type Columns = number | ((column: string) => Sql)

/** Compiles the own or the other key of a link for a comparison. */
export function linkKeyAt(link: Link, key: 'ownKey' | 'otherKey', at: Columns): Sql[] {
  const column = typeof at === 'number' ? (name: string) => columnAt(at, name) : at
  return compareBy(link[key], link.collations?.[key], column)
}

/** Compiles a key of the join table of a link for a comparison. */
export function joinKeyAt(link: JoinLink, key: 'from' | 'to', at: Columns): Sql[] {
  const column = typeof at === 'number' ? (name: string) => joinColumnAt(at, name) : at
  return compareBy(link[key], link.collations?.[key], column)
}

function compareBy(
  columns: KeyColumns,
  collations: readonly (string | undefined)[] | undefined,
  column: (name: string) => Sql,
): Sql[] {
  return columns.map((name, index) => collate(column(name), collations?.[index]))
}

/** Compiles a column with the collation by which it is compared; `undefined` for its own. */
export function collate(column: Sql, collation: string | undefined): Sql {
  return collation === undefined ? column : sql`${column} collate ${sql.raw(collation)}`
}

/**
 * Compiles whether the row of `t<depth>` is linked from the row with a key.
 * @param barrier - ends a subquery over the join table (`shardBarrier`)
 */
export function isLinkedFrom(depth: number, link: Link, ownKey: Sql, barrier: Sql = sql``): Sql {
  const otherKey = toKey(linkKeyAt(link, 'otherKey', depth))
  if (link.foreignKey !== 'join table') return sql`${otherKey} = ${ownKey}`
  const from = sql`${toKey(joinKeyAt(link, 'from', depth))} = ${ownKey}`
  return sql`${otherKey} in (select ${sql.join(joinKeyAt(link, 'to', depth))} from ${joinAt(depth, link.joinTable)} where ${from}${barrier})`
}

/** The options of a condition on the keys of a subquery. */
interface LinkedFromAny {
  /** The key of the row; absent: that of `t<depth>`. */
  readonly otherKey?: Sql
  /** Ends the subquery, and one over the join table (`shardBarrier`). */
  readonly barrier?: Sql | undefined
}

/** Compiles whether the row of `t<depth>` is linked from a row with one of the keys of a subquery. */
export function isLinkedFromAny(
  depth: number,
  link: Link,
  ownKeys: Sql,
  { otherKey = toKey(linkKeyAt(link, 'otherKey', depth)), barrier = sql`` }: LinkedFromAny = {},
): Sql {
  if (link.foreignKey !== 'join table') return sql`${otherKey} in (${ownKeys}${barrier})`
  const to = joinKeyAt(link, 'to', depth)
  const from = sql`${toKey(joinKeyAt(link, 'from', depth))} in (${ownKeys}${barrier})`
  const where = and([...isKeyPresent(to), from])
  return sql`${otherKey} in (select ${sql.join(to)} from ${joinAt(depth, link.joinTable)} where ${where}${barrier})`
}

/** Whether an index finds the rows of a table by a key of a link, in the order in which the key is compared. */
export function isKeyIndexed(
  table: Table,
  link: Link,
  key: 'ownKey' | 'otherKey',
  { facts }: Target,
): boolean {
  return facts.isIndexed(table, link[key], link.collations?.[key])
}

/** The same for a key of the join table. */
export function isJoinKeyIndexed(link: JoinLink, key: 'from' | 'to', { facts }: Target): boolean {
  return facts.isIndexed(link.joinTable, link[key], link.collations?.[key])
}
