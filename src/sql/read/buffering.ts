import type { ReadShape } from '../../plan/read.ts'

/** The most rows that a read holds in memory; a longer list is streamed. */
export const maxBufferedRows = 500

/** The same for the response to a write and for a read inside of a transaction, which cannot be streamed. */
export const maxWriteResources = 10_000

/** The most characters of the texts that a read holds in memory; a longer document is streamed. */
export const maxBufferedText = 2 ** 20
/** The same for the response to a write, without the written resource itself. */
export const maxWriteText = 32 * 2 ** 20

/** The most ids in the linkage of one relationship that a read holds in memory. */
export const maxBufferedLinkage = 10_000
/** The same for the response to a write, which cannot be streamed. */
export const maxWriteLinkage = 100_000

/** Whether the primary data is a list, which may have any number of rows. */
export function isList(shape: ReadShape): boolean {
  return shape.order.length > 0
}

/** Whether the primary data is a list without pages, which may have more rows than fit in memory. */
export function isUnbounded(shape: ReadShape): boolean {
  return isList(shape) && !shape.isPaged
}
