import type { Page } from '../../plan/page.ts'
import type { ReadPlan } from '../../plan/read.ts'

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
  const isLast = rows < Math.min(page.size, maxRows) && (rows > 0 || page.number === 1)
  return isLast ? (page.number - 1) * page.size + rows : undefined
}
