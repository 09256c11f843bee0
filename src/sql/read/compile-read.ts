import { sql } from 'kysely'
import type { RowLock, Sql } from '../../model/dialect.ts'
import { getRelationship, getResourceType, type ResourceType } from '../../model/model.ts'
import { getIncludeEdge } from '../../plan/include.ts'
import type { CursorShape } from '../../plan/page.ts'
import type { ReadShape } from '../../plan/read.ts'
import { findIncludedLayout } from '../../plan/read-result.ts'
import type { RowLayout } from '../../plan/row-layout.ts'
import type { OrderTerm } from '../../plan/sort.ts'
import { isEqualKey, isInIdList } from '../keys/keys.ts'
import { compileStatement, type PointRead, rawParam, type Statement } from '../statement.ts'
import { rowsAt } from '../table-function.ts'
import { and, columnsAt, idOrder, type Target, tableAt } from '../tables.ts'
import { compileLockClause } from '../write/row-locks.ts'
import { isUnbounded, readBudget, writeBudget } from './document-budget.ts'
import { isOwnKey } from './linkage.ts'
import { compileKeyValues, compilePageIds, isPrimary, pageName } from './page.ts'
import {
  compilePage,
  compilePrimaryWhere,
  compileSelectCount,
  compileSelectRequested,
} from './primary-rows.ts'
import { compileLoad, compileSelection } from './select.ts'
import { compileOrder, reverseOrder } from './sort.ts'
import { isAdded } from './streamed-row-sets.ts'

/**
 * The statements of a read that has a statement for each set of rows: all reads on SQLite, and streams on PostgreSQL. Each is
 * compiled at most once.
 */
export interface CompiledRead {
  /** The primary rows: a page, or all. */
  readonly rows: Statement
  /** The first rows of an unpaged list, one more than a read holds in memory; otherwise the same as `rows`. */
  readonly boundedRows: Statement
  /** The same for a read that cannot be streamed: one row more than the response to a write may have. */
  boundedRowsForWrite(): Statement
  /** The primary rows in reverse order, for a page that is read from the end of its list. */
  reversedRows(): Statement
  /** Counts the resources on all pages. */
  readonly count: Statement
  /** Reads the resources of each included layout by their ids, in the order of the ids. */
  readonly byIds: ReadonlyMap<string, Statement>
  /** Reads the rows that each include edge adds to those before it, for streams. */
  includedRows(): readonly Statement[]
  /** Counts the rows of a page between cursors, up to one more than the page has; only streams need it. */
  pageSize(): Statement
  /** Count the primary rows and the rows that each include edge adds, each up to `maxRows`. */
  rowSetSizes(): readonly Statement[]
}

/**
 * Compiles the statements of a read. Statements that are compiled later start from the shape again: to keep the expressions
 * would take many times the memory of the SQL.
 */
export function compileRead(shape: ReadShape, target: Target): CompiledRead {
  const rows = { ...compileRows(shape, target), pointRead: findPointRead(shape, target) }
  const compileFirst = (count: number) =>
    isUnbounded(shape) ? compileRows(shape, target, { maxRows: count + 1 }) : rows
  return {
    rows,
    boundedRows: compileFirst(readBudget.resources),
    // Only lists in transactions need it.
    boundedRowsForWrite: once(() => compileFirst(writeBudget.resources)),
    // Only pages in the second half of a list need it.
    reversedRows: once(() => compileRows(shape, target, { order: reverseOrder(shape.order) })),
    count: compileCount(shape, target),
    byIds: new Map(shape.included.map((layout) => [layout.type, compileByIds(layout, target)])),
    // Only streams need them.
    includedRows: once(() =>
      shape.includeEdges.map((_, index) => compileAddedRows(shape, index, target)),
    ),
    pageSize: once(() => compilePageSize(shape, target)),
    // Only streams need them, if the number of resources is limited.
    rowSetSizes: once(() => compileRowSetSizes(shape, target)),
  }
}

/** Decides whether the statement of a read is a point read. A table function is none: it may run for long. */
export function findPointRead(shape: ReadShape, target: Target): PointRead | undefined {
  const { type, addressed, includeEdges, primary } = shape
  const resource = getResourceType(target.model, type)
  const isPointRead =
    addressed.is === 'one' &&
    includeEdges.length === 0 &&
    resource.table.call === undefined &&
    primary.values.every((value) => 'column' in value || 'versionOf' in value) &&
    !primary.linkages.some(({ many }) => many)
  if (!isPointRead) return undefined
  const isOneRow =
    target.facts.hasUniqueIds(type) &&
    target.access === undefined &&
    !resource.hasDeclaredScope &&
    primary.linkages.every(({ relationship }) =>
      isOwnKey(getRelationship(resource, relationship), target),
    )
  return isOneRow ? 'one row' : 'other rows'
}

