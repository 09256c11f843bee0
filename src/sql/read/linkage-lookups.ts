import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import {
  getRelationship,
  getResourceType,
  isSameKey,
  type RelationshipField,
  type ResourceType,
} from '../../model/model.ts'
import { findLinkageIndex, type RowLayout } from '../../plan/row-layout.ts'
import { isEqualKey, isInIdList, outerKey } from '../keys/keys.ts'
import { joinKeyAt, linkKeyAt } from '../keys/link-keys.ts'
import { compileStatement, rawParam, type Statement } from '../statement.ts'
import { rowsAt } from '../table-function.ts'
import { and, asId, columnsAt, idOrder, inScope, joinAt, type Target, tableAt } from '../tables.ts'
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
  { link, to }: RelationshipField,
  target: Target,
): Readonly<{ from: Sql; ownerId: readonly Sql[] }> {
  const others = tableAt(1, getResourceType(target.model, to).table)
  const otherKey = linkKeyAt(link, 'otherKey', 1)
  const [keyed, key, joined] =
    link.foreignKey === 'join table'
      ? [
          joinAt(1, link.joinTable),
          joinKeyAt(link, 'from', 1),
          sql` join ${others} on ${isEqualKey(otherKey, outerKey(joinKeyAt(link, 'to', 1), target.dialect))}`,
        ]
      : [others, otherKey, sql``]
  // If the id is the referenced column, the table of the owners need not be joined.
  if (isSameKey(link.ownKey, owner.id.columns) && !hasSpellings(owner, target))
    return { from: sql`${keyed}${joined}`, ownerId: key }
  const isOwner = isEqualKey(outerKey(linkKeyAt(link, 'ownKey', 0), target.dialect), key)
  return {
    from: sql`${rowsAt(0, owner, target)} join ${keyed} on ${isOwner}${joined}`,
    ownerId: columnsAt(0, owner.id.columns),
  }
}
