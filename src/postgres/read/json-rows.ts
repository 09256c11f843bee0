import { type Sql, sql } from '../../model/dialect.ts'
import { type Codec, getCodec } from '../../model/kinds/codecs.ts'
import type { LocatedIncludeEdge } from '../../plan/include.ts'
import type { ReadShape } from '../../plan/read.ts'
import { findIncludedLayout } from '../../plan/read-result.ts'
import type { Row, RowLayout } from '../../plan/row-layout.ts'
import { isLinkageFromIncluded } from '../../sql/read/linkage.ts'
import { compileLoad } from '../../sql/read/select.ts'
import { loadRows } from '../../sql/statement-values.ts'
import type { Target } from '../../sql/tables.ts'
import { postgres } from '../database.ts'

/** The rows of a document. */
export interface DocumentRows {
  readonly primary: readonly Row[]
  /** The rows of each include edge. */
  readonly included: readonly (readonly Row[])[]
}

/**
 * Compiles the parser of the JSON arrays of a document: the primary rows, then the rows of each include edge; null means none. It
 * returns `undefined` if a row is null, because it has too much text.
 */
export function compileRowParser(
  shape: ReadShape,
  target: Target,
): (primary: unknown, included: readonly unknown[]) => DocumentRows | undefined {
  const load = compileLoad(shape.primary, target)
  // A page between cursors has its keys and the number of its rows at the end of each row.
  const isNested = hasNestedRows(shape.primary, shape.cursors ? shape.cursors.keyCount + 1 : 0)
  const parsers = shape.includeEdges.map((edge, index) => {
    const parse = compileEdgeParser(shape, edge, target)
    return isLinkageFromIncluded(shape, index, target) ? addLinkage(edge.keyIndex, parse) : parse
  })
  return (primaryArray, edgeArrays) => {
    const primaryRows = parseRows(primaryArray, isNested)
    if (primaryRows === undefined) return undefined
    const primary = loadRows(primaryRows, load)
    const included: unknown[][][] = []
    for (const [edge, parse] of parsers.entries()) {
      const rows = parse(edgeArrays[edge], primary)
      if (rows === undefined) return undefined
      included.push(rows)
    }
    return { primary, included }
  }
}

/** Parses the rows of an include edge; may write linkage into the primary rows. */
type ParseEdgeRows = (array: unknown, primary: readonly unknown[][]) => unknown[][] | undefined

function compileEdgeParser(
  shape: ReadShape,
  { to }: LocatedIncludeEdge,
  target: Target,
): ParseEdgeRows {
  const layout = findIncludedLayout(shape, to)
  const load = compileLoad(layout, target)
  const isNested = hasNestedRows(layout)
  return (array) => {
    const rows = parseRows(array, isNested)
    return rows && loadRows(rows, load)
  }
}

/**
 * Parses pairs of an included row and the id of its primary row, and adds the linkage to the primary rows.
 * @param at - the index of the linkage in a primary row
 */
function addLinkage(at: number, parse: ParseEdgeRows): ParseEdgeRows {
  return (array, primary) => {
    const linkages = new Map<unknown, unknown[]>()
    for (const row of primary) {
      const ids: unknown[] = []
      row[at] = ids
      linkages.set(row[0], ids)
    }
    // The statement aggregates pairs.
    const pairs = (array ?? []) as readonly (readonly [row: unknown[], owner: string])[]
    const rows = parse(
      pairs.map(([row]) => row),
      primary,
    )
    if (rows === undefined) return undefined
    for (const [index, [, owner]] of pairs.entries()) linkages.get(owner)?.push(rows[index]?.[0])
    return rows
  }
}

/** The most arguments of a function (PostgreSQL 18, Appendix K). */
const maxArguments = 100
/** The fewest columns from which PostgreSQL builds an array faster than a JSON array of arguments. */
const minArrayColumns = 4

/** Compiles a row of many as a JSON array. With more columns than a function has arguments, it is an array of arrays. */
export function jsonRow(columns: readonly Sql[], { values }: RowLayout): Sql {
  // The elements of an array have one type. `json_build_array` looks up the type of each argument in each row: 6 % of the time that
  // PostgreSQL takes for row `list` of the benchmark.
  const isArray = columns.length >= minArrayColumns && columns.length <= maxArguments
  const isText = isArray && values.every(({ codec }) => isReadAsText(codec))
  return isText ? sql`to_json(array[${sql.join([...columns])}])` : jsonArray(columns)
}

/** Whether the values of a codec are selected as text; `false` for a codec that an application defines. */
function isReadAsText(codec: Codec): boolean {
  return typeof codec === 'string' && getCodec(codec, postgres).select !== undefined
}

/** Compiles a row as a JSON array, or as an array of arrays. */
export function jsonArray(columns: readonly Sql[]): Sql {
  if (columns.length <= maxArguments) return sql`json_build_array(${sql.join([...columns])})`
  const parts: Sql[] = []
  for (let at = 0; at < columns.length; at += maxArguments)
    parts.push(jsonArray(columns.slice(at, at + maxArguments)))
  return jsonArray(parts)
}

/** Whether the rows of a layout are arrays of arrays. */
function hasNestedRows({ values, linkages }: RowLayout, others = 0): boolean {
  return 1 + values.length + linkages.length + others > maxArguments
}

/** Returns the rows of a JSON array that the driver has parsed; `undefined` if one is null. */
function parseRows(array: unknown, isNested: boolean): unknown[][] | undefined {
  // The statement aggregates arrays.
  const rows = (array ?? []) as unknown[][]
  const hasNull = (rows as readonly unknown[]).includes(null)
  if (hasNull) return undefined
  return isNested ? rows.map((row) => row.flat()) : rows
}
