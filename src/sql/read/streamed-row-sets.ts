import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import {
  getRelationship,
  getResourceType,
  type RelationshipField,
  type ResourceType,
  reverseLink,
  type Table,
} from '../../model/model.ts'
import { collectConditions } from '../../plan/affected-types.ts'
import { getIncludeEdge, primaryRowSet, startsAtLinkage } from '../../plan/include.ts'
import type { ReadShape } from '../../plan/read.ts'
import { isEqualKey, isKeyPresent, outerKey } from '../keys/keys.ts'
import {
  isJoinKeyIndexed,
  isKeyIndexed,
  isLinkedFromAny,
  joinKeyAt,
  linkKeyAt,
} from '../keys/link-keys.ts'
import { linkCrossesShards, listLinkTables, shardBarrier } from '../keys/shards.ts'
import { rowsAt } from '../table-function.ts'
import { and, inScope, joinAt, keyAt, type Target } from '../tables.ts'
import { isUnbounded } from './document-budget.ts'
import { earlierRowSets } from './linkage.ts'
import { isPrimary } from './page.ts'
import { isFoundByKey } from './related-rows.ts'

// Row sets for streams. A row set is the primary rows, or the rows that an include edge reaches. A stream collects no ids, so each row
// set is a condition over the condition of the primary data, and excludes the rows of earlier sets.

/** Compiles whether `t0` is a row that an include edge adds: one that is in no earlier row set. */
export function isAdded(shape: ReadShape, index: number, target: Target): Sql[] {
  const excluded = earlierRowSets(shape, index).map((earlier) =>
    isNotInRowSet(shape, earlier, target),
  )
  return [...isInRowSet(shape, index, 0, target), ...excluded]
}

/**
 * Compiles whether `t0` is not in an earlier row set of the same type.
 *
 * PostgreSQL runs `in (…) is not true` once for each row if the set is larger than `hash_mem`. It executes `not exists` as an
 * anti-join, which has no such limit. SQLite is the opposite: it executes `not exists` once for each row.
 */
function isNotInRowSet(shape: ReadShape, index: number, target: Target): Sql {
  const edge = shape.includeEdges[index]
  const isPrimarySet = edge === undefined || startsAtLinkage(edge)
  const isSimple = isPrimarySet && !hasSubquery(shape, target)
  if (!target.dialect.hasAntiJoins || isSimple || isFromShards(shape, index, target))
    return sql`(${and(isInRowSet(shape, index, 0, target))}) is not true`
  const source = getResourceType(target.model, isPrimarySet ? shape.type : edge.type)
  if (isPrimarySet) {
    const isSame = sql`${keyAt(1, source.id.columns)} = ${keyAt(0, source.id.columns)}`
    const where = and([isSame, ...isPrimary(shape, 1, target)])
    return sql`not exists (select 1 from ${rowsAt(1, source, target)} where ${where})`
  }
  const field = getRelationship(source, edge.relationship)
  const conditions = isInRowSet(shape, edge.parent, 1, target)
  return sql`not ${isReachableFromRow(source, field, { depth: 0, conditions, target })}`
}

/** Whether the rows of an include edge, or of the primary data, are those of distributed tables: no subquery may be correlated to them. */
function isFromShards(
  { includeEdges, type }: ReadShape,
  index: number,
  { model, facts }: Target,
): boolean {
  const edge = includeEdges[index]
  const { table } = getResourceType(model, edge?.type ?? type)
  const isSharded = (each: Table) => facts.shardingOf(each) !== undefined
  if (edge === undefined || startsAtLinkage(edge)) return isSharded(table)
  const { link, to } = getRelationship(getResourceType(model, edge.type), edge.relationship)
  return listLinkTables(table, link, getResourceType(model, to).table).some(isSharded)
}

/** Whether the condition of the primary data contains a subquery, which may have any number of rows. */
function hasSubquery({ type, isPaged, addressed, where }: ReadShape, { model }: Target): boolean {
  if (isPaged || addressed.is === 'related') return true
  const conditions = collectConditions(where, getResourceType(model, type), model)
  return conditions.some(([, condition]) => 'relationship' in condition || condition.is === 'call')
}

