import type { ParameterValue } from '../../model/dialect.ts'
import type { SqlRecord } from '../read/read-transaction.ts'
import type { StatementWork } from './statement-work.ts'

/** A command to a reader process, which executes one after the other. */
export type ReaderCommand =
  /** Begins a transaction. No reply. */
  | Readonly<{ do: 'begin' }>
  /** Runs a statement: every row, a count, or rows as objects. */
  | Readonly<{ do: 'all' | 'count' | 'records'; sql: string; values: readonly ParameterValue[] }>
  /** Runs a statement whose rows must fit into a document in memory. */
  | Readonly<{ do: 'bounded'; sql: string; values: readonly ParameterValue[] }>
  /** Starts a statement that is read in batches. No reply. @param size - in rows */
  | Readonly<{ do: 'open'; sql: string; values: readonly ParameterValue[]; size: number }>
  /** Reads the next batch. */
  | Readonly<{ do: 'next' }>
  /** Ends the transaction. No reply. */
  | Readonly<{ do: 'end' }>

/** A command as it is sent. */
export type ReaderRequest = ReaderCommand & {
  /** Whether the reply contains the work of the statement. */
  readonly measuresWork?: boolean
}

/** The reply to a command. */
export type ReaderReply = ReplyContent & {
  readonly work?: StatementWork | undefined
  /** The CPU time of the statement, or of its batch, in milliseconds; of a cached count that of the count before. */
  readonly duration?: number | undefined
}

type ReplyContent =
  | Readonly<{ is: 'rows'; rows: unknown[][] }>
  | Readonly<{ is: 'records'; records: readonly SqlRecord[] }>
  /** The rows do not fit into a document in memory. */
  | Readonly<{ is: 'too large' }>
  /** The next batch; empty at the end. */
  | Readonly<{ is: 'batch'; rows: unknown[][] }>
  /** An error that is reported to the client. */
  | Readonly<{
      is: 'request-error'
      code: 'unavailable' | 'query_too_complex'
      detail: string
      headers: Readonly<Record<string, string>>
    }>
  | Readonly<{ is: 'error'; message: string; stack: string | undefined }>

/** What a reader process sends: one message when it has started, then the replies. */
export type ReaderMessage = ReaderReply | Readonly<{ is: 'started' }>
