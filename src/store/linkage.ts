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

/** The sets of rows that are told before those of a step and may hold some of them; −1 is the primary one. */
export function earlierRowSets(
  { includeEdges, type }: ReadShape,
  index: number,
): readonly number[] {
  const to = includeEdges[index]?.to
  const earlier = includeEdges.slice(0, index).flatMap((other, at) => (other.to === to ? [at] : []))
  return to === type && !includeEdges.some(startsAtLinkage) ? [-1, ...earlier] : earlier
}

/**
 * Whether the rows that a step includes tell the linkage that it follows: they are all that a relationship of the primary
 * rows leads to, and each is led to from one of them alone. Then the database looks for the rows once, not for their ids as
 * well.
 */
export function isLinkageFromIncluded(shape: ReadShape, index: number, model: Model): boolean {
  const step = shape.includeEdges[index]
  if (step?.parent !== -1 || startsAtLinkage(step) || !step.many) return false
  const resource = getResourceType(model, shape.type)
  const { link } = getRelationship(resource, step.relationship)
  const isFromOne = link.foreignKey === 'other' && link.ownKey === resource.id.column
  return isFromOne && earlierRowSets(shape, index).length === 0
}

/** The layout of primary rows that are read without the linkage that included rows tell. */
export function withoutDerivedLinkage(shape: ReadShape, model: Model): RowLayout {
  const told = shape.includeEdges
    .filter((_, index) => isLinkageFromIncluded(shape, index, model))
    .map(({ relationship }) => relationship)
  const linkages = shape.primary.linkages.map((linkage) =>
    told.includes(linkage.relationship) ? { ...linkage, isDerived: true } : linkage,
  )
  return { ...shape.primary, linkages }
}

/** Reads the linkage of a whole set of rows by one statement. */
export interface LinkageRead {
  /** Where a row of the layout holds the linkage. */
  readonly at: number
  readonly many: boolean
  /** Pairs of the id of a row and one that it is linked to, the latter in order; takes `ids` and `most`. */
  readonly statement: Statement
}

/** Whether a foreign key in the row is the linkage itself, unless its resource may be none of the type. */
export function isOwnKey({ link, to, many }: RelationshipField, model: Model): boolean {
  const other = getResourceType(model, to)
  return (
    !many &&
    link.foreignKey === 'own' &&
    link.otherKey === other.id.column &&
    other.scope === undefined
  )
}

/** The layout of rows that are read without the linkage that `compileLinkages` reads for all of them together. */
export function withoutLinkageLookups(layout: RowLayout, model: Model): RowLayout {
  const resource = getResourceType(model, layout.type)
  const linkages = layout.linkages.map((linkage) => {
    const isKey = isOwnKey(getRelationship(resource, linkage.relationship), model)
    return isKey ? linkage : { ...linkage, isDerived: true }
  })
  return { ...layout, linkages }
}

/**
 * Writes the statements that read the linkage of rows of a layout by sets: one scan of a table serves all rows where no
 * index does.
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
        statement: linkageOf(layout, field, target),
      },
    ]
  })
}

function linkageOf(
  { type }: RowLayout,
  { link, to }: RelationshipField,
  target: Target,
): Statement {
  const { model, dialect } = target
  const owner = getResourceType(model, type)
  const other = getResourceType(model, to)
  const owners = listParam('ids', owner.id.kind.codec, dialect)
  const there = columnAt(1, link.otherKey)
  const others = tableAt(1, other.table)
  // Where the id itself is what others refer to, the table of the rows need not be read again.
  const isId = link.ownKey === owner.id.column
  const key = link.foreignKey === 'join table' ? joinColumnAt(1, link.from) : there
  const [ownerId, rows] = isId
    ? [key, sql``]
    : [columnAt(0, owner.id.column), sql`${tableAt(0, owner.table)} join `]
  const isHere = isId ? [] : [sql`${columnAt(0, link.ownKey)} = ${key}`]
  const from =
    link.foreignKey === 'join table'
      ? sql`${rows}${joinAt(1, link.joinTable)}${isHere.length > 0 ? sql` on ${and(isHere)}` : sql``} join ${others} on ${there} = ${joinColumnAt(1, link.to)}`
      : sql`${rows}${others}${isHere.length > 0 ? sql` on ${and(isHere)}` : sql``}`
  const where = and([dialect.inList(ownerId, owners), ...inScope(1, other)])
  const id = columnAt(1, other.id.column)
  const pair = sql`${asKey(ownerId, owner.id.kind.codec, target)}, ${asKey(id, other.id.kind.codec, target)}`
  const order = sortKey(id, other.id.kind.codec, target)
  return compileStatement(
    sql`select ${pair} from ${from} where ${where} order by ${order} limit ${rawParam('maxRows')} + 0`,
    dialect,
  )
}