/**
 * Compiles whether a row of `t<depth>` is in the row set of an include edge, or of the primary data. For an edge from a complete
 * list with an index, each row is looked up in the list, so that the first rows are found at once. For other edges the keys are
 * read once: lookups would multiply with every edge.
 */
function isInRowSet(shape: ReadShape, index: number, depth: number, target: Target): Sql[] {
  if (index === primaryRowSet) return isPrimary(shape, depth, target)
  const edge = getIncludeEdge(shape, index)
  // If the primary data is linkage, the first edge includes the rows of the linkage itself.
  if (startsAtLinkage(edge)) return isPrimary(shape, depth, target)
  const source = getResourceType(target.model, edge.type)
  const field = getRelationship(source, edge.relationship)
  const conditions = isInRowSet(shape, edge.parent, depth + 1, target)
  const isLookup =
    edge.parent === primaryRowSet &&
    isUnbounded(shape) &&
    isSourceIndexed(source, field, target) &&
    !isFromShards(shape, index, target)
  const isReachable = isLookup
    ? isReachableFromRow(source, field, { depth, conditions, target })
    : isReachableFromSet(source, field, { depth, conditions, target })
  return [isReachable, ...inScope(depth, getResourceType(target.model, edge.to))]
}

/** The rows from which an include edge starts. */
interface SourceRows {
  /** The depth of the included rows; the source rows are one deeper. */
  readonly depth: number
  readonly conditions: readonly Sql[]
  readonly target: Target
}

/** Compiles whether there is a source row for the row of `t<depth>`. */
function isReachableFromRow(
  resource: ResourceType,
  { link }: RelationshipField,
  { depth, conditions, target }: SourceRows,
): Sql {
  const { dialect } = target
  const ownKey = linkKeyAt(link, 'ownKey', depth + 1)
  const otherKey = outerKey(linkKeyAt(link, 'otherKey', depth), dialect)
  const from = rowsAt(depth + 1, resource, target)
  if (link.foreignKey !== 'join table')
    return sql`exists (select 1 from ${from} where ${and([isEqualKey(ownKey, otherKey), ...conditions])})`
  const isFrom = isEqualKey(outerKey(joinKeyAt(link, 'from', depth), dialect), ownKey)
  const isTo = isEqualKey(joinKeyAt(link, 'to', depth), otherKey)
  const join = joinAt(depth, link.joinTable)
  return sql`exists (select 1 from ${join} join ${from} on ${isFrom} where ${and([isTo, ...conditions])})`
}

/** Whether an index finds the source rows of a relationship by a related row. */
function isSourceIndexed(
  { table }: ResourceType,
  { link }: RelationshipField,
  target: Target,
): boolean {
  return (
    isKeyIndexed(table, link, 'ownKey', target) &&
    (link.foreignKey !== 'join table' || isJoinKeyIndexed(link, 'to', target))
  )
}

/**
 * Compiles whether the key of the row of `t<depth>` is one of the keys of the source rows.
 *
 * If PostgreSQL flattens nested sets of few keys that many rows share, it expects a few rows instead of thousands, and joins them
 * row by row. So it plans a set alone whose rows are found by a scan; with an index it looks up each key.
 */
function isReachableFromSet(
  resource: ResourceType,
  relationship: RelationshipField,
  { depth, conditions, target }: SourceRows,
): Sql {
  const { link } = relationship
  const ownKey = linkKeyAt(link, 'ownKey', depth + 1)
  const where = and([...isKeyPresent(ownKey), ...conditions])
  const { table } = getResourceType(target.model, relationship.to)
  const crosses = linkCrossesShards(table, reverseLink(link), resource.table, target.facts)
  const barrier = shardBarrier(crosses, target)
  const isScanned = !crosses && !isFoundByKey(relationship, target)
  const scanBarrier = (isScanned && target.dialect.subqueryBarrier) || sql``
  const ownKeys = sql`select ${sql.join(ownKey)} from ${rowsAt(depth + 1, resource, target)} where ${where}${scanBarrier}`
  return isLinkedFromAny(depth, link, ownKeys, { barrier })
}
