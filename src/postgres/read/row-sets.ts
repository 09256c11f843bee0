import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import { getRelationship, getResourceType, isSameKey, type KeyColumns } from '../../model/model.ts'
import { type LocatedIncludeEdge, primaryRowSet, startsAtLinkage } from '../../plan/include.ts'
import type { CursorShape } from '../../plan/page.ts'
import type { ReadShape } from '../../plan/read.ts'
import { findIncludedLayout } from '../../plan/read-result.ts'
import type { RowLayout } from '../../plan/row-layout.ts'
import { isEqualKey, toKey } from '../../sql/keys/keys.ts'
import { isLinkedFrom, isLinkedFromAny, joinKeyAt, linkKeyAt } from '../../sql/keys/link-keys.ts'
import { shardBarrier } from '../../sql/keys/shards.ts'
import { type DocumentBudget, isList, isUnbounded } from '../../sql/read/document-budget.ts'
import { isLinkageFromIncluded } from '../../sql/read/linkage.ts'
import { compileKeyValues, compilePageRows, pageKey } from '../../sql/read/page.ts'
import { primaryConditions } from '../../sql/read/primary-rows.ts'
import { isFoundByKey } from '../../sql/read/related-rows.ts'
import { isInHashed } from '../../sql/read/select.ts'
import { compileOrder, reverseOrder } from '../../sql/read/sort.ts'
import { rawParam } from '../../sql/statement.ts'
import { rowsAt } from '../../sql/table-function.ts'
import {
  and,
  columnAt,
  columnsAt,
  getAttribute,
  inScope,
  joinAt,
  keyAt,
  type Target,
  tableAt,
} from '../../sql/tables.ts'
import { isSnapshotCurrent } from './counts.ts'
import { compileIncludedText } from './text-limit.ts'

// The row sets of a document that one statement reads (docs/decisions/0022). The primary rows are the common table expression `p`, the
// rows at the end of include edge n are `r<n>`. They contain plain columns; `document-statement.ts` converts their rows to JSON.

/** The options of the row sets of a document. */
export interface RowSetOptions {
  /** The limits of each row set; a page has that of its size. */
  readonly budget: DocumentBudget
  /**
   * Whether a page is read from the end of its list, in reverse order. Its offset follows from the cached count: if that is not
   * valid, no rows are read. The column of the count contains whether it is valid.
   */
  readonly isReversed?: boolean
  /** A constant limit for offset plus limit of the page (`bounded-pages.ts`); absent: none. */
  readonly rowBound?: number | undefined
}

/** Compiles the common table expressions: the primary rows, and the rows of each include edge up to the limit. */
export function compileRowSets(
  shape: ReadShape,
  primary: Sql,
  target: Target,
  { budget }: RowSetOptions,
): Sql {
  const included = shape.includeEdges.map((edge, index) => {
    const limit = mayGrow(shape, index, target) ? compileRowLimit(budget) : sql``
    return sql`${rowSetName(index)} as (${compileRowSet(shape, edge, index, target)}${limit})`
  })
  const text = compileIncludedText(shape, target, { budget, nameOf: rowSetName })
  return sql.join([sql`p as materialized (${primary})`, ...included, ...text], sql.raw(', '))
}

/** Compiles a limit of one row more than the budget, which shows that there are more. */
function compileRowLimit({ resources }: DocumentBudget): Sql {
  return sql` limit ${sql.lit(resources + 1)}`
}

/** Compiles the name of a row set: `p`, or `r<n>` for include edge n. */
export function rowSetName(index: number): Sql {
  return index === primaryRowSet ? sql`p` : sql.id(`r${index}`)
}

/** Compiles the query of the primary rows: a page, or the list up to its limit. */
export function compilePrimaryRows(
  shape: ReadShape,
  target: Target,
  { budget, isReversed, rowBound }: RowSetOptions,
): Sql {
  const resource = getResourceType(target.model, shape.type)
  const select = compileRowSetColumns(shape, primaryRowSet, shape.primary, target)
  if (shape.cursors) return compileCursorRows(shape, shape.cursors, select, target)
  const order = compileOrder(isReversed ? reverseOrder(shape.order) : shape.order, resource, target)
  const orderBy = isList(shape) ? sql` order by ${order.orderBy}` : sql``
  const listLimit = isUnbounded(shape) ? compileRowLimit(budget) : sql``
  const limit = shape.isPaged
    ? sql` limit ${rawParam('limit')} offset ${rawParam('offset')}`
    : listLimit
  const isCountValid = isReversed ? [isSnapshotCurrent(target)] : []
  const where = and([...primaryConditions(shape, 0, target), ...isCountValid])
  // The limit of a list is a barrier, too.
  const isSharded = target.facts.shardingOf(resource.table) !== undefined
  const isOneRelated = shape.addressed.is === 'related' && !isList(shape)
  const barrier = shardBarrier(isSharded && isOneRelated, target) ?? sql``
  const rows = sql`select ${select} from ${rowsAt(0, resource, target)}${order.joins} where ${where}${orderBy}${barrier}`
  if (rowBound === undefined) return sql`${rows}${limit}`
  return sql`select * from (${rows} limit ${sql.lit(rowBound)}) as "t0"${limit}`
}

