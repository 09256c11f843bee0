import type { Row } from './rows.ts'

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
 * What a read gives back. `whole` is all in hand; `stream` arrives in batches and must be read to its end or be
 * ended early by `return()`: primary data first, then what is included.
 */
export type Rows =
  | WholeRows
  | Readonly<{
      is: 'stream'
      count: number
      primary: AsyncIterable<readonly Row[]>
      included: AsyncIterable<Batch>
      /** Gives up what is not read yet; harmless once all is read. */
      end: () => void
    }>
