import { HeaderError } from '../../errors/errors.ts'
import { ConstraintError } from '../constraints.ts'
import { queryTimeoutError } from '../query-timeout.ts'
import type { Statement } from '../statement.ts'

/** What of PostgreSQL's errors is somebody else's doing, by the starts of their codes (PostgreSQL 18, Appendix A). */
const constraints: readonly (readonly [code: RegExp, is: ConstraintError['is']])[] = [
  [/^23502/, 'notNull'],
  [/^23503|^23001/, 'foreignKey'],
  [/^23505|^23P01/, 'unique'],
  [/^23514/, 'check'],
  [/^22/, 'type'],
  [/^23|^P0001/, 'other'],
]

/** The functions of PostgreSQL's own that refuse on behalf of what a schema declares. */
const refusers: Readonly<Record<string, ConstraintError['is']>> = {
  // PL/pgSQL raises what a trigger says, with whatever code it likes.
  exec_stmt_raise: 'other',
  // A policy of the table, or the condition of a view, does not take the row.
  ExecWithCheckOptions: 'check',
}

/** The statement is beyond a limit: stack depth, arguments, size. */
const tooComplex = /^54/
/** Two transactions stood in each other's way: one of them is to be tried again. */
const conflicts: readonly string[] = ['40001', '40P01']
/** A statement was stopped, because it ran for as long as it may or because we asked for it. */
const stopped = '57014'
/** A statement waited for a lock for as long as it may. */
const locked = '55P03'
/** The server refuses for now: shutting down, starting, out of connections, memory or disk; or its files fail. */
const refusals = /^(08|53|57|58)/
/** A transaction that writes began where nothing can be written: on a standby, or where the default says so. */
const readOnly = '25006'
/** The role of our sessions may not do what a statement does. */
const forbidden = '42501'
/** Node's words for a connection that is not there, or no more. */
const broken =
  /ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|Connection terminated|Client has encountered|timeout expired|timeout exceeded|read timeout|Connection ended|ENETUNREACH|EAI_AGAIN/

/** PostgreSQL's error as the driver has it. */
interface ServerError {
  readonly code?: string
  readonly detail?: string
  readonly column?: string
  readonly table?: string
  readonly constraint?: string
  readonly where?: string
  readonly routine?: string
}

/** Whether the transaction should be tried again. */
export function isConflict(error: unknown): boolean {
  const { code } = serverError(error)
  return code !== undefined && conflicts.includes(code)
}

/** Whether the database is not there, so that nothing can be said of what was under way. */
function isUnavailable(error: unknown): boolean {
  const { code = '' } = serverError(error)
  return refusals.test(code) || (error instanceof Error && broken.test(`${code} ${error.message}`))
}

/** What was run when an error came. */
interface Circumstances {
  /** What was run, if it binds values. */
  readonly statement?: Statement | undefined
  /** How long it may run, in milliseconds. */
  readonly timeout: number
}

/** PostgreSQL's refusals as what they mean: ConstraintError, or HeaderError 503, 403 and 400; anything else stays what it was. */
export function translateError(error: unknown, { statement, timeout }: Circumstances): unknown {
  const said = serverError(error)
  const { code = '' } = said
  if (code === stopped) return queryTimeoutError(timeout, error)
  if (code === locked) return unavailableError(tookTooLong, error)
  if (isUnavailable(error)) return unavailableError('The database is not available', error)
  const is = constraints.find(([start]) => start.test(code))?.[1] ?? refusers[said.routine ?? '']
  if (is !== undefined) {
    const slot = slotOf(said, statement)
    return new ConstraintError(is, { columns: columnsIn(said), slot }, error)
  }
  if (code === forbidden) return permissionDenied(error)
  if (!tooComplex.test(code)) return error
  const advice = 'nest its filter less deep, or include fewer and shorter paths'
  return new HeaderError(
    'query_too_complex',
    `The query is more than the database can take; ${advice}.`,
  )
}

const tookTooLong = 'The database took too long'

/** The error of a read whose client is gone: nobody is told of it. */
export function disconnectedError(): HeaderError {
  return new HeaderError('query_timeout', 'The read was given up because its client disconnected.')
}

/** Names of tables and columns stay in the cause, which is for the log alone. */
function permissionDenied(cause: unknown): HeaderError {
  const detail = 'The database does not permit this; its administrator has to grant the privilege.'
  return new HeaderError('permission_denied', detail, {}, { cause })
}

/**
 * The error of a write, from that of one of its statements: a write that was stopped may be sent again as it is, and one
 * that found the database read-only needs another connection, as a session keeps the setting with which it began.
 */
export function unavailableWriteError(error: unknown): unknown {
  if (error instanceof HeaderError && error.code === 'query_timeout')
    return unavailableError(tookTooLong, error.cause)
  return serverError(error).code === readOnly
    ? unavailableError('The database is read-only', error)
    : error
}

/** What a request is told that cannot be served for now, and why. */
export function unavailableError(
  reason: string,
  cause?: unknown,
  advice = 'try again shortly',
): HeaderError {
  const headers = { 'retry-after': '1' }
  return new HeaderError('unavailable', `${reason}; ${advice}.`, headers, { cause })
}

/** Whether an error says that the connection it happened on is of no more use. */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof HeaderError && error.code === 'unavailable'
}

/** `Key (name, "E-Mail")=(…) already exists.`; a check says no more than its own name, by default `table_column_check`. */
function columnsIn({ column, detail = '', table = '', constraint = '' }: ServerError): string[] {
  if (column !== undefined) return [column]
  const keys = /\((.*?)\)=\(/s.exec(detail)?.[1]
  if (keys !== undefined) return keys.split(', ').map((key) => key.replace(/^"(.*)"$/s, '$1'))
  const isNamed = constraint.startsWith(`${table}_`) && /_check\d*$/.test(constraint)
  return isNamed ? [constraint.slice(table.length + 1).replace(/_check\d*$/, '')] : []
}

/** `unnamed portal parameter $2 = '...'`, where a value is none of the column's type. */
function slotOf({ where = '' }: ServerError, statement?: Statement): number | undefined {
  const number = /\$(\d+)/.exec(where)?.[1]
  const source = statement?.placeholders[Number(number) - 1]?.source
  return typeof source === 'number' ? source : undefined
}

function serverError(error: unknown): ServerError {
  // The driver's errors carry what the server said; any error has at most some of it.
  return error instanceof Error ? (error as Error & ServerError) : {}
}
