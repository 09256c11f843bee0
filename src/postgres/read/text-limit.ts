import { type Sql, sql } from '../../model/dialect.ts'
import { traitsOf } from '../../model/kinds/codec-names.ts'
import { getResourceType } from '../../model/model.ts'
import { primaryRowSet } from '../../plan/include.ts'
import type { ReadShape } from '../../plan/read.ts'
import { findIncludedLayout } from '../../plan/read-result.ts'
import type { RowLayout } from '../../plan/row-layout.ts'
import {
  type DocumentBudget,
  isList,
  readBudget,
  writeBudget,
} from '../../sql/read/document-budget.ts'
import { rawParam } from '../../sql/statement.ts'
import { columnAt, getAttribute, type Target } from '../../sql/tables.ts'

// Bounded text on PostgreSQL. A statement that reads a document returns one row, which PostgreSQL and the server
// hold in memory. A statement cannot stop when its texts have reached a total without a second pass over the rows, so each row has
// a limit of its own: the total divided by the number of rows that there may be. A row with more text is null in the result.
// PostgreSQL knows the size of a stored text without reading it, so a document of large texts costs little until it is streamed.

/** The most bytes of text in the primary rows of a list, and in all included rows, that a statement returns. */
const [maxPrimaryText, maxIncludedText] = [2 ** 24, 2 ** 25]
/** A row may always have this many bytes, however many include edges a document has. */
const minRowText = 2048
/** The same in the response to a write: its budget in characters, which have up to four bytes. */
const maxWriteBytes = 4 * writeBudget.text
/** The stored bytes from which the text of a value is measured, if it may be compressed or is not stored as text. */
const minMeasured = 256

/** Whether a row of a row set has too much text; `undefined` if it cannot. */
export type CompileIsLarge = (rowSet: number) => Sql | undefined

/** The name of the common table expression that says whether the included rows of a write have too much text. */
const included = sql.id('included_text')

/**
 * Compiles the limit of a document: of each row of a read, of all included rows of the response to a write. Its conditions are about
 * the row `t0` of a row set.
 */
export function compileTextLimit(
  shape: ReadShape,
  target: Target,
  { is }: DocumentBudget,
  /** Whether an include edge may have more rows than its source. */
  mayGrow: (rowSet: number) => boolean,
): CompileIsLarge {
  return (rowSet) => {
    const size = compileSize(layoutOf(shape, rowSet), target)
    if (size === undefined) return undefined
    if (is === 'write')
      return rowSet === primaryRowSet ? undefined : sql`(select is_large from ${included})`
    return compileIsLargeRow(size, shape, rowSet, mayGrow)
  }
}

/** Compiles the common table expression that the limit of a write refers to; nothing for a read. */
export function compileIncludedText(
  shape: ReadShape,
  target: Target,
  { budget, nameOf }: Readonly<{ budget: DocumentBudget; nameOf: (rowSet: number) => Sql }>,
): Sql[] {
  if (budget.is === 'read') return []
  const sums = shape.includeEdges.flatMap((_, index) => {
    const size = compileSize(layoutOf(shape, index), target)
    return size ? [sql`coalesce((select sum(${size}) from ${nameOf(index)} as "t0"), 0)`] : []
  })
  if (sums.length === 0) return []
  const total = sql.join(sums, sql.raw(' + '))
  return [
    sql`${included} as materialized (select ${total} > ${sql.lit(maxWriteBytes)} as is_large)`,
  ]
}

function layoutOf(shape: ReadShape, rowSet: number): RowLayout {
  const edge = shape.includeEdges[rowSet]
  return edge === undefined ? shape.primary : findIncludedLayout(shape, edge.to)
}

/** Compiles whether a row has more than its part of the total. The size of the page is a parameter. */
function compileIsLargeRow(
  size: Sql,
  shape: ReadShape,
  rowSet: number,
  mayGrow: (rowSet: number) => boolean,
): Sql | undefined {
  const { includeEdges, isPaged } = shape
  const isPrimary = rowSet === primaryRowSet
  if (isPrimary && !isList(shape)) return undefined
  const total = isPrimary ? maxPrimaryText : Math.floor(maxIncludedText / includeEdges.length)
  if (!isPrimary && isGrown(shape, rowSet, mayGrow))
    return isAbove(size, total, readBudget.resources)
  if (!isList(shape)) return isAbove(size, total, 1)
  if (!isPaged) return isAbove(size, total, readBudget.resources)
  return sql`${size} > ${sql.lit(total)} / nullif(${rawParam('limit')}::bigint, 0)`
}

function isAbove(size: Sql, total: number, rows: number): Sql {
  return sql`${size} > ${sql.lit(Math.max(Math.floor(total / rows), minRowText))}`
}

/** Whether a row set may have more rows than the primary data. */
function isGrown(
  { includeEdges }: ReadShape,
  rowSet: number,
  mayGrow: (rowSet: number) => boolean,
): boolean {
  for (let at = rowSet; at !== primaryRowSet; at = includeEdges[at]?.parent ?? primaryRowSet)
    if (mayGrow(at)) return true
  return false
}

/** Compiles the bytes of the texts of `t0`; `undefined` if it has none. */
function compileSize(layout: RowLayout, target: Target): Sql | undefined {
  const sizes = compileSizes(layout, target)
  const [first] = sizes
  if (first === undefined) return undefined
  if (sizes.length === 1) return first
  const terms = sizes.map((size) => sql`coalesce(${size}, 0)`)
  return sql`(0::bigint + ${sql.join(terms, sql.raw(' + '))})`
}

function compileSizes(layout: RowLayout, target: Target): Sql[] {
  const resource = getResourceType(target.model, layout.type)
  const sizes = new Map<string, Sql>()
  for (const value of layout.values) {
    // The text of a version is short.
    if ('count' in value || 'versionOf' in value) continue
    if ('column' in value) {
      const size = compileColumnSize(value.column, value.codec)
      if (size) sizes.set(value.column, size)
      continue
    }
    const addColumn = (column: string): Sql => {
      sizes.set(column, compileMeasuredSize(column))
      return columnAt(0, column)
    }
    getAttribute(resource, value.expression).expression(addColumn, target.dialect)
  }
  return [...sizes.values()]
}

function compileColumnSize(column: string, codec: unknown): Sql | undefined {
  if (!traitsOf(codec).mayBeLong) return undefined
  return codec === 'text'
    ? sql`octet_length(${columnAt(0, column)}::text)`
    : compileMeasuredSize(column)
}

/** Compiles the size of a value of any type. The size of a stored value is known without reading it; that of its text is not. */
function compileMeasuredSize(column: string): Sql {
  const value = columnAt(0, column)
  return sql`case when pg_column_size(${value}) > ${sql.lit(minMeasured)} then octet_length(${value}::text) else 0 end`
}
