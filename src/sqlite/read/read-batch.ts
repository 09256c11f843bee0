import { countCharacters } from '../../sql/read/document-budget.ts'

/** A batch of rows ends with the row that exceeds this number of characters. */
const maxBatchLength = 256 * 1024

/** Reads rows up to a number of rows and a number of characters. */
export function readBatch(
  readNext: () => unknown[] | undefined,
  size: number,
  maxLength = maxBatchLength,
): Readonly<{ rows: unknown[][]; isLast: boolean }> {
  const rows: unknown[][] = []
  let length = 0
  while (rows.length < size && length < maxLength) {
    const row = readNext()
    if (row === undefined) return { rows, isLast: true }
    length += countCharacters(row)
    rows.push(row)
  }
  return { rows, isLast: false }
}
