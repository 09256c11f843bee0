import { sql } from 'kysely'
import type { Sql } from '../model/dialect.ts'
import {
  getRelationship,
  getResourceType,
  type RelationshipField,
  type ResourceType,
} from '../model/model.ts'
import { collectConditions } from '../plan/affected-types.ts'
import { type LocatedIncludeEdge, startsAtLinkage } from '../plan/projection.ts'
import type { ReadShape } from '../plan/read.ts'
import { findIncludedLayout } from '../plan/read-result.ts'
import type { RowLayout } from '../plan/row-layout.ts'
import type { OrderTerm } from '../plan/sort.ts'
import { isUnbounded, maxBufferedRows } from './buffering.ts'
import { compileCondition } from './filter.ts'
import { earlierRowSets } from './linkage.ts'
import { compileLoad, compileSelection } from './select.ts'
import { compileOrder, reverseOrder } from './sort.ts'
import { compileStatement, listParam, param, rawParam, type Statement } from './statement.ts'
import {
  and,
  columnAt,
  inScope,
  isLinkedFrom,
  isLinkedFromAny,
  joinAt,
  joinColumnAt,
  matchesRequestedId,
  sortKey,
  type Target,
  tableAt,
} from './tables.ts'

/** The statements of a read. Each is compiled at most once. */
export interface CompiledRead {
  /** The primary rows: a page, or all. */
  readonly rows: Statement
  /** The first rows of an unpaged list, one more than a read holds in memory; otherwise the same as `rows`. */
  readonly firstBatch: Statement
  /** The primary rows in reverse order, for a page that is read from the end of its list. */
  readonly reversedRows: Statement
  /** Counts the resources on all pages. */
  readonly count: Statement
  /** Reads the resources of each included layout by their ids, in the order of the ids. */
  readonly byIds: ReadonlyMap<string, Statement>
  /** Reads the rows that each include edge adds to those before it, for streams. */
  readonly includedRows: readonly Statement[]
  /** Count the primary rows and the rows that each include edge adds, each up to `maxRows`. */
  readonly rowSetSizes: readonly Statement[]
}

/**
 * Compiles the statements of a read. Statements that are compiled later start from the shape again: to keep the expressions
 * would take many times the memory of the SQL.
 */
export function compileRead(shape: ReadShape, target: Target): CompiledRead {
  const rows = compileRows(shape, target)
  let reversedRows: Statement | undefined
  let includedRows: readonly Statement[] | undefined
  let rowSetSizes: readonly Statement[] | undefined
  return {
    rows,
    firstBatch: isUnbounded(shape)
      ? compileRows(shape, target, { maxRows: maxBufferedRows + 1 })
      : rows,
    // Only pages in the second half of a list need it.
    get reversedRows() {
      reversedRows ??= compileRows(shape, target, { order: reverseOrder(shape.order) })
      return reversedRows
    },
    count: compileCount(shape, target),
    byIds: new Map(shape.included.map((layout) => [layout.type, compileByIds(layout, target)])),
    // Only streams need them.
    get includedRows() {
      includedRows ??= shape.includeEdges.map((_, index) => compileAddedRows(shape, index, target))
      return includedRows
    },
    // Only streams need them, if the number of resources is limited.
    get rowSetSizes() {
      rowSetSizes ??= compileRowSetSizes(shape, target)
      return rowSetSizes
    },
  }
}

/** Options of the primary rows. */
interface RowsOptions {
  readonly order?: readonly OrderTerm[]
  /** The limit of an unpaged list. */
  readonly maxRows?: number
}

function compileRows(
  shape: ReadShape,
  target: Target,
  { order = shape.order, maxRows }: RowsOptions = {},
): Statement {
  const resource = getResourceType(target.model, shape.type)
  const { joins, orderBy } = compileOrder(order, resource, target)
  const { columns, joins: linkages } = compileSelection(shape.primary, target)
  const joined = sql.join([tableAt(0, resource.table), ...linkages, joins], sql.raw(''))
  const from = sql`${joined}${compileWhere(shape, target)}`
  const orderClause = order.length > 0 ? sql` order by ${orderBy}` : sql``
  const limit = maxRows === undefined ? compilePage(shape) : sql` limit ${sql.lit(maxRows)}`
  const select = sql.join([...columns])
  return compileRowStatement(
    shape.primary,
    sql`select ${select} from ${from}${orderClause}${limit}`,
    target,
  )
}

