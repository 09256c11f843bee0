import { sql } from 'kysely'
import type { Dialect, Sql } from '../model/dialect.ts'
import {
  getRelationship,
  getResourceType,
  type RelationshipField,
  type ResourceType,
} from '../model/model.ts'
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
  matchesTargetId,
  sortKey,
  type Target,
  tableAt,
} from './tables.ts'

/** All statements a shape may need; each is written at most once. */
export interface CompiledRead {
  /** The primary rows: a page, or all. */
  readonly rows: Statement
  /** No more than the first of them, one beyond `wholeAtMost`, where all of a list is asked for. */
  readonly firstBatch: Statement
  /** The same in the opposite order, so that a page is reached from the end. */
  readonly reversedRows: Statement
  /** How many there are over all pages. */
  readonly count: Statement
  /** Resources of a type by their ids, ascending; for each included layout. */
  readonly byIds: ReadonlyMap<string, Statement>
  /** What each step of the inclusion adds to all that came before it, for documents that are streamed. */
  readonly includedRows: readonly Statement[]
  /** How many primary rows there are, then how many each addition has, up to `most`. */
  readonly rowSetSizes: readonly Statement[]
}

/**
 * Writes the SQL of a read. Pure: the same shape gives the same text. What is written later is made of the shape again: the
 * expressions that a text was made of take many times its memory.
 */
export function compileRead(shape: ReadShape, target: Target): CompiledRead {
  const rows = compileRows(shape, target)
  let rowsBackwards: Statement | undefined
  let additions: readonly Statement[] | undefined
  let sizes: readonly Statement[] | undefined
  return {
    rows,
    firstBatch: isUnbounded(shape)
      ? compileRows(shape, target, { most: maxBufferedRows + 1 })
      : rows,
    // Only later pages need them: they are written when the first one asks.
    get reversedRows() {
      rowsBackwards ??= compileRows(shape, target, { order: reverseOrder(shape.order) })
      return rowsBackwards
    },
    count: compileCount(shape, target),
    byIds: new Map(shape.included.map((layout) => [layout.type, compileByIds(layout, target)])),
    // Only streams need them: they are written when the first one asks.
    get includedRows() {
      additions ??= shape.includeEdges.map((_, step) => compileAddition(shape, step, target))
      return additions
    },
    // Only where the resources of a response are limited.
    get rowSetSizes() {
      sizes ??= compileSizes(shape, target)
      return sizes
    },
  }
}

/** How the primary rows are read: in which order, and how many of a list that is not paged. */
interface RowsOptions {
  readonly order?: readonly OrderTerm[]
  readonly most?: number
}

function compileRows(
  shape: ReadShape,
  target: Target,
  { order = shape.order, most }: RowsOptions = {},
): Statement {
  const resource = getResourceType(target.model, shape.type)
  const { joins, orderBy } = compileOrder(order, resource, target)
  const { columns, joins: linkages } = compileSelection(shape.primary, target)
  const joined = sql.join([tableAt(0, resource.table), ...linkages, joins], sql.raw(''))
  const from = sql`${joined}${filtering(shape, target)}`
  const by = order.length > 0 ? sql` order by ${orderBy}` : sql``
  const limit = most === undefined ? pageOf(shape) : sql` limit ${sql.lit(most)}`
  const select = sql.join([...columns])
  return compileRowStatement(
    shape.primary,
    sql`select ${select} from ${from}${by}${limit}`,
    target.dialect,
  )
}

function compileSizes(shape: ReadShape, target: Target): Statement[] {
  const most = sql` limit ${rawParam('maxRows')} + 0`
  const sizeOf = (rows: Sql) =>
    compileStatement(
      sql`select count(*) from (select 1 from ${rows}${most}) as counted`,
      target.dialect,
    )
  const primary = sql`${tableAt(0, getResourceType(target.model, shape.type).table)} where ${and(isPrimary(shape, 0, target))}`
  const added = shape.includeEdges.map(({ to }, index) => {
    const { table } = getResourceType(target.model, to)
    return sql`${tableAt(0, table)} where ${and(isAdded(shape, index, target))}`
  })
  return [primary, ...added].map(sizeOf)
}

/** SQLite prepares a statement anew for each value that is bound to a limit which is nothing but a parameter. */
function pageOf({ isPaged }: ReadShape): Sql {
  return isPaged ? sql` limit ${rawParam('limit')} + 0 offset ${rawParam('offset')}` : sql``
}

