import type { ReadShape } from './read.ts'
import type { Row, RowLayout } from './rows.ts'

/** Rows of one resource type, laid out as its layout among the plan's says. */
export interface Batch {
  readonly type: string
  readonly rows: readonly Row[]
}

/** Rows that are all in hand. */
export type WholeRows = Readonly<{
  is: 'whole'
  /** Over all pages. */
  count: number
  primary: readonly Row[]
  included: readonly Batch[]
}>

/**
 * What a read gives back. `whole` is all in hand; `stream` is all of a list, arrives in batches and must be read to its end
 * or be ended early by `return()`: primary data first, then what is included. How many there are, only its end says.
 */
export type Rows =
  | WholeRows
  | Readonly<{
      is: 'stream'
      primary: AsyncIterable<readonly Row[]>
      included: AsyncIterable<Batch>
      /** Gives up what is not read yet; harmless once all is read. */
      end: () => void
      /** Over all pages, where one page is streamed; a list that is not paged is counted as it is read. */
      count?: number
    }>

/** The rows of a read with their layouts: primary data first, then what is included. */
export function laidOut(
  { primary, included }: WholeRows,
  shape: ReadShape,
): (readonly [rows: readonly Row[], layout: RowLayout])[] {
  const more = included.map(({ type, rows }) => [rows, includedLayout(shape, type)] as const)
  return [[primary, shape.primary], ...more]
}

/** The layout of the included resources of a type. */
export function includedLayout({ included }: ReadShape, type: string): RowLayout {
  const layout = included.find((each) => each.type === type)
  if (layout === undefined) throw new Error(`The plan includes no ${type}.`)
  return layout
}