function compileRowSetSizes(shape: ReadShape, target: Target): Statement[] {
  const limit = sql` limit ${rawParam('maxRows')} + 0`
  const compileSize = (rows: Sql) =>
    compileStatement(
      sql`select count(*) from (select 1 from ${rows}${limit}) as counted`,
      target.dialect,
    )
  const primary = sql`${tableAt(0, getResourceType(target.model, shape.type).table)} where ${and(isPrimary(shape, 0, target))}`
  const added = shape.includeEdges.map(({ to }, index) => {
    const { table } = getResourceType(target.model, to)
    return sql`${tableAt(0, table)} where ${and(isAdded(shape, index, target))}`
  })
  return [primary, ...added].map(compileSize)
}

/** Compiles the limit and the offset. The `+ 0` keeps SQLite from preparing the statement again for each value of the parameter. */
function compilePage({ isPaged }: ReadShape): Sql {
  return isPaged ? sql` limit ${rawParam('limit')} + 0 offset ${rawParam('offset')}` : sql``
}

/** Compiles the count of the resources on all pages. */
export function compileCount(shape: ReadShape, target: Target): Statement {
  const from = tableAt(0, getResourceType(target.model, shape.type).table)
  const count = sql`select count(*) from ${from}${compileWhere(shape, target)}`
  return compileStatement(count, target.dialect)
}

/** Compiles the `where` clause; none without conditions, because SQLite counts the rows of a complete table faster then. */
function compileWhere(shape: ReadShape, target: Target): Sql {
  const conditions = primaryConditions(shape, 0, target)
  return conditions.length === 0 ? sql`` : sql` where ${and(conditions)}`
}

/** Compiles the query that returns a row if the resource with the id of the path exists. */
export function compileExists(resource: ResourceType, target: Target): Statement {
  return compileStatement(compileSelectRequested(resource, target), target.dialect)
}

/** Compiles the same query with a lock on the row, so that two writes to one resource run one after the other. */
export function compileLock(resource: ResourceType, target: Target): Statement {
  return compileStatement(
    sql`${compileSelectRequested(resource, target)}${target.dialect.lock}`,
    target.dialect,
  )
}

/** Compiles the condition that the resource in the path exists; `undefined` if the path contains no id. */
export function pathExists(shape: ReadShape, target: Target): Sql | undefined {
  if (shape.addressed.is === 'all') return undefined
  return sql`exists (${compileSelectRequested(getPathResource(shape, target), target)})`
}

function compileSelectRequested(resource: ResourceType, target: Target): Sql {
  const where = and([matchesRequestedId(resource, 0, target), ...inScope(0, resource)])
  return sql`select 1 from ${tableAt(0, resource.table)} where ${where}`
}

function getPathResource({ addressed, type }: ReadShape, { model }: Target): ResourceType {
  return getResourceType(model, addressed.is === 'related' ? addressed.type : type)
}

/** Compiles a statement that reads rows of a layout. */
export function compileRowStatement(layout: RowLayout, expression: Sql, target: Target): Statement {
  return { ...compileStatement(expression, target.dialect), load: compileLoad(layout, target) }
}

/** Compiles the statement of included rows, in the order of their ids. */
function compileIncludedRows(layout: RowLayout, where: readonly Sql[], target: Target): Statement {
  const { table, id } = getResourceType(target.model, layout.type)
  const { columns, joins } = compileSelection(layout, target)
  const from = sql.join([tableAt(0, table), ...joins], sql.raw(''))
  const order = sortKey(columnAt(0, id.column), id.kind.codec, target)
  return compileRowStatement(
    layout,
    sql`select ${sql.join([...columns])} from ${from} where ${and(where)} order by ${order}`,
    target,
  )
}

