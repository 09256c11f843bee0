import type { Dialect } from '../../model/dialect.ts'
import type { ReadShape } from '../../plan/read.ts'
import { includedLayout } from '../../plan/result.ts'
import type { Row } from '../../plan/rows.ts'
import type { IncludeRead } from '../../plan/shown.ts'
import { tellsLinkage } from '../linkage.ts'
import { compileLoad } from '../select.ts'
import type { Statement } from '../statement.ts'
import type { Target } from '../tables.ts'

/** The rows that the one row of a whole read holds, as their layouts say. */
export interface Gathered {
  readonly primary: readonly Row[]
  /** What each step of the inclusion adds. */
  readonly additions: readonly (readonly Row[])[]
}

/** Makes what reads the JSON arrays of a whole read: the primary rows, then what each step adds; null stands for none. */
export function compileGathered(
  shape: ReadShape,
  target: Target,
): (primary: unknown, additions: readonly unknown[]) => Gathered {
  const { dialect, model } = target
  const load = compileLoad(shape.primary, dialect)
  const readers = shape.steps.map((step, index) => {
    const reader = compileAddition(shape, step, dialect)
    return tellsLinkage(shape, index, model) ? linking(step.at, reader) : reader
  })
  return (gathered, additions) => {
    const primary = loaded(gathered, load)
    return { primary, additions: readers.map((read, step) => read(additions[step], primary)) }
  }
}

/** Reads what a step adds; may write into the primary rows. */
type ReadAddition = (gathered: unknown, primary: readonly unknown[][]) => unknown[][]

function compileAddition(shape: ReadShape, { to }: IncludeRead, dialect: Dialect): ReadAddition {
  const load = compileLoad(includedLayout(shape, to), dialect)
  return (gathered) => loaded(gathered, load)
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
    const rows = pairs.map(([row, from]) => {
      linkages.get(from)?.push(row[0])
      return row
    })
    return read(rows, primary)
  }
}

/** Rows that the server has gathered into a JSON array, which the driver has read, as their layout says. */
export function loaded(gathered: unknown, load: Statement['load']): unknown[][] {
  // The statements gather arrays.
  const rows = (gathered ?? []) as unknown[][]
  if (load) for (const row of rows) load(row)
  return rows
}
