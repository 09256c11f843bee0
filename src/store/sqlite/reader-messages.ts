import type { ParameterValue } from '../../model/dialect.ts'
import type { SqlRecord } from './connection-pool.ts'
import type { StatementWork } from './statement-events.ts'

/** What a reader process is asked to do. It does one thing after the other, and replies to those that return something. */
export type ReaderRequest =
  /** Begins a snapshot. No reply. */
  | Readonly<{ do: 'begin' }>
  /** Runs a statement: every row, the count, or rows by the names of their columns. */
  | Readonly<{ do: 'all' | 'count' | 'records'; sql: string; values: readonly ParameterValue[] }>
  /** Begins to read a statement in batches of so many rows. No reply. */
  | Readonly<{ do: 'open'; sql: string; values: readonly ParameterValue[]; size: number }>
  /** Reads the next batch. */
  | Readonly<{ do: 'next' }>
  /** Ends the snapshot. No reply. */
  | Readonly<{ do: 'end' }>

/** A request as it is sent. */
export type SentRequest = ReaderRequest & {
  /** Whether somebody wants to know what statements cost. */
  readonly isMeasured?: boolean
}

/** What comes of a request, and what its statement cost if that was asked for. */
export type ReaderReply = ReplyContent & { readonly work?: StatementWork | undefined }

type ReplyContent =
  | Readonly<{ is: 'rows'; rows: unknown[][] }>
  | Readonly<{ is: 'records'; records: readonly SqlRecord[] }>
  /** The next batch; empty at the end. */
  | Readonly<{ is: 'batch'; rows: unknown[][] }>
  /** A request error, to be reported to the client as it is. */
  | Readonly<{
      is: 'refusal'
      code: 'unavailable' | 'query_too_complex'
      detail: string
      headers: Readonly<Record<string, string>>
    }>
  | Readonly<{ is: 'failure'; message: string; stack: string | undefined }>