/** Writes the SQL that tells how many there are over all pages. */
export function compileCount(shape: ReadShape, target: Target): Statement {
  const from = tableAt(0, getResourceType(target.model, shape.type).table)
  const counting = sql`select count(*) from ${from}${filtering(shape, target)}`
  return compileStatement(counting, target.dialect)
}

/** Without a condition SQLite counts the rows of a table without looking at each. */
function filtering(shape: ReadShape, target: Target): Sql {
  const conditions = primaryConditions(shape, 0, target)
  return conditions.length === 0 ? sql`` : sql` where ${and(conditions)}`
}

/** Whether there is a resource with the id of the path. */
export function compileExists(resource: ResourceType, target: Target): Statement {
  return compileStatement(present(resource, target), target.dialect)
}

/** The same, and holds on to it: two writes to one resource take turns, so that the last one wins whole. */
export function compileLock(resource: ResourceType, target: Target): Statement {
  return compileStatement(sql`${present(resource, target)}${target.dialect.lock}`, target.dialect)
}

/** The same as a part of a statement; `undefined` when the path names none. */
export function pathExists(shape: ReadShape, target: Target): Sql | undefined {
  if (shape.scope.is === 'all') return undefined
  return sql`exists (${present(inPath(shape, target), target)})`
}

function present(resource: ResourceType, target: Target): Sql {
  const where = and([matchesTargetId(resource, 0, target), ...inScope(0, resource)])
  return sql`select 1 from ${tableAt(0, resource.table)} where ${where}`
}

function inPath({ scope, type }: ReadShape, { model }: Target): ResourceType {
  return getResourceType(model, scope.is === 'related' ? scope.type : type)
}

/** A statement that reads rows of a layout. */
export function compileRowStatement(
  layout: RowLayout,
  expression: Sql,
  dialect: Dialect,
): Statement {
  return { ...compileStatement(expression, dialect), load: compileLoad(layout, dialect) }
}

/** Reads included resources, in the order of their ids. */
function selectingIncluded(layout: RowLayout, where: readonly Sql[], target: Target): Statement {
  const { table, id } = getResourceType(target.model, layout.type)
  const { columns, joins } = compileSelection(layout, target)
  const from = sql.join([tableAt(0, table), ...joins], sql.raw(''))
  const order = sortKey(columnAt(0, id.column), id.kind.codec, target)
  return compileRowStatement(
    layout,
    sql`select ${sql.join([...columns])} from ${from} where ${and(where)} order by ${order}`,
    target.dialect,
  )
}

function compileByIds(layout: RowLayout, target: Target): Statement {
  const { id } = getResourceType(target.model, layout.type)
  const { dialect } = target
  const ids = listParam('ids', id.kind.codec, dialect)
  // Ids come from linkage, which names resources of the type alone.
  return selectingIncluded(layout, [dialect.inList(columnAt(0, id.column), ids)], target)
}

/** What makes a row of `t<depth>` primary data. */
export function primaryConditions(shape: ReadShape, depth: number, target: Target): Sql[] {
  const resource = getResourceType(target.model, shape.type)
  return [
    ...(shape.scope.is === 'one' ? [matchesTargetId(resource, depth, target)] : []),
    ...(shape.scope.is === 'related' ? [isRelated(shape.scope, depth, target)] : []),
    ...inScope(depth, resource),
    ...(shape.where ? [compileCondition(shape.where, { resource, depth }, target)] : []),
  ]
}

/** What makes a row of `t<depth>` one of the primary rows: those of the page, where the list is paged. */
function isPrimary(shape: ReadShape, depth: number, target: Target): Sql[] {
  if (!shape.isPaged) return primaryConditions(shape, depth, target)
  const resource = getResourceType(target.model, shape.type)
  const { joins, orderBy } = compileOrder(shape.order, resource, target)
  const from = sql`${tableAt(0, resource.table)}${joins}${filtering(shape, target)}`
  const id = columnAt(0, resource.id.column)
  const page = sql`select ${id} from ${from} order by ${orderBy}${pageOf(shape)}`
  return [sql`${columnAt(depth, resource.id.column)} in (${page})`]
}