/**
 * Compiles the rows of a page between cursors, with the keys, and the number of rows with the one that shows that there are more. That row
 * is cut off here, because the document includes no related resources of it.
 */
function compileCursorRows(
  shape: ReadShape,
  cursors: CursorShape,
  select: Sql,
  target: Target,
): Sql {
  const page = compilePageRows(shape, cursors, target, { columns: select, alias: sql`c` })
  const limit = sql`limit ${rawParam('limit')}::bigint - 1`
  const rows = sql`select c.*, (select count(*) from c) as ${rowCount} from c order by ${page.readOrder} ${limit}`
  const ordered =
    cursors.direction === 'forward'
      ? rows
      : sql`select * from (${rows}) as c order by ${page.order}`
  return sql`with c as materialized (${page.rows}) ${ordered}`
}

const rowCount = sql.id('lapidary_rows')

/** Compiles the last values of a row of a page between cursors from `t0`: its keys, and the number of rows; none for other lists. */
export function compileCursorValues({ cursors }: ReadShape, target: Target): Sql[] {
  if (cursors === undefined) return []
  const names = Array.from({ length: cursors.keyCount }, (_, index) => pageKey(index))
  const keys = names.map((name) => sql`"t0".${name}`)
  return [...compileKeyValues(keys, cursors, target), sql`"t0".${rowCount}::text`]
}

/** Compiles the row set of an include edge, including rows that are in earlier sets. */
function compileRowSet(
  shape: ReadShape,
  edge: LocatedIncludeEdge,
  index: number,
  target: Target,
): Sql {
  const resource = getResourceType(target.model, edge.to)
  const select = compileRowSetColumns(shape, index, findIncludedLayout(shape, edge.to), target)
  const where = and([isReachable(edge, target), ...inScope(0, resource)])
  // The join adds no condition, but shows PostgreSQL that there is one key. For an array of keys, whose number it does not know, it
  // would create a bitmap of rows instead of using the index directly: 4 % of row `one-included` of the benchmark.
  const join = isOwnedByOne(shape, index, target) ? joinOwner(shape, edge, target) : sql``
  return sql`select ${select} from ${tableAt(0, resource.table)}${join} where ${where}`
}

/** Whether an include edge may have more rows than its source: not if each source row references one by its id. */
export function mayGrow({ includeEdges }: ReadShape, index: number, { model }: Target): boolean {
  const edge = includeEdges[index]
  if (edge === undefined || startsAtLinkage(edge)) return false
  const { link } = getRelationship(getResourceType(model, edge.type), edge.relationship)
  const { id } = getResourceType(model, edge.to)
  return link.foreignKey !== 'own' || !isSameKey(link.otherKey, id.columns)
}

/** Whether all rows of an include edge belong to one primary row, and show its linkage. */
export function isOwnedByOne(shape: ReadShape, index: number, target: Target): boolean {
  return shape.addressed.is === 'one' && isLinkageFromIncluded(shape, index, target)
}

/** Compiles the join of an included row `t0` with the primary row that owns it. */
export function joinOwner(shape: ReadShape, edge: LocatedIncludeEdge, { model }: Target): Sql {
  const { link } = getRelationship(getResourceType(model, shape.type), edge.relationship)
  return sql` join p on ${isEqualKey(primaryColumns(link.ownKey), columnsAt(0, link.otherKey))}`
}

/** Compiles columns of the primary rows, outside of their own query. */
export function primaryColumns(columns: KeyColumns): Sql[] {
  return columns.map((column) => sql`p.${sql.id(column)}`)
}

