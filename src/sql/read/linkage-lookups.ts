import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import {
  getRelationship,
  getResourceType,
  isSameKey,
  type Link,
  type RelationshipField,
  type ResourceType,
} from '../../model/model.ts'
import { findLinkageIndex, type RowLayout } from '../../plan/row-layout.ts'
import { isEqualKey, isInIdList, outerKey, toKey } from '../keys/keys.ts'
import { joinKeyAt, linkKeyAt } from '../keys/link-keys.ts'
import { crossesShards, shardBarrier } from '../keys/shards.ts'
import { compileStatement, rawParam, type Statement } from '../statement.ts'
import { rowsAt } from '../table-function.ts'
import {
  and,
  asId,
  columnAt,
  columnsAt,
  idOrder,
  inScope,
  joinAt,
  joinColumnAt,
  type Target,
  tableAt,
} from '../tables.ts'
import { hasSpellings, isOwnKey } from './linkage.ts'

/** A statement that reads the linkage of a set of rows. */
export interface LinkageRead {
  /** The index of the linkage in a row of the layout. */
  readonly at: number
  readonly many: boolean
  /** Reads pairs of the id of a row and a linked id, ordered by the linked id; takes `ids` and `maxRows`. */
  readonly statement: Statement
}

/** Returns the layout of rows without the linkage that `compileLinkages` reads. */
export function withoutLinkageLookups(layout: RowLayout, target: Target): RowLayout {
  const resource = getResourceType(target.model, layout.type)
  const linkages = layout.linkages.map((linkage) => {
    const isKey = isOwnKey(getRelationship(resource, linkage.relationship), target)
    return isKey ? linkage : { ...linkage, isDerived: true }
  })
  return { ...layout, linkages }
}

/**
 * Compiles the statements that read the linkage of a set of rows: without an index, one scan of a table serves all rows.
 * @param without - relationships whose linkage is read elsewhere
 */
export function compileLinkages(
  layout: RowLayout,
  target: Target,
  without: readonly string[] = [],
): LinkageRead[] {
  const resource = getResourceType(target.model, layout.type)
  return layout.linkages.flatMap(({ relationship, many, isPaged }): LinkageRead[] => {
    const field = getRelationship(resource, relationship)
    if (isPaged || isOwnKey(field, target) || without.includes(relationship)) return []
    return [
      {
        at: findLinkageIndex(layout, relationship),
        many,
        statement: compileLinkage(layout, field, target),
      },
    ]
  })
}

function compileLinkage({ type }: RowLayout, field: RelationshipField, target: Target): Statement {
  const { model, dialect } = target
  const owner = getResourceType(model, type)
  const other = getResourceType(model, field.to)
  const { from, ownerId } = compileLinkedPairs(owner, field, target)
  const isListed = isInIdList(ownerId, 'ids', owner.id, dialect)
  const where = and([isListed, ...inScope(1, other)])
  const id = columnsAt(1, other.id.columns)
  const pair = sql`${asId(ownerId, owner.id, target)}, ${asId(id, other.id, target)}`
  const order = idOrder(1, other.id, target)
  return compileStatement(
    sql`select ${pair} from ${from} where ${where} order by ${order} limit ${rawParam('maxRows')} + 0`,
    dialect,
  )
}

/** Compiles the related rows as `t1`, joined to the rows that own them, and the columns with the ids of the owners. */
export function compileLinkedPairs(
  owner: ResourceType,
  field: RelationshipField,
  target: Target,
): Readonly<{ from: Sql; ownerId: readonly Sql[] }> {
  const { link, to } = field
  const { table } = getResourceType(target.model, to)
  // If the id is the referenced column, the table of the owners need not be joined.
  const isOwnerId = isSameKey(link.ownKey, owner.id.columns) && !hasSpellings(owner, target)
  const crosses = crossesShards(owner, field, target)
  const { owners, links } = crosses
    ? compileListedRows(owner, { link, isOwnerId }, target)
    : { owners: rowsAt(0, owner, target), links: compileJoinRows(link) }
  const others = tableAt(1, table)
  const otherKey = linkKeyAt(link, 'otherKey', 1)
  const [keyed, key, joined] =
    link.foreignKey === 'join table'
      ? [
          links,
          joinKeyAt(link, 'from', 1),
          sql` join ${others} on ${isEqualKey(otherKey, outerKey(joinKeyAt(link, 'to', 1), target.dialect))}`,
        ]
      : [others, otherKey, sql``]
  if (isOwnerId) return { from: sql`${keyed}${joined}`, ownerId: key }
  const isOwner = isEqualKey(outerKey(linkKeyAt(link, 'ownKey', 0), target.dialect), key)
  return {
    from: sql`${owners} join ${keyed} on ${isOwner}${joined}`,
    ownerId: columnsAt(0, owner.id.columns),
  }
}

function compileJoinRows(link: Link): Sql {
  return link.foreignKey === 'join table' ? joinAt(1, link.joinTable) : sql``
}

/** Compiles the listed owners as `t0`, and their rows of the join table as `j1`, for a join with rows of other servers. */
function compileListedRows(
  owner: ResourceType,
  { link, isOwnerId }: Readonly<{ link: Link; isOwnerId: boolean }>,
  target: Target,
): Readonly<{ owners: Sql; links: Sql }> {
  const barrier = shardBarrier(true, target) ?? sql``
  const isListed = (key: readonly Sql[]) => isInIdList(key, 'ids', owner.id, target.dialect)
  const own = [...new Set([...owner.id.columns, ...link.ownKey])].map((name) => columnAt(0, name))
  const selectOwners = (columns: readonly Sql[]) =>
    sql`(select ${sql.join(columns)} from ${rowsAt(0, owner, target)} where ${isListed(columnsAt(0, owner.id.columns))}${barrier})`
  const owners = sql`${selectOwners(own)} as ${sql.id('t0')}`
  if (link.foreignKey !== 'join table') return { owners, links: sql`` }
  const from = joinKeyAt(link, 'from', 1)
  const isFrom = isOwnerId
    ? isListed(from)
    : sql`${toKey(from)} in ${selectOwners(linkKeyAt(link, 'ownKey', 0))}`
  const columns = [...new Set([...link.from, ...link.to])].map((name) => joinColumnAt(1, name))
  const links = sql`(select ${sql.join(columns)} from ${joinAt(1, link.joinTable)} where ${isFrom}${barrier}) as ${sql.id('j1')}`
  return { owners, links }
}
