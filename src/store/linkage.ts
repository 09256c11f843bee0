import { sql } from 'kysely'
import {
  getRelationship,
  getResourceType,
  type Model,
  type RelationshipField,
} from '../model/model.ts'
import { startsAtLinkage } from '../plan/projection.ts'
import type { ReadShape } from '../plan/read.ts'
import { findLinkageIndex, type RowLayout } from '../plan/row-layout.ts'
import { compileStatement, listParam, rawParam, type Statement } from './statement.ts'
import {
  and,
  asKey,
  columnAt,
  inScope,
  joinAt,
  joinColumnAt,
  sortKey,
  type Target,
  tableAt,
} from './tables.ts'

/** Lists the row sets that precede that of an include edge and may contain the same rows: include edges, and −1 for the primary data. */
export function earlierRowSets(
  { includeEdges, type }: ReadShape,
  index: number,
): readonly number[] {
  const to = includeEdges[index]?.to
  const earlier = includeEdges.slice(0, index).flatMap((other, at) => (other.to === to ? [at] : []))
  return to === type && !includeEdges.some(startsAtLinkage) ? [-1, ...earlier] : earlier
}

/**
 * Whether the linkage of an include edge follows from its included rows (docs/decisions/0033): they are the complete linkage of
 * a relationship of the primary rows, and each belongs to one primary row. Then the database reads the rows, but not their ids
 * once more.
 */
export function isLinkageFromIncluded(shape: ReadShape, index: number, model: Model): boolean {
  const edge = shape.includeEdges[index]
  if (edge?.parent !== -1 || startsAtLinkage(edge) || !edge.many) return false
  const resource = getResourceType(model, shape.type)
  const { link } = getRelationship(resource, edge.relationship)
  const hasOneOwner = link.foreignKey === 'other' && link.ownKey === resource.id.column
  return hasOneOwner && earlierRowSets(shape, index).length === 0
}

/** Returns the layout of primary rows without the linkage that follows from included rows. */
export function withoutDerivedLinkage(shape: ReadShape, model: Model): RowLayout {
  const derived = shape.includeEdges
    .filter((_, index) => isLinkageFromIncluded(shape, index, model))
    .map(({ relationship }) => relationship)
  const linkages = shape.primary.linkages.map((linkage) =>
    derived.includes(linkage.relationship) ? { ...linkage, isDerived: true } : linkage,
  )
  return { ...shape.primary, linkages }
}

/** A statement that reads the linkage of a set of rows. */
export interface LinkageRead {
  /** The index of the linkage in a row of the layout. */
  readonly at: number
  readonly many: boolean
  /** Reads pairs of the id of a row and a linked id, ordered by the latter; takes `ids` and `maxRows`. */
  readonly statement: Statement
}

/** Whether a foreign key of the row is the linkage itself; not if the type has a scope that the other row may not match. */
export function isOwnKey({ link, to, many }: RelationshipField, model: Model): boolean {
  const other = getResourceType(model, to)
  return (
    !many &&
    link.foreignKey === 'own' &&
    link.otherKey === other.id.column &&
    other.scope === undefined
  )
}

/** Returns the layout of rows without the linkage that `compileLinkages` reads. */
export function withoutLinkageLookups(layout: RowLayout, model: Model): RowLayout {
  const resource = getResourceType(model, layout.type)
  const linkages = layout.linkages.map((linkage) => {
    const isKey = isOwnKey(getRelationship(resource, linkage.relationship), model)
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
  return layout.linkages.flatMap(({ relationship, many }): LinkageRead[] => {
    const field = getRelationship(resource, relationship)
    if (isOwnKey(field, target.model) || without.includes(relationship)) return []
    return [
      {
        at: findLinkageIndex(layout, relationship),
        many,
        statement: compileLinkage(layout, field, target),
      },
    ]
  })
}

function compileLinkage(
  { type }: RowLayout,
  { link, to }: RelationshipField,
  target: Target,
): Statement {
  const { model, dialect } = target
  const owner = getResourceType(model, type)
  const other = getResourceType(model, to)
  const owners = listParam('ids', owner.id.kind.codec, dialect)
  const otherKey = columnAt(1, link.otherKey)
  const others = tableAt(1, other.table)
  // If the id is the referenced column, the table of the owners need not be joined.
  const isId = link.ownKey === owner.id.column
  const key = link.foreignKey === 'join table' ? joinColumnAt(1, link.from) : otherKey
  const [ownerId, ownerTable] = isId
    ? [key, sql``]
    : [columnAt(0, owner.id.column), sql`${tableAt(0, owner.table)} join `]
  const ownerJoin = isId ? [] : [sql`${columnAt(0, link.ownKey)} = ${key}`]
  const from =
    link.foreignKey === 'join table'
      ? sql`${ownerTable}${joinAt(1, link.joinTable)}${ownerJoin.length > 0 ? sql` on ${and(ownerJoin)}` : sql``} join ${others} on ${otherKey} = ${joinColumnAt(1, link.to)}`
      : sql`${ownerTable}${others}${ownerJoin.length > 0 ? sql` on ${and(ownerJoin)}` : sql``}`
  const where = and([dialect.inList(ownerId, owners), ...inScope(1, other)])
  const id = columnAt(1, other.id.column)
  const pair = sql`${asKey(ownerId, owner.id.kind.codec, target)}, ${asKey(id, other.id.kind.codec, target)}`
  const order = sortKey(id, other.id.kind.codec, target)
  return compileStatement(
    sql`select ${pair} from ${from} where ${where} order by ${order} limit ${rawParam('maxRows')} + 0`,
    dialect,
  )
}
