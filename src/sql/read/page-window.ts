import type { Page } from '../../plan/page.ts'
import type { ReadPlan } from '../../plan/read.ts'
import type { CompleteRows } from '../../plan/read-result.ts'
import type { Row } from '../../plan/row-layout.ts'

/** The rows of a page as limit and offset, from the start of the list or, in reverse order, from its end. */
interface PageWindow {
  readonly from: 'start' | 'end'
  /** 0 for a page behind the last one. */
  readonly limit: number
  readonly offset: number
}

/** Computes the window of a page from the nearer end of the list. @param total - the rows of the list */
export function pageWindow({ number, size }: Page, total: number): PageWindow {
  const start = Math.min((number - 1) * size, total)
  const end = Math.min(start + size, total)
  const limit = end - start
  return start <= total - end
    ? { from: 'start', limit, offset: start }
    : { from: 'end', limit, offset: total - end }
}

/**
 * Derives the number of resources on all pages from the rows of one page: the last page, which is not full, shows it, and so
 * does a list without pages.
 * @param rows - the number of rows that were read
 * @param maxRows - the number of rows at which the statement cut a larger page; absent: it cut none
 * @returns `undefined` if the rows have to be counted
 */
export function countFromRows(
  { page }: ReadPlan,
  rows: number,
  maxRows = Number.POSITIVE_INFINITY,
): number | undefined {
  if (page === undefined) return rows
  if (page.cursors) {
    const isComplete = page.cursors.after === undefined && page.cursors.before === undefined
    return isComplete && rows <= Math.min(page.size, maxRows - 1) ? rows : undefined
  }
  const isLast = rows < Math.min(page.size, maxRows) && (rows > 0 || page.number === 1)
  return isLast ? (page.number - 1) * page.size + rows : undefined
}

/** Cuts off the row that shows that there are rows behind a page between cursors. */
export function cutPage(
  { page, shape }: ReadPlan,
  rows: readonly Row[],
): Pick<CompleteRows, 'primary' | 'hasMore'> {
  if (page?.cursors === undefined) return { primary: rows }
  const hasMore = rows.length > page.size
  if (!hasMore) return { primary: rows, hasMore }
  const primary = shape.cursors?.direction === 'backward' ? rows.slice(1) : rows.slice(0, -1)
  return { primary, hasMore }
}
