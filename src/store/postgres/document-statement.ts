import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import { getRelationship, getResourceType, isSameKey, type KeyColumns } from '../../model/model.ts'
import { primaryRowSet } from '../../plan/include.ts'
import { getIncludeEdge, type LocatedIncludeEdge, startsAtLinkage } from '../../plan/projection.ts'
import type { ReadShape } from '../../plan/read.ts'
import { findIncludedLayout } from '../../plan/read-result.ts'
import type { Row, RowLayout } from '../../plan/row-layout.ts'
import { isUnbounded } from '../buffering.ts'
import { isEqualKey, toKey } from '../keys.ts'
import { isLinkedFrom, isLinkedFromAny, joinKeyAt, linkKeyAt } from '../link-keys.ts'
import { earlierRowSets, isLinkageFromIncluded } from '../linkage.ts'
import { findLongPositions, type LongPositions } from '../long-values.ts'
import { compileSelectCount, pathExists, primaryConditions } from '../primary-rows.ts'
import { isFoundByKey } from '../related-rows.ts'
import { compileSelection, isInHashed, type Selection } from '../select.ts'
import { compileOrder, reverseOrder } from '../sort.ts'
import { compileStatement, rawParam, type Statement } from '../statement.ts'
import { rowsAt } from '../table-function.ts'
import {
  and,
  asIdText,
  columnsAt,
  idOrder,
  inScope,
  joinAt,
  keyAt,
  type Target,
  tableAt,
} from '../tables.ts'
import { compileAggregatedRows, jsonArray, jsonRow } from './aggregated-includes.ts'
import { cacheValidator, isSnapshotCurrent } from './counts.ts'
import {
  compileFindLongLinkage,
  createLinkageLimit,
  type FindLongLinkage,
} from './linkage-limit.ts'
import { compileRowSetColumns, listSourceColumns } from './row-set-columns.ts'
import {
  type CompileIsLarge,
  compileIncludedText,
  compileTextLimit,
  type TextLimit,
} from './text-limit.ts'

// Single-statement reads (docs/decisions/0022). A statement reads a complete document, so it takes one round trip and sees one
// snapshot without a transaction. All rows of the benchmark on PostgreSQL depend on it.
//
// Invariant: the result equals that of separate statements on SQLite; property tests compare them.
//
// The primary rows are the common table expression `p`, those of include edge n are `r<n>`. They contain plain columns. Rows are
// converted to JSON after they are filtered, sorted and limited, and without those that an earlier row set contains. A subquery
// keeps its order in an aggregate as long as nothing is joined to it (PostgreSQL 18, 9.21).
//
// The alias `t0` names the rows of the query that it stands in, as in all SQL of the store: the table inside `p` and `r<n>`, and `p` or
// `r<n>` itself where rows are converted.

/** A statement that reads a complete document. */
export interface DocumentStatement extends Statement {
  /** Parses the JSON arrays of its row; returns `undefined` if a row has too much text. */
  readonly parseRows: ReturnType<typeof compileAggregatedRows>
  /** The positions of the values that may be long texts. */
  readonly longPositions: LongPositions
  /** Finds the first row set with more linkage than `maxLinkage`; absent if there is no limit, or no linkage to count. */
  readonly findLongLinkage?: FindLongLinkage | undefined
}

/** The options of the statement of a document. */
export interface DocumentOptions {
  /** The most ids in the linkage of one relationship, of all resources of a row set; absent: none. */
  readonly maxLinkage?: number
  /** The limit of each row set, except a page; absent: none. */
  readonly maxRows?: number
  /** How the text of the rows is limited; absent: not at all. */
  readonly textLimit?: TextLimit
  /** Whether the count is requested only if the cached one is not valid, and with its snapshot id. */
  readonly cachesCount?: boolean
  /**
   * Whether a page is read from the end of its list, in reverse order. Its offset follows from the cached count: if that is not
   * valid, no rows are read. The column of the count contains whether it is valid.
   */
  readonly isReversed?: boolean
  /** A constant limit for offset plus limit of the page (`bounded-pages.ts`); absent: none. */
  readonly rowBound?: number | undefined
}

