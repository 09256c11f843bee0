import type { ReadShape } from '../plan/read.ts'
import type { Batch } from '../plan/result.ts'
import type { Row } from '../plan/rows.ts'
import { type IncludeRead, startsAtLinkage } from '../plan/shown.ts'

/** Fetches the rows of a type that have one of the ids. */
export type Fetch = (type: string, ids: readonly string[]) => readonly Row[]

/**
 * Follows the steps of an inclusion from rows in hand: at most one fetch a step, however many rows there are.
 * No resource comes twice, the primary ones counted.
 *
 * @param primary - the rows of the primary data, as the shape's primary layout has them
 */
export function followSteps(shape: ReadShape, primary: readonly Row[], fetch: Fetch): Batch[] {
  if (shape.steps.length === 0) return []
  const known = new Map<string, Map<string, Row>>()
  const rowsOf = (type: string): Map<string, Row> => {
    const rows = known.get(type) ?? new Map<string, Row>()
    known.set(type, rows)
    return rows
  }
  const leadsBack = shape.steps.some(({ to }) => to === shape.type)
  if (leadsBack && !shape.steps.some(startsAtLinkage)) remember(primary, rowsOf(shape.type))
  const reached: (readonly Row[])[] = []
  return shape.steps.map((step, index): Batch => {
    const ids = linked(step.from === -1 ? primary : (reached[step.from] ?? []), step)
    const rows = rowsOf(step.to)
    const missing = ids.filter((id) => !rows.has(id))
    const fetched = missing.length === 0 ? [] : fetch(step.to, missing)
    // Nothing starts from what the last step reaches.
    if (index < shape.steps.length - 1) {
      remember(fetched, rows)
      reached.push(ids.map((id) => rows.get(id)).filter((row) => row !== undefined))
    }
    return { type: step.to, rows: fetched }
  })
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
