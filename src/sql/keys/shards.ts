import type { Sql } from '../../model/dialect.ts'
import {
  getResourceType,
  type KeyColumns,
  type Link,
  type RelationshipField,
  type ResourceType,
  type Table,
} from '../../model/model.ts'
import type { DatabaseFacts } from '../database-facts.ts'
import type { Target } from '../tables.ts'
import type { JoinLink } from './link-keys.ts'

// Tables whose rows are distributed over several servers by a column, as by Citus. Its planner sends a statement to the servers as it is
// only if what the statement joins is on the same server. It refuses to join other rows, and to run a correlated subquery over
// them; but a subquery that ends with an offset it runs first, and sends its result to all servers. So a subquery over the rows of another
// server ends with the barrier that also keeps PostgreSQL from flattening it. Every relationship is decided alone, from the catalog: a
// table that is not distributed, or is distributed by the same key, needs no barrier.

/** A table, and columns of it that equal those of another. */
interface Side {
  readonly table: Table
  readonly key: KeyColumns
}

/** Whether rows of a table may be on another server than those rows of an outer table whose key they have. */
function crosses(
  outer: Side,
  inner: Side,
  { shardingOf }: Pick<DatabaseFacts, 'shardingOf'>,
): boolean {
  const sharding = shardingOf(inner.table)
  if (sharding === undefined) return false
  const outerSharding = shardingOf(outer.table)
  const at = inner.key.indexOf(sharding.column)
  const isCoLocated =
    outerSharding?.group === sharding.group && at !== -1 && outer.key[at] === outerSharding.column
  return !isCoLocated
}

/** Whether the related rows of a relationship, or the rows of its join table, may be on another server than the row. */
export function linkCrossesShards(
  table: Table,
  link: Link,
  other: Table,
  facts: DatabaseFacts,
): boolean {
  const [own, related] = [
    { table, key: link.ownKey },
    { table: other, key: link.otherKey },
  ]
  if (link.foreignKey !== 'join table') return crosses(own, related, facts)
  const { joinTable, from } = link
  return (
    crosses(own, { table: joinTable, key: from }, facts) || joinCrossesShards(link, other, facts)
  )
}

/** Whether the row that a row of a join table references may be on another server than it. */
export function joinCrossesShards(
  { joinTable, to, otherKey }: JoinLink,
  other: Table,
  facts: DatabaseFacts,
): boolean {
  return crosses({ table: joinTable, key: to }, { table: other, key: otherKey }, facts)
}

/** Whether rows of a join table may be on another server than the row that they reference, whose table is the outer one. */
export function memberCrossesShards(
  { joinTable, to, otherKey }: JoinLink,
  other: Table,
  facts: DatabaseFacts,
): boolean {
  return crosses({ table: other, key: otherKey }, { table: joinTable, key: to }, facts)
}

/** The same for a relationship of a type. */
export function crossesShards(
  { table }: ResourceType,
  { link, to }: RelationshipField,
  { model, facts }: Target,
): boolean {
  return linkCrossesShards(table, link, getResourceType(model, to).table, facts)
}

/** Lists the tables that a relationship reads. */
export function listLinkTables(table: Table, link: Link, other: Table): readonly Table[] {
  return link.foreignKey === 'join table' ? [table, link.joinTable, other] : [table, other]
}

/** The end of a subquery whose rows may be on another server than those around it; `undefined` if they are not. */
export function shardBarrier(
  isNeeded: boolean,
  { dialect }: Pick<Target, 'dialect'>,
): Sql | undefined {
  return isNeeded ? dialect.subqueryBarrier : undefined
}