/**
 * Compiles a read as one statement. Its result is one row with the columns that `splitColumns` splits:
 *
 * - the count of the resources on all pages, or null if the rows show it; a pair with the snapshot id if the count may be cached
 * - whether the resource in the path exists
 * - the primary rows as a JSON array, or null for none; a row with too much text is null
 * - the rows that each include edge adds, in the same way
 * - whether a row set was cut at the limit, if the rows do not show it
 *
 * If the primary data is the resource in the path and it does not exist, there is no row.
 */
export function compileDocumentStatement(
  shape: ReadShape,
  unlimited: Target,
  options: DocumentOptions = {},
): DocumentStatement {
  const { maxLinkage, textLimit } = options
  const target = { ...unlimited, linkageLimit: createLinkageLimit(shape, maxLinkage) }
  const selection = compilePrimarySelection(shape, target)
  const isLarge = compileTextLimit(shape, target, textLimit, (index) =>
    mayGrow(shape, index, target),
  )
  const select = compileColumns(shape, { selection, isLarge }, target, options)
  const primary = compilePrimaryRows(shape, target, options)
  const needsRowSets = shape.includeEdges.length > 0 || selection.joins.length > 0
  const expression = needsRowSets
    ? sql`with ${compileRowSets(shape, primary, target, options)} ${select} from ${compileFrom(selection)}`
    : sql`${select} from (${primary}) as "t0"`
  return {
    ...compileStatement(expression, target.dialect),
    parseRows: compileAggregatedRows(shape, target),
    longPositions: findLongPositions(shape, target.model),
    findLongLinkage: target.linkageLimit && compileFindLongLinkage(shape, target.linkageLimit),
    // A table function may run for long, and nothing cancels a read in a batch when its client disconnects.
    isPointRead:
      shape.addressed.is === 'one' &&
      shape.includeEdges.length === 0 &&
      getResourceType(target.model, shape.type).table.call === undefined &&
      hasColumnsOnly(shape.primary),
  }
}

/** Compiles the columns of the result, in the order of `splitColumns`. */
function compileColumns(
  shape: ReadShape,
  { selection, isLarge }: Readonly<{ selection: Selection; isLarge: CompileIsLarge }>,
  target: Target,
  options: DocumentOptions,
): Sql {
  const { columns, joins } = selection
  const isOne = shape.addressed.is === 'one'
  const json = isOne ? jsonArray(columns) : jsonRow(columns, shape.primary)
  const row = limitedRow(json, isLarge(primaryRowSet))
  const ordered = joins.length > 0 ? sql` order by "t0".${rowNumber}` : sql``
  return sql`select ${sql.join([
    compileCountColumn(shape, target, options),
    isOne ? sql`true` : (pathExists(shape, target) ?? sql`true`),
    isOne ? sql`json_build_array(${row})` : sql`json_agg(${row}${ordered})`,
    ...shape.includeEdges.map((_, index) => compileIncludedColumn(shape, index, target, isLarge)),
    ...compileIsCut(shape, target, options),
  ])}`
}

/** Compiles a row, or null if it has too much text. */
function limitedRow(row: Sql, isLarge: Sql | undefined): Sql {
  return isLarge ? sql`case when ${isLarge} then null else ${row} end` : row
}

/** The columns of the result of a document's statement, as the driver returns them. */
interface DocumentColumns {
  /** Null if the server did not count. */
  readonly count: unknown
  /** Absent if it was not requested. */
  readonly snapshotId: string | null | undefined
  readonly pathExists: boolean
  /** JSON arrays of rows, for `DocumentStatement.parseRows`. */
  readonly primary: unknown
  readonly included: readonly unknown[]
  readonly isCut: boolean
}

/** Splits the row that is the result of a document's statement. Without a row the resource in the path does not exist. */
export function splitColumns(
  [row = []]: readonly Row[],
  { includeEdges }: ReadShape,
): DocumentColumns {
  const [countColumn, pathExists, primary, ...others] = row
  const [count, snapshotId] = Array.isArray(countColumn) ? countColumn : [countColumn]
  return {
    count,
    snapshotId,
    pathExists: pathExists === true,
    primary,
    included: others,
    isCut: others[includeEdges.length] === true,
  }
}

