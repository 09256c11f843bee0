import { LRUCache } from 'lru-cache'
import { HttpError } from '../../errors/errors.ts'
import type { Statement } from '../../sql/statement.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { readCpuTime } from '../connection/cpu-time.ts'
import { LargeResultError } from '../errors.ts'
import { SqliteCountCache } from '../read/counts.ts'
import type { ReaderCommand, ReaderReply, ReaderRequest } from './reader-messages.ts'
import { type StatementWork, workChannel } from './statement-work.ts'

type QueryCommand = Extract<
  ReaderCommand,
  Readonly<{ do: 'all' | 'bounded' | 'count' | 'records' }>
>

/** Executes the commands to a reader process, one after the other. */
export class CommandExecutor {
  readonly #connection: SqliteConnection
  readonly #counts: SqliteCountCache
  readonly #statements = new LRUCache<string, Statement>({ max: 500 })
  /** How long counts took that ran, in milliseconds. */
  readonly #countDurations = new WeakMap<Statement, number>()
  /** The statement that is being read in batches. */
  #batches: Generator<unknown[][]> | undefined
  /** The error of a command without a reply. It is the reply to every later command of the transaction. */
  #pendingError: ReaderReply | undefined
  /** The work of the last statement, from the first command on that asks for it. */
  #lastWork: StatementWork | undefined
  /** The CPU time of the last statement or batch, in milliseconds. */
  #lastDuration: number | undefined

  constructor(connection: SqliteConnection) {
    this.#connection = connection
    this.#counts = new SqliteCountCache(connection)
  }

  /** Executes a command. Its error is the reply. @returns `undefined` for a command without a reply */
  handle(command: ReaderRequest): ReaderReply | undefined {
    if (command.measuresWork && !workChannel.hasSubscribers) this.#measureWork()
    if (command.do === 'begin') this.#pendingError = undefined
    const reply = this.#pendingError ?? this.#tryExecute(command)
    const work = this.#lastWork
    const duration = this.#lastDuration
    this.#lastWork = undefined
    this.#lastDuration = undefined
    const hasReply = command.do !== 'begin' && command.do !== 'open' && command.do !== 'end'
    if (hasReply) return reply && { ...reply, work, duration }
    if (command.do !== 'end') this.#pendingError = reply
    else if (this.#pendingError) this.#execute(command)
    return undefined
  }

  #measureWork(): void {
    workChannel.subscribe((work) => {
      // Only `publishWork` publishes on this channel.
      this.#lastWork = work as StatementWork
    })
  }

  #tryExecute(command: ReaderCommand): ReaderReply | undefined {
    try {
      return this.#execute(command)
    } catch (error) {
      return toErrorReply(error)
    }
  }

  #execute(command: ReaderCommand): ReaderReply | undefined {
    switch (command.do) {
      case 'begin':
        this.#connection.begin('deferred')
        return undefined
      case 'all':
      case 'bounded':
      case 'count':
      case 'records':
        return this.#query(command)
      case 'open': {
        const { sql, values, size } = command
        this.#batches?.return(undefined)
        this.#batches = this.#connection.rawBatches(this.#intern(sql), values, size)
        return undefined
      }
      case 'next':
        return { is: 'batch', rows: this.#measure(() => this.#batches?.next().value) ?? [] }
      case 'end':
        this.#batches?.return(undefined)
        this.#batches = undefined
        this.#connection.rollback()
        return undefined
    }
  }

  #query({ do: kind, sql, values }: QueryCommand): ReaderReply {
    const statement = this.#intern(sql)
    switch (kind) {
      case 'all':
        return {
          is: 'rows',
          rows: this.#measure(() => this.#connection.rawRows(statement, values)),
        }
      case 'bounded':
        return {
          is: 'rows',
          rows: this.#measure(() => this.#connection.boundedRows(statement, values)),
        }
      case 'count': {
        const count = this.#counts.count(statement, values, (run) => this.#measure(run))
        // A count from the cache would have taken as long as the last one that ran.
        this.#lastDuration ??= this.#countDurations.get(statement)
        if (this.#lastDuration !== undefined)
          this.#countDurations.set(statement, this.#lastDuration)
        return { is: 'rows', rows: [[count]] }
      }
      case 'records':
        return { is: 'records', records: this.#connection.records(statement, values) }
    }
  }

  #measure<Result>(run: () => Result): Result {
    const start = readCpuTime()
    try {
      return run()
    } finally {
      this.#lastDuration = readCpuTime() - start
    }
  }

  /** Returns the same object for the same SQL; the connection caches prepared statements by the object. */
  #intern(sql: string): Statement {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = { sql, placeholders: [] }
    this.#statements.set(sql, statement)
    return statement
  }
}

function toErrorReply(error: unknown): ReaderReply {
  if (error instanceof LargeResultError) return { is: 'too large' }
  if (error instanceof HttpError) {
    const { message: detail, headers } = error
    // A read has no other codes.
    const code = error.code === 'query_too_complex' ? 'query_too_complex' : 'unavailable'
    return { is: 'request-error', code, detail, headers }
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return { is: 'error', message, stack }
}