/** Delays a computation to the first call of the function returned; later calls return the same result. */
function once<Result extends object>(compute: () => Result): () => Result {
  let result: Result | undefined
  return () => {
    result ??= compute()
    return result
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
  const { columns, joins: linkages } = compileSelection(shape.primary, target)
  if (shape.cursors) return compileCursorRows(shape, shape.cursors, { columns, linkages }, target)
  const { joins, orderBy } = compileOrder(order, resource, target)
  const joined = sql.join([rowsAt(0, resource, target), ...linkages, joins], sql.raw(''))
  const from = sql`${joined}${compilePrimaryWhere(shape, target)}`
  const orderClause = order.length > 0 ? sql` order by ${orderBy}` : sql``
  const limit = maxRows === undefined ? compilePage(shape) : sql` limit ${sql.lit(maxRows)}`
  const select = sql.join([...columns])
  return compileRowStatement(
    shape.primary,
    sql`select ${select} from ${from}${orderClause}${limit}`,
    target,
  )
}

/** Compiles the rows of a page between cursors: each row of the page is looked up by its id. */
function compileCursorRows(
  shape: ReadShape,
  cursors: CursorShape,
  { columns, linkages }: Readonly<{ columns: readonly Sql[]; linkages: readonly Sql[] }>,
  target: Target,
): Statement {
  const resource = getResourceType(target.model, shape.type)
  const page = compilePageIds(shape, cursors, target)
  const select = sql.join([...columns, ...compileKeyValues(page.keys, cursors, target)])
  const joins = sql.join([...linkages], sql.raw(''))
  const from = sql`(${page.rows}) as ${pageName} cross join ${rowsAt(0, resource, target)}${joins}`
  const isSame = isEqualKey(columnsAt(0, resource.id.columns), page.ids)
  return compileRowStatement(
    shape.primary,
    sql`select ${select} from ${from} where ${isSame} order by ${page.order}`,
    target,
  )
}

/** Compiles the number of rows of a page between cursors. */
function compilePageSize(shape: ReadShape, target: Target): Statement {
  const rows = shape.cursors ? compilePageIds(shape, shape.cursors, target).rows : sql`select 1`
  return compileStatement(sql`select count(*) from (${rows}) as ${pageName}`, target.dialect)
}

function compileRowSetSizes(shape: ReadShape, target: Target): Statement[] {
  const limit = sql` limit ${rawParam('maxRows')} + 0`
  const compileSize = (rows: Sql) =>
    compileStatement(
      sql`select count(*) from (select 1 from ${rows}${limit}) as counted`,
      target.dialect,
    )
  const primary = sql`${rowsAt(0, getResourceType(target.model, shape.type), target)} where ${and(isPrimary(shape, 0, target))}`
  const added = shape.includeEdges.map(({ to }, index) => {
    const { table } = getResourceType(target.model, to)
    return sql`${tableAt(0, table)} where ${and(isAdded(shape, index, target))}`
  })
  return [primary, ...added].map(compileSize)
}

/** Compiles the count of the resources on all pages. */
export function compileCount(shape: ReadShape, target: Target): Statement {
  return compileStatement(compileSelectCount(shape, target), target.dialect)
}

/** Compiles the query that returns a row if the resource with the id of the path exists. */
export function compileExists(resource: ResourceType, target: Target): Statement {
  return compileStatement(compileSelectRequested(resource, target), target.dialect)
}

/** Compiles the same query with a lock on the row, so that two writes to one resource run one after the other. */
export function compileLock(resource: ResourceType, lock: RowLock, target: Target): Statement {
  const clause = compileLockClause(resource.table, { lock, key: resource.id.columns }, target)
  return compileStatement(sql`${compileSelectRequested(resource, target)}${clause}`, target.dialect)
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
  const order = idOrder(0, id, target)
  return compileRowStatement(
    layout,
    sql`select ${sql.join([...columns])} from ${from} where ${and(where)} order by ${order}`,
    target,
  )
}

function compileByIds(layout: RowLayout, target: Target): Statement {
  const { id } = getResourceType(target.model, layout.type)
  const isListed = isInIdList(columnsAt(0, id.columns), 'ids', id, target.dialect)
  // The ids come from linkage, which contains resources of the type only: its scope need not be checked.
  return compileIncludedRows(layout, [isListed], target)
}

/** Compiles the statement of the rows that an include edge adds: those that are not in an earlier row set. */
function compileAddedRows(shape: ReadShape, index: number, target: Target): Statement {
  const layout = findIncludedLayout(shape, getIncludeEdge(shape, index).to)
  return compileIncludedRows(layout, isAdded(shape, index, target), target)
}