/** Compiles the common table expressions: the primary rows, and the rows of each include edge up to the limit. */
function compileRowSets(
  shape: ReadShape,
  primary: Sql,
  target: Target,
  { maxRows, textLimit }: DocumentOptions,
): Sql {
  const included = shape.includeEdges.map((edge, index) => {
    const isUnlimited = maxRows === undefined || !mayGrow(shape, index, target)
    const limit = isUnlimited ? sql`` : sql` limit ${sql.lit(maxRows)}`
    return sql`${rowSetName(index)} as (${compileRowSet(shape, edge, index, target)}${limit})`
  })
  const text = compileIncludedText(shape, target, { limit: textLimit, nameOf: rowSetName })
  return sql.join([sql`p as materialized (${primary})`, ...included, ...text], sql.raw(', '))
}

/** Compiles the primary rows as `t0`, numbered if they are joined with linkage: joins would lose the order of the rows. */
function compileFrom({ joins }: Selection): Sql {
  if (joins.length === 0) return sql`p as "t0"`
  return sql`(select *, row_number() over () as ${rowNumber} from p) as "t0"${sql.join([...joins], sql``)}`
}

const rowNumber = sql.id('lapidary_row')

/** Returns the layout of primary rows without the linkage that follows from included rows. */
function withoutDerivedLinkage(shape: ReadShape, target: Target): RowLayout {
  const derived = shape.includeEdges
    .filter((_, index) => isLinkageFromIncluded(shape, index, target))
    .map(({ relationship }) => relationship)
  const linkages = shape.primary.linkages.map((linkage) =>
    derived.includes(linkage.relationship) ? { ...linkage, isDerived: true } : linkage,
  )
  return { ...shape.primary, linkages }
}

/** Compiles the columns of the primary rows. The linkage of a single row is a subquery, which takes one scan at most. */
function compilePrimarySelection(shape: ReadShape, target: Target): Selection {
  const layout = withoutDerivedLinkage(shape, target)
  if (shape.order.length > 0) return compileSelection(layout, target, { rows: sql`p` })
  const { aggregateIdsInGroups: _, ...dialect } = target.dialect
  return compileSelection(layout, { ...target, dialect })
}

/** Whether an include edge may have more rows than its source: not if each source row references one by its id. */
function mayGrow({ includeEdges }: ReadShape, index: number, { model }: Target): boolean {
  const edge = includeEdges[index]
  if (edge === undefined || startsAtLinkage(edge)) return false
  const { link } = getRelationship(getResourceType(model, edge.type), edge.relationship)
  const { id } = getResourceType(model, edge.to)
  return link.foreignKey !== 'own' || !isSameKey(link.otherKey, id.columns)
}

/** Compiles whether a row set was cut at the limit, for those whose result does not show it. */
function compileIsCut(shape: ReadShape, target: Target, { maxRows }: DocumentOptions): Sql[] {
  if (maxRows === undefined) return []
  const sizes = shape.includeEdges.flatMap((_, index) => {
    const isVisible = !mayGrow(shape, index, target) || isLinkageFromIncluded(shape, index, target)
    return isVisible ? [] : [sql`(select count(*) from ${rowSetName(index)})`]
  })
  if (sizes.length === 0) return []
  return [sql`greatest(${sql.join(sizes)}) >= ${sql.lit(maxRows)}`]
}

/** Whether a row consists of columns of its table, so that the statement is a point read. */
function hasColumnsOnly({ values, linkages }: RowLayout): boolean {
  return values.every((value) => 'column' in value) && !linkages.some(({ many }) => many)
}

/**
 * Compiles the count of the resources on all pages: null if the rows of the page show it (`countFromRows`), or if the cached count
 * is valid. A count that may be cached comes with its snapshot id.
 */
function compileCountColumn(
  shape: ReadShape,
  target: Target,
  { cachesCount, isReversed }: DocumentOptions,
): Sql {
  if (!shape.isPaged) return sql`null`
  if (isReversed) return isSnapshotCurrent(target)
  const isLast = sql`count(*) < ${rawParam('limit')} and (count(*) > 0 or ${rawParam('offset')}::bigint = 0)`
  const count = sql`(${compileSelectCount(shape, target)})`
  if (!cachesCount) return sql`case when ${isLast} then null else ${count} end`
  const isCountKnown = sql`(${isLast}) or ${isSnapshotCurrent(target)}`
  return sql`case when ${isCountKnown} then null else json_build_array(${count}, ${cacheValidator}) end`
}

