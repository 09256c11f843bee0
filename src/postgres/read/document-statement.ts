import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import { getRelationship, getResourceType, type KeyColumns } from '../../model/model.ts'
import { getIncludeEdge, primaryRowSet } from '../../plan/include.ts'
import type { ReadShape } from '../../plan/read.ts'
import { findIncludedLayout } from '../../plan/read-result.ts'
import type { Row, RowLayout } from '../../plan/row-layout.ts'
import { isEqualKey } from '../../sql/keys/keys.ts'
import { findPointRead } from '../../sql/read/compile-read.ts'
import {
  type DocumentBudget,
  findLongPositions,
  isList,
  type LongPositions,
} from '../../sql/read/document-budget.ts'
import { earlierRowSets, isLinkageFromIncluded } from '../../sql/read/linkage.ts'
import { compileSelectCount, pathExists } from '../../sql/read/primary-rows.ts'
import { compileSelection, type Selection } from '../../sql/read/select.ts'
import { compileStatement, rawParam, type Statement } from '../../sql/statement.ts'
import {
  and,
  asIdText,
  columnsAt,
  idOrder,
  type LinkageLimit,
  type Target,
} from '../../sql/tables.ts'
import { cacheValidator, isSnapshotCurrent } from './counts.ts'
import { compileRowParser, type DocumentRows, jsonArray, jsonRow } from './json-rows.ts'
import {
  compileCursorValues,
  compilePrimaryRows,
  compileRowSets,
  isOwnedByOne,
  joinOwner,
  mayGrow,
  primaryColumns,
  type RowSetOptions,
  rowSetName,
} from './row-sets.ts'
import { type CompileIsLarge, compileTextLimit } from './text-limit.ts'

// Single-statement reads (docs/decisions/0022). A statement reads a complete document, so it takes one round trip and sees one
// snapshot without a transaction. All rows of the benchmark on PostgreSQL depend on it.
//
// Invariant: the result equals that of separate statements on SQLite; property tests compare them.
//
// The row sets are common table expressions (`row-sets.ts`): `p` for the primary rows, `r<n>` for those of include edge n. Rows are
// converted to JSON after they are filtered, sorted and limited, and without those that an earlier row set contains. A subquery
// keeps its order in an aggregate as long as nothing is joined to it (PostgreSQL 18, 9.21).
//
// The alias `t0` names the rows of the query that it stands in, as in all SQL of the store: the table inside `p` and `r<n>`, and `p` or
// `r<n>` itself where rows are converted.

/** A statement that reads a complete document. */
export interface DocumentStatement extends Statement {
  /** Parses the JSON arrays of its row; returns `undefined` if a row has too much text. */
  readonly parseRows: ReturnType<typeof compileRowParser>
  /** The positions of the values that may be long texts. */
  readonly longPositions: LongPositions
  /** Finds the first row set with more linkage than the budget; absent if there is no linkage to count. */
  readonly findLongLinkage?: FindLongLinkage | undefined
}

/** The options of the statement of a document. */
export interface DocumentOptions extends RowSetOptions {
  /** Whether the count is requested only if the cached one is not valid, and with its snapshot id. */
  readonly cachesCount?: boolean
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
  options: DocumentOptions,
): DocumentStatement {
  const linkageLimit = createLinkageLimit(shape, options.budget)
  const target = { ...unlimited, linkageLimit }
  const selection = compilePrimarySelection(shape, target)
  const isLarge = compileTextLimit(shape, target, options.budget, (index) =>
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
    parseRows: compileRowParser(shape, target),
    longPositions: findLongPositions(shape, target.model),
    findLongLinkage: compileFindLongLinkage(shape, linkageLimit),
    pointRead: findPointRead(shape, target),
  }
}

