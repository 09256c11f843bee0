import type { ReadShape } from './read.ts'
import type { Row, RowLayout } from './row-layout.ts'

/** Rows of one resource type, in the layout that the plan has for the type. */
export interface RowBatch {
  readonly type: string
  readonly rows: readonly Row[]
}

/** The result of a read, held in memory. */
export type CompleteRows = Readonly<{
  is: 'complete'
  /** Resources on all pages; `undefined` if they were not counted. */
  count: number | undefined
  /** Whether there are rows behind a page between cursors, in the direction in which it was read; absent for other lists. */
  hasMore?: boolean
  primary: readonly Row[]
  included: readonly RowBatch[]
}>

/**
 * The result of a read. A `complete` result is in memory. A `stream` arrives in batches: the consumer reads all of `primary`,
 * then all of `included`, or stops early by `return()`.
 */
export type Rows =
  | CompleteRows
  | Readonly<{
      is: 'stream'
      primary: AsyncIterable<readonly Row[]>
      included: AsyncIterable<RowBatch>
      /** Releases the resources of the stream; has no effect after its end. */
      end: () => void
      /** Resources on all pages, if one page is streamed. Absent for a full list: its rows are counted while they are read. */
      count?: number
      /** As that of `CompleteRows`. */
      hasMore?: boolean
    }>

/** What the end of a list's document is written from: the rows themselves may be sent by then. */
export interface ListEnd {
  /** Resources on all pages; `undefined` if they were not counted. */
  readonly count: number | undefined
  /** The first and the last row of the page; absent for an empty one. */
  readonly first: Row | undefined
  readonly last: Row | undefined
  /** As that of `CompleteRows`. */
  readonly hasMore: boolean
}

/** The rows of a result with their layouts: primary data first, then the included resources. */
export function pairWithLayouts(
  { primary, included }: CompleteRows,
  shape: ReadShape,
): (readonly [rows: readonly Row[], layout: RowLayout])[] {
  const pairs = included.map(({ type, rows }) => [rows, findIncludedLayout(shape, type)] as const)
  return [[primary, shape.primary], ...pairs]
}

/** The result of a read of one resource, of which only the identifier may be read. */
export function createIdentifierRows(id: string): CompleteRows {
  return { is: 'complete', count: 1, primary: [[id]], included: [] }
}

/** The layout of an included type. @throws Error if the plan does not include the type */
export function findIncludedLayout({ included }: ReadShape, type: string): RowLayout {
  const layout = included.find((candidate) => candidate.type === type)
  if (layout === undefined) throw new Error(`The plan does not include the type ${type}.`)
  return layout
}