function compileByIds(layout: RowLayout, target: Target): Statement {
  const { id } = getResourceType(target.model, layout.type)
  const { dialect } = target
  const ids = listParam('ids', id.kind.codec, dialect)
  // The ids come from linkage, which contains resources of the type only: its scope need not be checked.
  return compileIncludedRows(layout, [dialect.inList(columnAt(0, id.column), ids)], target)
}

/** Compiles the conditions of the primary data for `t<depth>`, without the page. */
export function primaryConditions(shape: ReadShape, depth: number, target: Target): Sql[] {
  const resource = getResourceType(target.model, shape.type)
  return [
    ...(shape.addressed.is === 'one' ? [matchesRequestedId(resource, depth, target)] : []),
    ...(shape.addressed.is === 'related' ? [isRelated(shape.addressed, depth, target)] : []),
    ...inScope(depth, resource),
    ...(shape.where ? [compileCondition(shape.where, { resource, depth }, target)] : []),
  ]
}

/** Compiles whether a row of `t<depth>` is one of the primary rows: on the page, if the list is paged. */
function isPrimary(shape: ReadShape, depth: number, target: Target): Sql[] {
  if (!shape.isPaged) return primaryConditions(shape, depth, target)
  const resource = getResourceType(target.model, shape.type)
  const { joins, orderBy } = compileOrder(shape.order, resource, target)
  const from = sql`${tableAt(0, resource.table)}${joins}${compileWhere(shape, target)}`
  const id = columnAt(0, resource.id.column)
  const pageIds = sql`select ${id} from ${from} order by ${orderBy}${compilePage(shape)}`
  return [sql`${columnAt(depth, resource.id.column)} in (${pageIds})`]
}

/** Compiles whether the row of `t<depth>` is related to the resource in the path. */
function isRelated(
  scope: Extract<ReadShape['addressed'], { is: 'related' }>,
  depth: number,
  target: Target,
): Sql {
  const resource = getResourceType(target.model, scope.type)
  const { link } = getRelationship(resource, scope.relationship)
  const isKeyInPath = link.ownKey === resource.id.column && resource.scope === undefined
  if (isKeyInPath)
    return isLinkedFrom(depth, link, param('id', resource.id.kind.codec, target.dialect))
  const inner = depth + 1
  const where = and([matchesRequestedId(resource, inner, target), ...inScope(inner, resource)])
  const ownKeys = sql`select ${columnAt(inner, link.ownKey)} from ${tableAt(inner, resource.table)} where ${where}`
  return isLinkedFromAny(depth, link, ownKeys)
}

/** Compiles the statement of the rows that an include edge adds: those that are not in an earlier row set. */
function compileAddedRows(shape: ReadShape, index: number, target: Target): Statement {
  const layout = findIncludedLayout(shape, edgeAt(shape, index).to)
  return compileIncludedRows(layout, isAdded(shape, index, target), target)
}

/** Compiles whether `t0` is a row that an include edge adds. */
function isAdded(shape: ReadShape, index: number, target: Target): Sql[] {
  const excluded = earlierRowSets(shape, index).map((earlier) =>
    isNotInRowSet(shape, earlier, target),
  )
  return [...isInRowSet(shape, index, 0, target), ...excluded]
}

/**
 * Compiles whether `t0` is not in an earlier row set of the same type.
 *
 * PostgreSQL runs `in (…) is not true` once for each row if the set is larger than `hash_mem`. It executes `not exists` as an
 * anti-join, which has no such limit. SQLite is the opposite: it executes `not exists` once for each row (docs/decisions/0043).
 */
function isNotInRowSet(shape: ReadShape, index: number, target: Target): Sql {
  const edge = shape.includeEdges[index]
  const isPrimarySet = edge === undefined || startsAtLinkage(edge)
  if (!target.dialect.hasAntiJoins || (isPrimarySet && !hasSubquery(shape, target)))
    return sql`(${and(isInRowSet(shape, index, 0, target))}) is not true`
  const source = getResourceType(target.model, isPrimarySet ? shape.type : edge.type)
  if (isPrimarySet) {
    const isSame = sql`${columnAt(1, source.id.column)} = ${columnAt(0, source.id.column)}`
    const where = and([isSame, ...isPrimary(shape, 1, target)])
    return sql`not exists (select 1 from ${tableAt(1, source.table)} where ${where})`
  }
  const field = getRelationship(source, edge.relationship)
  const conditions = isInRowSet(shape, edge.parent, 1, target)
  return sql`not ${isReachableFromRow(source, field, { depth: 0, conditions })}`
}

