import { NotFoundError } from '../errors/errors.ts'
import type { Page } from '../plan/page.ts'
import type { NotFoundSource, ReadPlan, ReadShape } from '../plan/read.ts'
import type { RunValues } from './statement.ts'

/** A list of more resources than this is streamed when all of it is asked for. */
export const maxBufferedRows = 500

/** Whether any number of rows may be meant, so that they are counted. */
export function isList(shape: ReadShape): boolean {
  return shape.order.length > 0
}

/** Whether all of a list is asked for, which may be more than should be held at once. */
export function isUnbounded(shape: ReadShape): boolean {
  return isList(shape) && !shape.isPaged
}

/** The fault of a resource in the path that is not there. */
export function notFoundError({ type, parameter }: NotFoundSource, id = ''): NotFoundError {
  return new NotFoundError(type, id, parameter)
}

/**
 * How many there are over all pages, where the rows of one say it: when all were read, and when a page is not full.
 * @param rows - how many were read
 */
export function countFromRows({ page }: ReadPlan, rows: number): number | undefined {
  if (page === undefined) return rows
  const isLast = rows < page.size && (rows > 0 || page.number === 1)
  return isLast ? (page.number - 1) * page.size + rows : undefined
}

/** Where the rows of a page stand in a list, read from its start or, backwards, from its end. */
interface PageWindow {
  readonly from: 'start' | 'end'
  /** How many rows; 0 past the end. */
  readonly limit: number
  readonly offset: bigint
}

/** Where a page stands, from the end that is nearer, in a list of so many rows. */
export function pageWindow({ number, size }: Page, total: number): PageWindow {
  const start = Math.min((number - 1) * size, total)
  const end = Math.min(start + size, total)
  const limit = end - start
  return start <= total - end
    ? { from: 'start', limit, offset: BigInt(start) }
    : { from: 'end', limit, offset: BigInt(total - end) }
}

/** The values of one run of a plan. */
export function createRunValues({ values, page }: ReadPlan, id: string | undefined): RunValues {
  if (page === undefined) return { parameters: values, id }
  // Beyond 2^62 there are no rows in any database; the product of two numbers below 2^53 may be.
  const offset = BigInt(page.number - 1) * BigInt(page.size)
  const last = 2n ** 62n
  return { parameters: values, id, limit: page.size, offset: offset < last ? offset : last }
}
