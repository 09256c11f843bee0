import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import {
  getRelationship,
  getResourceType,
  isSameKey,
  type RelationshipField,
  type ResourceType,
  reverseLink,
} from '../../model/model.ts'
import { maxCappedCount } from '../../plan/page.ts'
import type { ReadShape } from '../../plan/read.ts'
import { compileCondition } from '../filter/filter.ts'
import { idParam } from '../keys/keys.ts'
import { isLinkedFrom, isLinkedFromAny, linkKeyAt } from '../keys/link-keys.ts'
import { linkCrossesShards, shardBarrier } from '../keys/shards.ts'
import { rawParam } from '../statement.ts'
import { rowsAt } from '../table-function.ts'
import { and, inScope, isRowInScope, matchesRequestedId, type Target } from '../tables.ts'
import { hasSpellings } from './linkage.ts'

/** Compiles the conditions of the primary data for `t<depth>`, without the page. */
export function primaryConditions(shape: ReadShape, depth: number, target: Target): Sql[] {
  const resource = getResourceType(target.model, shape.type)
  const isRow = shape.addressed.is === 'one' && depth === 0
  return [
    ...(shape.addressed.is === 'one' ? [matchesRequestedId(resource, depth, target)] : []),
    ...(shape.addressed.is === 'related' ? [isRelated(shape.addressed, depth, target)] : []),
    ...(isRow ? isRowInScope(resource) : inScope(depth, resource)),
    ...(shape.where ? [compileCondition(shape.where, { resource, depth }, target)] : []),
  ]
}

/** Compiles whether the row of `t<depth>` is related to the resource in the path. */
function isRelated(
  { type, relationship }: Extract<ReadShape['addressed'], { is: 'related' }>,
  depth: number,
  target: Target,
): Sql {
  const resource = getResourceType(target.model, type)
  const field = getRelationship(resource, relationship)
  const { link } = field
  const isKeyInPath =
    isSameKey(link.ownKey, resource.id.columns) &&
    resource.scope === undefined &&
    !target.facts.mayHide(resource.table) &&
    !hasSpellings(resource, target) &&
    isPathReferenced(field, target)
  const { table } = getResourceType(target.model, field.to)
  const crosses = linkCrossesShards(table, reverseLink(link), resource.table, target.facts)
  const barrier = shardBarrier(crosses, target)
  if (isKeyInPath)
    return isLinkedFrom(depth, link, idParam('id', resource.id, target.dialect), barrier)
  const inner = depth + 1
  const where = and([matchesRequestedId(resource, inner, target), ...inScope(inner, resource)])
  const ownKeys = sql`select ${sql.join(linkKeyAt(link, 'ownKey', inner))} from ${rowsAt(inner, resource, target)} where ${where}`
  return isLinkedFromAny(depth, link, ownKeys, { barrier })
}

/**
 * Whether only existing resources can have related rows, so that the rows need not be looked up through the resource in the path: a
 * key that leads nowhere must not give the related resources of a resource that does not exist (docs/decisions/0057).
 */
function isPathReferenced(field: RelationshipField, { facts }: Target): boolean {
  return field.link.foreignKey !== 'own' && facts.isEnforced(field)
}

/** Compiles the condition that the resource in the path exists; `undefined` if the path contains no id. */
export function pathExists(shape: ReadShape, target: Target): Sql | undefined {
  if (shape.addressed.is === 'all') return undefined
  return sql`exists (${compileSelectRequested(getPathResource(shape, target), target)})`
}

/** Compiles the query that returns a row if the requested resource exists. */
export function compileSelectRequested(resource: ResourceType, target: Target): Sql {
  const where = and([matchesRequestedId(resource, 0, target), ...isRowInScope(resource)])
  return sql`select 1 from ${rowsAt(0, resource, target)} where ${where}`
}

function getPathResource({ addressed, type }: ReadShape, { model }: Target): ResourceType {
  return getResourceType(model, addressed.is === 'related' ? addressed.type : type)
}

/** Compiles the `where` clause; none without conditions, because SQLite counts the rows of a complete table faster then. */
export function compilePrimaryWhere(shape: ReadShape, target: Target): Sql {
  const conditions = primaryConditions(shape, 0, target)
  return conditions.length === 0 ? sql`` : sql` where ${and(conditions)}`
}

/** Compiles the query that counts the resources on all pages; a capped one counts one more than its limit. */
export function compileSelectCount(shape: ReadShape, target: Target): Sql {
  const from = rowsAt(0, getResourceType(target.model, shape.type), target)
  const rows = sql`from ${from}${compilePrimaryWhere(shape, target)}`
  if (shape.cursors?.total !== 'capped') return sql`select count(*) ${rows}`
  return sql`select count(*) from (select 1 ${rows} limit ${sql.lit(maxCappedCount + 1)}) as counted`
}

/**
 * Compiles the limit and the offset. SQLite plans a statement again for each value of a parameter that is the limit itself, but not
 * for an expression: hence every `limit ? + 0` of the statements that SQLite shares.
 */
export function compilePage({ isPaged }: ReadShape): Sql {
  return isPaged ? sql` limit ${rawParam('limit')} + 0 offset ${rawParam('offset')}` : sql``
}