/** Whether the row at a depth is related to the resource in the path. */
function isRelated(
  scope: Extract<ReadShape['scope'], { is: 'related' }>,
  depth: number,
  target: Target,
): Sql {
  const resource = getResourceType(target.model, scope.type)
  const { link } = getRelationship(resource, scope.relationship)
  const isByItsId = link.ownKey === resource.id.column && resource.scope === undefined
  if (isByItsId)
    return isLinkedFrom(depth, link, param('id', resource.id.kind.codec, target.dialect))
  const inner = depth + 1
  const which = and([matchesTargetId(resource, inner, target), ...inScope(inner, resource)])
  const here = sql`select ${columnAt(inner, link.ownKey)} from ${tableAt(inner, resource.table)} where ${which}`
  return isLinkedFromAny(depth, link, here)
}

/** What a step adds: the resources it reaches that are neither primary data nor reached by an earlier step. */
function compileAddition(shape: ReadShape, index: number, target: Target): Statement {
  const layout = findIncludedLayout(shape, stepAt(shape, index).to)
  return selectingIncluded(layout, isAdded(shape, index, target), target)
}

/** What makes `t0` a row that a step adds. */
function isAdded(shape: ReadShape, index: number, target: Target): Sql[] {
  const told = earlierRowSets(shape, index).map(
    (at) => sql`(${and(reached(shape, at, 0, target))}) is not true`,
  )
  return [...reached(shape, index, 0, target), ...told]
}

/**
 * Whether `t<depth>` is reached by the step; −1 is the primary data. A step from all of a list looks from each row
 * for one that leads to it, so that rows flow from the first moment, provided that an index finds that one. Any other
 * step gathers what it starts from, once: looking from each row would multiply with every step.
 */
function reached(shape: ReadShape, index: number, depth: number, target: Target): Sql[] {
  if (index === -1) return isPrimary(shape, depth, target)
  const step = stepAt(shape, index)
  // Where the primary data is mere linkage, the first step leads to the very rows it names.
  if (startsAtLinkage(step)) return isPrimary(shape, depth, target)
  const source = getResourceType(target.model, step.type)
  const field = getRelationship(source, step.relationship)
  const before = reached(shape, step.parent, depth + 1, target)
  const isOfList = step.parent === -1 && isUnbounded(shape) && isFoundByIndex(source, field, target)
  const isReached = isOfList
    ? isReachedFromOne(source, field, { depth, before })
    : isReachedFromAny(source, field, { depth, before })
  return [isReached, ...inScope(depth, getResourceType(target.model, step.to))]
}

/** The table to be reached, and what makes a row one deeper a place to start from. */
interface Before {
  readonly depth: number
  readonly before: readonly Sql[]
}

function isReachedFromOne(
  { table }: ResourceType,
  { link }: RelationshipField,
  { depth, before }: Before,
): Sql {
  const here = columnAt(depth + 1, link.ownKey)
  const there = columnAt(depth, link.otherKey)
  const from = tableAt(depth + 1, table)
  if (link.foreignKey !== 'join table')
    return sql`exists (select 1 from ${from} where ${and([sql`${here} = ${there}`, ...before])})`
  const isFrom = sql`${joinColumnAt(depth, link.from)} = ${here}`
  const isTo = sql`${joinColumnAt(depth, link.to)} = ${there}`
  const join = joinAt(depth, link.joinTable)
  return sql`exists (select 1 from ${join} join ${from} on ${isFrom} where ${and([isTo, ...before])})`
}

/** Whether an index finds the rows that a relationship starts from, given one that it leads to. */
function isFoundByIndex(
  { table }: ResourceType,
  { link }: RelationshipField,
  { isIndexed = () => true }: Target,
): boolean {
  return (
    isIndexed(table, link.ownKey) &&
    (link.foreignKey !== 'join table' || isIndexed(link.joinTable, link.to))
  )
}

function isReachedFromAny(
  { table }: ResourceType,
  { link }: RelationshipField,
  { depth, before }: Before,
): Sql {
  const here = columnAt(depth + 1, link.ownKey)
  const which = and([sql`${here} is not null`, ...before])
  const heres = sql`select ${here} from ${tableAt(depth + 1, table)} where ${which}`
  return isLinkedFromAny(depth, link, heres)
}

function stepAt(shape: ReadShape, index: number): LocatedIncludeEdge {
  const step = shape.includeEdges[index]
  if (step === undefined) throw new Error(`The plan has no step ${index}.`)
  return step
}
