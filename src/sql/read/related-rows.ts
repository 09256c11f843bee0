import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import { getResourceType, type RelationshipField } from '../../model/model.ts'
import { isEqualKey, isKeyPresent, nameColumns, outerKey, toKey } from '../keys/keys.ts'
import {
  isJoinKeyIndexed,
  isKeyIndexed,
  isLinkedFrom,
  joinKeyAt,
  linkKeyAt,
} from '../keys/link-keys.ts'
import { joinCrossesShards, shardBarrier } from '../keys/shards.ts'
import { and, inScope, type Target, tableAt, tableName } from '../tables.ts'

/** Compiles all related rows of a relationship as `t1`, each with the key of the row that it is linked to. */
export function compileLinkedRows(
  { link, to }: RelationshipField,
  target: Target,
): Readonly<{ key: readonly Sql[]; from: Sql }> {
  const { model, dialect } = target
  const otherKey = linkKeyAt(link, 'otherKey', 1)
  const { table } = getResourceType(model, to)
  const others = tableAt(1, table)
  if (link.foreignKey !== 'join table') return { key: otherKey, from: others }
  const { joinTable } = link
  const names = [...link.from, ...link.to].map((column) => sql.id(column))
  const keys = (['from', 'to'] as const).flatMap((key) => joinKeyAt(link, key, sql.id))
  const columns = sql.join(
    link.collations ? keys.map((key, index) => sql`${key} as ${names[index]}`) : names,
  )
  const barrier = shardBarrier(joinCrossesShards(link, table, target.facts), target) ?? sql``
  const pairs = sql`(select distinct ${columns} from ${tableName(joinTable)}${barrier}) as ${sql.id('j1')}`
  return {
    key: joinKeyAt(link, 'from', 1),
    from: sql`${pairs} join ${others} on ${isEqualKey(otherKey, outerKey(joinKeyAt(link, 'to', 1), dialect))}`,
  }
}

/** Whether an index finds the related rows by the key of a row. */
export function isFoundByKey({ link, to }: RelationshipField, target: Target): boolean {
  return link.foreignKey === 'join table'
    ? isJoinKeyIndexed(link, 'from', target)
    : isKeyIndexed(getResourceType(target.model, to).table, link, 'otherKey', target)
}

/** Which keys `compileCounts` counts. */
interface CountedKeys {
  /** A condition on the key of a group. */
  readonly where?: (key: Sql) => Sql
  /** A condition on the number of a group. */
  readonly having?: (count: Sql) => Sql
}

/** The numbers of related resources by key. */
interface RelatedCounts {
  /** The query. */
  readonly select: Sql
  /** The names of the columns of the key in its result. The number is in `number`. */
  readonly names: readonly Sql[]
}

/**
 * Compiles the query for the number of related resources by key, which visits each related row once. A key without related
 * resources is not in it.
 */
export function compileCounts(
  field: RelationshipField,
  target: Target,
  { where, having }: CountedKeys = {},
): RelatedCounts {
  const other = getResourceType(target.model, field.to)
  const { key, from } = compileLinkedRows(field, target)
  const conditions = and([
    ...isKeyPresent(key),
    ...(where ? [where(toKey(key))] : []),
    ...inScope(1, other),
  ])
  const { names, select } = nameColumns('key', key)
  const group = having ? sql` having ${having(sql`count(*)`)}` : sql``
  return {
    select: sql`select ${select}, count(*) as number from ${from} where ${conditions} group by ${sql.join(key)}${group}`,
    names,
  }
}

/** Compiles the number of the related resources of `t0`, which an index finds by its key. */
export function compileIndexedCount(field: RelationshipField, target: Target): Sql {
  const { link, to } = field
  const other = getResourceType(target.model, to)
  const ownKey = toKey(linkKeyAt(link, 'ownKey', 0))
  const where = and([isLinkedFrom(1, link, ownKey), ...inScope(1, other)])
  return sql`(select count(*) from ${tableAt(1, other.table)} where ${where})`
}