/**
 * Compiles whether an include edge reaches `t0`. With an index, the keys of the source rows are aggregated to an array first:
 * then PostgreSQL uses the index however many rows it expects. Without one, the keys are hashed and the rows are scanned once. If
 * neither column is an id, it may be of an array type, whose values cannot be aggregated to an array.
 */
function isReachable(edge: LocatedIncludeEdge, target: Target): Sql {
  const from = getResourceType(target.model, edge.type)
  const to = getResourceType(target.model, edge.to)
  const source = listSourceColumns(edge, target)
  const ownKeys = sql`select ${sql.join(source.map((name) => sql.id(name)))} from ${rowSetName(edge.parent)}`
  // PostgreSQL aggregates no row values to an array that an index could serve.
  const anyOwnKey = source.length === 1 ? sql`any(array(${ownKeys}))` : undefined
  if (startsAtLinkage(edge)) {
    const { id, table } = to
    const key = keyAt(0, id.columns)
    if (!target.facts.isIndexed(table, id.columns)) return isInHashed(key, ownKeys)
    return anyOwnKey ? sql`${key} = ${anyOwnKey}` : sql`${key} in (${ownKeys})`
  }
  const field = getRelationship(from, edge.relationship)
  const { link } = field
  if (!isFoundByKey(field, target)) {
    if (link.foreignKey !== 'join table')
      return isInHashed(toKey(linkKeyAt(link, 'otherKey', 0)), ownKeys)
    const isFrom = isInHashed(toKey(joinKeyAt(link, 'from', 0)), ownKeys)
    const otherKeys = sql`select ${sql.join(joinKeyAt(link, 'to', 0))} from ${joinAt(0, link.joinTable)} where ${isFrom}`
    return sql`${toKey(linkKeyAt(link, 'otherKey', 0))} in (${otherKeys})`
  }
  const referencesId = link.foreignKey !== 'join table' && isSameKey(link.otherKey, to.id.columns)
  const usesId = referencesId || isSameKey(link.ownKey, from.id.columns)
  return usesId && anyOwnKey ? isLinkedFrom(0, link, anyOwnKey) : isLinkedFromAny(0, link, ownKeys)
}

/** Returns the key columns of the source rows of an include edge. */
function listSourceColumns(edge: LocatedIncludeEdge, { model }: Target): KeyColumns {
  if (startsAtLinkage(edge)) return getResourceType(model, edge.to).id.columns
  return getRelationship(getResourceType(model, edge.type), edge.relationship).link.ownKey
}

/** Compiles the columns of a row set: those of its layout, and the keys of the include edges. */
function compileRowSetColumns(
  shape: ReadShape,
  rowSet: number,
  layout: RowLayout,
  target: Target,
): Sql {
  const columns = new Set([
    ...listLayoutColumns(layout, target),
    ...listEdgeColumns(shape, rowSet, target),
  ])
  return sql.join(
    [...columns].map((column) => columnAt(0, column)),
    sql.raw(', '),
  )
}

/** Lists the columns that the id, the values and the linkages of a layout are computed from; a column may be listed twice. */
function listLayoutColumns(layout: RowLayout, target: Target): string[] {
  const resource = getResourceType(target.model, layout.type)
  const ownKeyOf = (name: string) => getRelationship(resource, name).link.ownKey
  const columns: string[] = [...resource.id.columns]
  const addColumn = (column: string): Sql => {
    columns.push(column)
    return columnAt(0, column)
  }
  for (const value of layout.values) {
    if ('column' in value) columns.push(value.column)
    else if ('versionOf' in value) columns.push(...value.versionOf)
    else if ('count' in value) columns.push(...ownKeyOf(value.count))
    else getAttribute(resource, value.expression).expression(addColumn, target.dialect)
  }
  return [...columns, ...layout.linkages.flatMap(({ relationship }) => ownKeyOf(relationship))]
}

/** Lists the key columns by which the include edges lead from and to a row set; a column may be listed twice. */
function listEdgeColumns(shape: ReadShape, rowSet: number, target: Target): string[] {
  const fromRowSet = shape.includeEdges.filter(({ parent }) => parent === rowSet)
  const columns = fromRowSet.flatMap((edge) => [...listSourceColumns(edge, target)])
  const edge = shape.includeEdges[rowSet]
  if (edge === undefined || !isLinkageFromIncluded(shape, rowSet, target)) return columns
  const owner = getResourceType(target.model, edge.type)
  return [...columns, ...getRelationship(owner, edge.relationship).link.otherKey]
}