/** Whether the condition of the primary data contains a subquery, which may have any number of rows. */
function hasSubquery({ type, isPaged, addressed, where }: ReadShape, { model }: Target): boolean {
  if (isPaged || addressed.is === 'related') return true
  const conditions = collectConditions(where, getResourceType(model, type), model)
  return conditions.some(([, condition]) => condition.is === 'related')
}

/**
 * Compiles whether a row of `t<depth>` is in the row set of an include edge; −1 is the primary data. For an edge from a complete
 * list with an index, each row is looked up in the list, so that the first rows are found at once. For other edges the keys are
 * read once: lookups would multiply with every edge.
 */
function isInRowSet(shape: ReadShape, index: number, depth: number, target: Target): Sql[] {
  if (index === -1) return isPrimary(shape, depth, target)
  const edge = edgeAt(shape, index)
  // If the primary data is linkage, the first edge includes the rows of the linkage itself.
  if (startsAtLinkage(edge)) return isPrimary(shape, depth, target)
  const source = getResourceType(target.model, edge.type)
  const field = getRelationship(source, edge.relationship)
  const conditions = isInRowSet(shape, edge.parent, depth + 1, target)
  const isLookup =
    edge.parent === -1 && isUnbounded(shape) && isSourceIndexed(source, field, target)
  const isReachable = isLookup
    ? isReachableFromRow(source, field, { depth, conditions })
    : isReachableFromSet(source, field, { depth, conditions })
  return [isReachable, ...inScope(depth, getResourceType(target.model, edge.to))]
}

/** The rows from which an include edge starts. */
interface SourceRows {
  /** The depth of the included rows; the source rows are one deeper. */
  readonly depth: number
  readonly conditions: readonly Sql[]
}

/** Compiles whether there is a source row for the row of `t<depth>`. */
function isReachableFromRow(
  { table }: ResourceType,
  { link }: RelationshipField,
  { depth, conditions }: SourceRows,
): Sql {
  const ownKey = columnAt(depth + 1, link.ownKey)
  const otherKey = columnAt(depth, link.otherKey)
  const from = tableAt(depth + 1, table)
  if (link.foreignKey !== 'join table')
    return sql`exists (select 1 from ${from} where ${and([sql`${ownKey} = ${otherKey}`, ...conditions])})`
  const isFrom = sql`${joinColumnAt(depth, link.from)} = ${ownKey}`
  const isTo = sql`${joinColumnAt(depth, link.to)} = ${otherKey}`
  const join = joinAt(depth, link.joinTable)
  return sql`exists (select 1 from ${join} join ${from} on ${isFrom} where ${and([isTo, ...conditions])})`
}

/** Whether an index finds the source rows of a relationship by a related row. */
function isSourceIndexed(
  { table }: ResourceType,
  { link }: RelationshipField,
  { isIndexed = () => true }: Target,
): boolean {
  return (
    isIndexed(table, link.ownKey) &&
    (link.foreignKey !== 'join table' || isIndexed(link.joinTable, link.to))
  )
}

/** Compiles whether the key of the row of `t<depth>` is one of the keys of the source rows. */
function isReachableFromSet(
  { table }: ResourceType,
  { link }: RelationshipField,
  { depth, conditions }: SourceRows,
): Sql {
  const ownKey = columnAt(depth + 1, link.ownKey)
  const where = and([sql`${ownKey} is not null`, ...conditions])
  const ownKeys = sql`select ${ownKey} from ${tableAt(depth + 1, table)} where ${where}`
  return isLinkedFromAny(depth, link, ownKeys)
}

function edgeAt(shape: ReadShape, index: number): LocatedIncludeEdge {
  const edge = shape.includeEdges[index]
  if (edge === undefined) throw new Error(`The plan has no include edge ${index}.`)
  return edge
}
