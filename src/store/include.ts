import type { ReadShape } from '../plan/read.ts'
import type { Batch, WholeRows } from '../plan/result.ts'
import type { Row } from '../plan/rows.ts'
import { type IncludeRead, startsAtLinkage } from '../plan/shown.ts'

/** Fetches what a step includes. */
export interface Fetch {
  /** The rows of a type that have one of the ids. */
  byIds(type: string, ids: readonly string[]): readonly Row[]
  /**
   * Where the rows of a step tell the linkage that it follows: the rows, and behind each the position of its owner among
   * the primary rows.
   */
  owned(step: number, primary: readonly Row[]): readonly Row[] | undefined
}

/** Rows in hand with what is included. */
export type Followed = Pick<WholeRows, 'primary' | 'included'>

/**
 * Follows the steps of an inclusion from rows in hand: at most one fetch a step, however many rows there are.
 * No resource comes twice, the primary ones counted.
 *
 * @param rows - those of the primary data, as the shape's primary layout has them but for linkage that steps tell
 * @returns the rows with all linkage, and what is included
 */
export function followSteps(shape: ReadShape, rows: readonly Row[], fetch: Fetch): Followed {
  if (shape.steps.length === 0) return { primary: rows, included: [] }
  const owned = shape.steps.map((_, index) => fetch.owned(index, rows))
  const primary = shape.steps.reduce(
    (before, step, index) => withLinkage(before, step, owned[index]),
    rows,
  )
  const known = new Map<string, Map<string, Row>>()
  const rowsOf = (type: string): Map<string, Row> => {
    const ofType = known.get(type) ?? new Map<string, Row>()
    known.set(type, ofType)
    return ofType
  }
  const leadsBack = shape.steps.some(({ to }) => to === shape.type)
  if (leadsBack && !shape.steps.some(startsAtLinkage)) remember(primary, rowsOf(shape.type))
  const reached: (readonly Row[])[] = []
  const included = shape.steps.map((step, index): Batch => {
    const told = owned[index]
    if (told) {
      if (shape.steps.length > 1) remember(told, rowsOf(step.to))
      reached.push(told)
      return { type: step.to, rows: told }
    }
    const ofType = rowsOf(step.to)
    const ids = linked(step.from === -1 ? primary : (reached[step.from] ?? []), step)
    const missing = ids.filter((id) => !ofType.has(id))
    const fetched = missing.length === 0 ? [] : fetch.byIds(step.to, missing)
    // Nothing starts from what the last step reaches.
    if (index < shape.steps.length - 1) {
      remember(fetched, ofType)
      reached.push(ids.map((id) => ofType.get(id)).filter((row) => row !== undefined))
    }
    return { type: step.to, rows: fetched }
  })
  return { primary, included }
}

/** Gives each row the ids of what it owns, in the order of the rows that tell it, where some do. */
function withLinkage(
  rows: readonly Row[],
  { at }: IncludeRead,
  owned: readonly Row[] | undefined,
): readonly Row[] {
  if (owned === undefined) return rows
  const linkages = rows.map((): string[] => [])
  for (const row of owned) linkages[Number(row.at(-1))]?.push(String(row[0]))
  return rows.map((row, index) => row.with(at, linkages[index]))
}

function remember(rows: readonly Row[], known: Map<string, Row>): void {
  for (const row of rows) known.set(String(row[0]), row)
}

/** The ids that rows hold for a step, each once, in the order met. */
function linked(rows: readonly Row[], { at, many }: IncludeRead): string[] {
  const ids = new Set<string>()
  for (const row of rows) {
    const linkage = row[at]
    if (linkage === null) continue
    if (!many) ids.add(String(linkage))
    // As rows are laid out, it is an array of ids.
    else for (const id of linkage as readonly string[]) ids.add(id)
  }
  return [...ids]
}
