import type { CompleteRows } from '../../plan/read-result.ts'
import type { Row } from '../../plan/row-layout.ts'
import { maxBufferedText, maxWriteText } from './buffering.ts'
import type { LongPositions } from './long-values.ts'

/** Returns the number of characters in the texts of a row: streams limit the size of a batch by it. */
export function countCharacters(row: readonly unknown[]): number {
  let characters = 0
  for (const value of row) if (typeof value === 'string') characters += value.length
  return characters
}

/** Whether the texts of a document are short enough to hold it in memory; a longer one is streamed. */
export function fitsMemory({ primary, included }: CompleteRows, positions: LongPositions): boolean {
  let characters = countLong(primary, positions.primary)
  for (const [edge, { rows }] of included.entries())
    characters += countLong(rows, positions.included[edge] ?? [])
  return characters <= maxBufferedText
}

function countLong(rows: readonly Row[], positions: readonly number[]): number {
  let characters = 0
  for (const at of positions)
    for (const row of rows) {
      const value = row[at]
      if (typeof value === 'string') characters += value.length
    }
  return characters
}

/** Whether the texts of the included resources are short enough for the response to a write, which cannot be streamed. */
export function fitsWriteResponse({ included }: CompleteRows): boolean {
  return countIncluded(included) <= maxWriteText
}

function countIncluded(included: CompleteRows['included']): number {
  let characters = 0
  for (const { rows } of included) for (const row of rows) characters += countCharacters(row)
  return characters
}