function compilePrimaryRows(
  shape: ReadShape,
  target: Target,
  { maxRows, isReversed, rowBound }: DocumentOptions,
): Sql {
  const resource = getResourceType(target.model, shape.type)
  const order = compileOrder(isReversed ? reverseOrder(shape.order) : shape.order, resource, target)
  const orderBy = shape.order.length > 0 ? sql` order by ${order.orderBy}` : sql``
  const isUnlimited = maxRows === undefined || !isUnbounded(shape)
  const listLimit = isUnlimited ? sql`` : sql` limit ${sql.lit(maxRows)}`
  const limit = shape.isPaged
    ? sql` limit ${rawParam('limit')} offset ${rawParam('offset')}`
    : listLimit
  const select = compileRowSetColumns(shape, primaryRowSet, shape.primary, target)
  const isCountValid = isReversed ? [isSnapshotCurrent(target)] : []
  const where = and([...primaryConditions(shape, 0, target), ...isCountValid])
  const rows = sql`select ${select} from ${rowsAt(0, resource, target)}${order.joins} where ${where}${orderBy}`
  if (rowBound === undefined) return sql`${rows}${limit}`
  return sql`select * from (${rows} limit ${sql.lit(rowBound)}) as "t0"${limit}`
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

/** Whether all rows of an include edge belong to one primary row, and show its linkage. */
function isOwnedByOne(shape: ReadShape, index: number, target: Target): boolean {
  return shape.addressed.is === 'one' && isLinkageFromIncluded(shape, index, target)
}

/** Compiles the join of a row that belongs to one primary row with the latter. */
function joinOwner(shape: ReadShape, edge: LocatedIncludeEdge, { model }: Target): Sql {
  const { link } = getRelationship(getResourceType(model, shape.type), edge.relationship)
  const ownKey = link.ownKey.map((column) => sql`p.${sql.id(column)}`)
  return sql` join p on ${isEqualKey(ownKey, columnsAt(0, link.otherKey))}`
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
    const isIndexed = target.isIndexed?.(table, id.columns) ?? true
    if (!isIndexed) return isInHashed(key, ownKeys)
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

/** Compiles the rows that an include edge adds to the earlier row sets, in the order of their ids. */
function compileIncludedColumn(
  shape: ReadShape,
  index: number,
  target: Target,
  isLarge: CompileIsLarge,
): Sql {
  const edge = getIncludeEdge(shape, index)
  const { id } = getResourceType(target.model, edge.to)
  const order = idOrder(0, id, target)
  const rowSet = rowSetName(index)
  const layout = findIncludedLayout(shape, edge.to)
  const { columns, joins } = compileSelection(layout, target, { rows: rowSet })
  const row = limitedRow(jsonRow(columns, layout), isLarge(index))
  if (isLinkageFromIncluded(shape, index, target)) {
    const from = getResourceType(target.model, shape.type)
    const { link } = getRelationship(from, edge.relationship)
    const ownerKey = link.ownKey.map((column) => sql`p.${sql.id(column)}`)
    const ownerId = asIdText(ownerKey, from.id, target)
    const [owner, join] = isOwnedByOne(shape, index, target)
      ? [sql`(select ${ownerId} from p)`, sql``]
      : [ownerId, joinOwner(shape, edge, target)]
    const pair = sql`json_build_array(${row}, ${owner})`
    return sql`(select json_agg(${pair} order by ${order}) from ${rowSet} as "t0"${join}${sql.join([...joins], sql``)})`
  }
  const isNew = compileIsNew(id.columns, earlierRowSets(shape, index))
  if (joins.length > 0)
    return sql`(select json_agg(${row} order by ${order}) from ${rowSet} as "t0"${sql.join([...joins], sql``)} where ${isNew})`
  const rows = sql`select "t0".* from ${rowSet} as "t0" where ${isNew} order by ${order}`
  return sql`(select json_agg(${row}) from (${rows}) as "t0")`
}

/** Compiles whether the row is in none of the earlier row sets of its type. */
function compileIsNew(columns: KeyColumns, earlier: readonly number[]): Sql {
  const included = columns.map((column) => sql`"included".${sql.id(column)}`)
  const isSame = isEqualKey(included, columnsAt(0, columns))
  return and(
    earlier.map(
      (rowSet) =>
        sql`not exists (select 1 from ${rowSetName(rowSet)} as "included" where ${isSame})`,
    ),
  )
}

function rowSetName(index: number): Sql {
  return index === primaryRowSet ? sql`p` : sql.id(`r${index}`)
}