/** Compiles the columns of the result, in the order of `splitColumns`. */
function compileColumns(
  shape: ReadShape,
  { selection, isLarge }: Readonly<{ selection: Selection; isLarge: CompileIsLarge }>,
  target: Target,
  options: DocumentOptions,
): Sql {
  const { joins } = selection
  const columns = [...selection.columns, ...compileCursorValues(shape, target)]
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
  const rows = isList(shape) ? { rows: sql`p` } : { isOneRow: true }
  return compileSelection(layout, target, rows)
}

/** Compiles whether a row set was cut at the limit, for those whose result does not show it. */
function compileIsCut(shape: ReadShape, target: Target, { budget }: DocumentOptions): Sql[] {
  const sizes = shape.includeEdges.flatMap((_, index) => {
    const isVisible = !mayGrow(shape, index, target) || isLinkageFromIncluded(shape, index, target)
    return isVisible ? [] : [sql`(select count(*) from ${rowSetName(index)})`]
  })
  if (sizes.length === 0) return []
  return [sql`greatest(${sql.join(sizes)}) >= ${sql.lit(budget.resources + 1)}`]
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
  const total = shape.cursors?.total
  if (!shape.isPaged || total === 'none') return sql`null`
  if (isReversed) return isSnapshotCurrent(target)
  // A page between cursors does not show how many resources are on other pages.
  const isLast = shape.cursors
    ? sql`false`
    : sql`count(*) < ${rawParam('limit')} and (count(*) > 0 or ${rawParam('offset')}::bigint = 0)`
  const count = sql`(${compileSelectCount(shape, target)})`
  if (!cachesCount) return sql`case when ${isLast} then null else ${count} end`
  const isCountKnown = sql`(${isLast}) or ${isSnapshotCurrent(target)}`
  return sql`case when ${isCountKnown} then null else json_build_array(${count}, ${cacheValidator}) end`
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
    const ownerId = asIdText(primaryColumns(link.ownKey), from.id, target)
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

// The linkage of a document that is read by one statement. A statement cannot stop at a number of ids of all
// of its rows, so it stops at a number for each row. Whoever receives the rows counts the ids of all.

/** The most ids of a relationship that one of many resources may have in a document in memory. */
const maxLinkageOfOneInMany = 1000

/** Returns the index of the include edge, or `primaryRowSet`, whose rows have more linkage than a limit; `undefined` if none has. */
type FindLongLinkage = (rows: DocumentRows) => number | undefined

/** Creates the limit of the linkage of a document. */
function createLinkageLimit(shape: ReadShape, { linkage }: DocumentBudget): LinkageLimit {
  const hasMany = isList(shape) || shape.includeEdges.length > 0
  const perResource = hasMany ? Math.min(linkage, maxLinkageOfOneInMany) : linkage
  return { perResource, perRelationship: linkage }
}

/** Compiles the search for linkage beyond a limit; `undefined` if no row has an array of ids. */
function compileFindLongLinkage(
  shape: ReadShape,
  limit: LinkageLimit,
): FindLongLinkage | undefined {
  const layouts = shape.includeEdges.map(({ to }) => findIncludedLayout(shape, to))
  const ofPrimary = linkageIndexes(shape.primary)
  const ofIncluded = layouts.map(linkageIndexes)
  if ([ofPrimary, ...ofIncluded].every((indexes) => indexes.length === 0)) return undefined
  return ({ primary, included }) => {
    if (isLong(primary, ofPrimary, limit)) return primaryRowSet
    const edge = included.findIndex((rows, index) => isLong(rows, ofIncluded[index] ?? [], limit))
    return edge === -1 ? undefined : edge
  }
}

/** The indexes of the arrays of ids in a row. */
function linkageIndexes({ values, linkages }: RowLayout): readonly number[] {
  return linkages.flatMap(({ many }, index) => (many ? [1 + values.length + index] : []))
}

function isLong(rows: readonly Row[], indexes: readonly number[], limit: LinkageLimit): boolean {
  return indexes.some((at) => {
    let total = 0
    for (const row of rows) {
      // The layout says that it is an array of ids.
      const { length } = row[at] as readonly string[]
      if (length > limit.perResource) return true
      total += length
    }
    return total > limit.perRelationship
  })
}
