import { type Dialect, type Sql, sql } from '../../model/dialect.ts'
import type { LocatedIncludeEdge } from '../../plan/projection.ts'
import type { ReadShape } from '../../plan/read.ts'
import { findIncludedLayout } from '../../plan/read-result.ts'
import type { Row, RowLayout } from '../../plan/row-layout.ts'
import { isLinkageFromIncluded } from '../linkage.ts'
import { compileLoad } from '../select.ts'
import type { Statement } from '../statement.ts'
import type { Target } from '../tables.ts'

/** The rows that the one row of a whole read holds, as their layouts say. */
export interface AggregatedRows {
  readonly primary: readonly Row[]
  /** What each step of the inclusion adds. */
  readonly additions: readonly (readonly Row[])[]
}

/** Makes what reads the JSON arrays of a whole read: the primary rows, then what each step adds; null stands for none. */
export function compileAggregatedRows(
  shape: ReadShape,
  target: Target,
): (primary: unknown, additions: readonly unknown[]) => AggregatedRows {
  const { dialect, model } = target
  const load = compileLoad(shape.primary, dialect)
  const isLong = isTooLong(shape.primary)
  const readers = shape.includeEdges.map((step, index) => {
    const reader = compileAddition(shape, step, dialect)
    return isLinkageFromIncluded(shape, index, model) ? linking(step.keyIndex, reader) : reader
  })
  return (gathered, additions) => {
    const primary = loadRows(rowsIn(gathered, isLong), load)
    return { primary, additions: readers.map((read, step) => read(additions[step], primary)) }
  }
}

/** Reads what a step adds; may write into the primary rows. */
type ReadAddition = (gathered: unknown, primary: readonly unknown[][]) => unknown[][]

function compileAddition(
  shape: ReadShape,
  { to }: LocatedIncludeEdge,
  dialect: Dialect,
): ReadAddition {
  const layout = findIncludedLayout(shape, to)
  const load = compileLoad(layout, dialect)
  const isLong = isTooLong(layout)
  return (gathered) => loadRows(rowsIn(gathered, isLong), load)
}

/** The same for pairs of a row and the id of the primary row that leads to it, whose linkage stands at an index. */
function linking(at: number, read: ReadAddition): ReadAddition {
  return (gathered, primary) => {
    const linkages = new Map<unknown, unknown[]>()
    for (const row of primary) {
      const ids: unknown[] = []
      row[at] = ids
      linkages.set(row[0], ids)
    }
    // The statement gathers pairs.
    const pairs = (gathered ?? []) as readonly (readonly [row: unknown[], from: string])[]
    const rows = read(
      pairs.map(([row]) => row),
      primary,
    )
    for (const [index, [, from]] of pairs.entries()) linkages.get(from)?.push(rows[index]?.[0])
    return rows
  }
}

/** Turns rows as the driver has them into what their layout says, in place. */
export function loadRows(rows: unknown[][], load: Statement['load']): unknown[][] {
  if (load) for (const row of rows) load(row)
  return rows
}

/** More arguments than this no function of PostgreSQL takes. */
const mostArguments = 100

/** A row as a JSON array. One too long for a function's arguments is an array of arrays, which `rowsIn` makes one again. */
export function jsonArray(values: readonly Sql[]): Sql {
  if (values.length <= mostArguments) return sql`json_build_array(${sql.join([...values])})`
  const parts: Sql[] = []
  for (let at = 0; at < values.length; at += mostArguments)
    parts.push(jsonArray(values.slice(at, at + mostArguments)))
  return jsonArray(parts)
}

function isTooLong({ values, linkages }: RowLayout): boolean {
  return 1 + values.length + linkages.length > mostArguments
}

/** Rows that the server has gathered into a JSON array, which the driver has read; null stands for none. */
function rowsIn(gathered: unknown, isLong: boolean): unknown[][] {
  // The statements gather arrays.
  const rows = (gathered ?? []) as unknown[][]
  return isLong ? rows.map((row) => row.flat()) : rows
}
