import { HttpError, ParameterError } from '../errors/errors.ts'
import { ConstraintError, DeniedError, queryTimeoutError, tooComplexError } from '../sql/errors.ts'
import type { Placeholder, Statement } from '../sql/statement.ts'

/** The violated constraint by the error code (PostgreSQL 18, Appendix A). */
const constraintCodes: readonly (readonly [code: RegExp, is: ConstraintError['is']])[] = [
  [/^23502/, 'notNull'],
  [/^23503|^23001/, 'foreignKey'],
  [/^23505|^23P01/, 'unique'],
  [/^23514/, 'check'],
  [/^22/, 'type'],
  // 428C9: an id for a column that the database always generates, which the catalog does not say of the columns of a view.
  [/^23|^P0001|^428C9/, 'other'],
]

/** The C function of PostgreSQL that executes `raise` of PL/pgSQL. */
const raiseRoutine = 'exec_stmt_raise'

/** The violated constraint by the C function of PostgreSQL that raised the error, for errors with any code. */
const constraintRoutines: Readonly<Record<string, ConstraintError['is']>> = {
  // A trigger in PL/pgSQL may raise any code.
  [raiseRoutine]: 'other',
  // A policy of the table, or the `check option` of a view.
  ExecWithCheckOptions: 'check',
  // Two columns of a view are the same column of its table, and both were sent.
  process_matched_tle: 'other',
}

/** The statement exceeds a limit: stack depth, arguments, size. */
const tooComplex = /^54/
/** A serialization failure or a deadlock: the transaction should be retried. */
const conflictCodes: readonly string[] = ['40001', '40P01']
/** A number is beyond the range of its type. */
const numberOutOfRange = '22003'
/** A function rejects its arguments: an error of a value, the check of a domain, or `raise exception`. */
const rejectedArgument = /^(?:22|23514|P0001)/
/** A statement was cancelled, by its timeout or by us. */
const queryCanceled = '57014'
/** An object is not in the state that a statement needs: a materialized view has no data, as after `pg_restore`. */
const notInState = '55000'
/** A statement waited too long for a lock. */
const lockNotAvailable = '55P03'
/** The server is temporarily unavailable: it starts or shuts down, or lacks connections, memory or disk; or its files fail. */
const unavailableCodes = /^(08|53|57|58)/
/** A write in a read-only transaction: on a standby, or because of the default of the session. */
const readOnlyTransaction = '25006'
/** The database does not have what a statement needs, as Citus for some statements over distributed tables. */
const notSupported = '0A000'
/** An internal error. Citus refuses some statements by it, without a code of their own. */
const internalError = 'XX000'
const refusal = / not (?:yet )?supported| requires repartitioning/
/** The C function that finds that a prepared statement returns other types than before, since its tables were changed. */
const changedPlanRoutine = 'RevalidateCachedQuery'
/** The role lacks a privilege. */
const insufficientPrivilege = '42501'
/** Messages and codes of Node.js and the driver for a connection that failed or was lost, and Citus's for one to a worker during a commit. */
const connectionFailure =
  /ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|Connection terminated|Client has encountered|timeout expired|timeout exceeded|read timeout|Connection ended|ENETUNREACH|EAI_AGAIN|could not commit transaction|server closed the connection|could not (?:receive data from|send data to) server|connection not open/

/** The fields of a PostgreSQL error that the driver provides. */
interface ServerError {
  readonly code?: string
  readonly detail?: string
  readonly column?: string
  readonly table?: string
  readonly constraint?: string
  readonly where?: string
  readonly routine?: string
}

/** Whether the transaction should be retried. */
export function isConflict(error: unknown): boolean {
  const { code } = serverError(error)
  return code !== undefined && conflictCodes.includes(code)
}

/** Whether the database is not available, so that the result of a statement is unknown. */
function isUnavailable(error: unknown): boolean {
  const { code = '' } = serverError(error)
  return (
    unavailableCodes.test(code) ||
    (error instanceof Error && connectionFailure.test(`${code} ${error.message}`))
  )
}

/** The statement that failed. */
interface FailedQuery {
  /** Absent for text without parameters. */
  readonly statement?: Statement | undefined
  /** How long it may run, in milliseconds. */
  readonly timeout: number
}

/**
 * Translates an error of PostgreSQL to a ConstraintError, a HttpError (503, 501, 403 or 400) or a ParameterError (400); returns any other
 * as it is.
 */
export function translateError(error: unknown, { statement, timeout }: FailedQuery): unknown {
  const failure = serverError(error)
  const { code = '' } = failure
  const unavailable = translateUnavailable(error, timeout)
  if (unavailable !== undefined) return unavailable
  if (
    rejectedArgument.test(code) &&
    statement?.placeholders.some(({ isArgument }) => isArgument === true)
  )
    return argumentError(statement, error)
  const placeholder = findPlaceholder(failure, statement)
  if (placeholder?.isCursorKey) return cursorError(error)
  const raisedMessage =
    failure.routine === raiseRoutine && error instanceof Error ? error.message : undefined
  if (code === insufficientPrivilege && raisedMessage !== undefined)
    return new DeniedError(new ConstraintError('permission', { raisedMessage }, error))
  const is = findConstraint(failure)
  if (is !== undefined) {
    const source = placeholder?.source
    const parameter = typeof source === 'number' ? source : undefined
    const violated = { columns: findColumns(failure), parameter, raisedMessage }
    return new ConstraintError(is, violated, error)
  }
  if (code === insufficientPrivilege) return permissionDenied(error)
  if (isRefused(error, failure)) return notSupportedError(error)
  return tooComplex.test(code) ? tooComplexError() : error
}

/** Which kind of constraint an error is about, if any. */
function findConstraint({ code = '', routine = '' }: ServerError) {
  const [, is] = constraintCodes.find(([pattern]) => pattern.test(code)) ?? []
  return is ?? constraintRoutines[routine]
}

/** Whether the database does not have what the statement needs. */
function isRefused(error: unknown, { code, routine }: ServerError): boolean {
  if (code === notSupported) return routine !== changedPlanRoutine
  return code === internalError && error instanceof Error && refusal.test(error.message)
}

/** Translates an error of the state of the database, which somebody ends: HttpError (503); `undefined` for any other. */
function translateUnavailable(error: unknown, timeout: number): HttpError | undefined {
  const { code, routine } = serverError(error)
  if (code === queryCanceled) return queryTimeoutError(timeout, error)
  if (code === lockNotAvailable) return unavailableError(tooSlow, error)
  if (isUnavailable(error)) return unavailableError('The database is not available', error)
  return code === notInState && routine === openRoutine ? unpopulatedError(error) : undefined
}

/**
 * Translates an error of a transaction with a session. A violated policy is an error of permissions (403), because the policies are
 * access rules. A rejected role or setting says nothing about the values of the request. Returns any other error as it is.
 * @param isSetUp - whether the role and the settings were accepted
 */
export function translateSessionError(error: unknown, isSetUp: boolean): unknown {
  if (!(error instanceof ConstraintError)) return error
  const { cause } = error
  if (!isSetUp) return new Error('PostgreSQL rejected the session of a request.', { cause })
  return serverError(cause).code === insufficientPrivilege ? permissionDenied(cause) : error
}

/** The error of a call whose argument has the declared kind, and which the function or the type of its parameter rejects. */
function argumentError({ placeholders }: Statement, cause: unknown): ParameterError {
  const parameter = placeholders.some(({ source }) => source === 'id') ? 'id' : 'filter'
  const detail =
    serverError(cause).code === numberOutOfRange
      ? 'A number is out of the range that the function of the database accepts.'
      : 'The function of the database rejects the arguments.'
  return new ParameterError('invalid_filter', parameter, detail, { cause })
}

/** The C function of PostgreSQL that opens a materialized view, and finds that it has no data. */
const openRoutine = 'ExecOpenScanRelation'

/** A materialized view has no data. The connection can be used as before. */
class UnpopulatedError extends HttpError {}

/**
 * The error of a statement that reads a materialized view without data. The name is in the cause only, which is logged with the statement
 * that fills the view. The message of PostgreSQL may be in any language.
 */
function unpopulatedError(error: unknown): HttpError {
  const message = error instanceof Error ? error.message : ''
  const [, name = message] = /["«„“](.+)["»“”]/u.exec(message) ?? []
  const remedy = `The materialized view "${name}" has no data; to fill it: refresh materialized view "${name}"`
  const detail = 'The database has no data for this yet; try again shortly.'
  const options = { cause: new Error(remedy, { cause: error }) }
  return new UnpopulatedError('unavailable', detail, { 'retry-after': '1' }, options)
}

/** Whether the error is that of a materialized view without data. */
export function isUnpopulated(error: unknown): boolean {
  return error instanceof UnpopulatedError
}

const tooSlow = 'The database took too long'

/** The names of tables and columns are in the cause only, which is logged. */
function permissionDenied(cause: unknown): HttpError {
  const detail = 'The database does not permit this; its administrator has to grant the privilege.'
  return new HttpError('permission_denied', detail, {}, { cause })
}

/** The names of tables and columns are in the cause only, which is logged. */
function notSupportedError(cause: unknown): HttpError {
  const detail =
    'The database does not support a statement of this request, for example because its tables are distributed over several servers; leave out what follows relationships: include, filters and sorts.'
  return new HttpError('not_supported_by_database', detail, {}, { cause })
}

/**
 * Translates the error of a statement to that of its write. A cancelled write may be repeated as it is. A write in a read-only
 * transaction needs a new connection, because a session keeps its settings.
 */
export function unavailableWriteError(error: unknown): unknown {
  if (error instanceof HttpError && error.code === 'query_timeout')
    return unavailableError(tooSlow, error.cause)
  return serverError(error).code === readOnlyTransaction
    ? unavailableError('The database is read-only', error)
    : error
}

/** The error of a request that may succeed later. @param reason - the first part of the detail */
export function unavailableError(
  reason: string,
  cause?: unknown,
  advice = 'try again shortly',
): HttpError {
  const headers = { 'retry-after': '1' }
  return new HttpError('unavailable', `${reason}; ${advice}.`, headers, { cause })
}

/** The error of a write whose connection was lost when it may have been committed. */
export function unknownCommitError(cause: unknown): HttpError {
  const reason =
    'The connection to the database was lost during the commit, so the write may or may not have been stored'
  return unavailableError(
    reason,
    cause,
    'check before you try again, or repeat it with the same Idempotency-Key',
  )
}

/** Whether the connection of an error must not be used any more. */
export function isConnectionLost(error: unknown): boolean {
  const isUnavailableError = error instanceof HttpError && error.code === 'unavailable'
  return isUnavailableError && !(error instanceof UnpopulatedError)
}

/** Finds columns in `Key (name, "E-Mail")=(…) already exists.`, or in the name of a check, by default `table_column_check`. */
function findColumns({ column, detail = '', table = '', constraint = '' }: ServerError): string[] {
  if (column !== undefined) return [column]
  const keys = /\((.*?)\)=\(/s.exec(detail)?.[1]
  if (keys !== undefined) return keys.split(', ').map((key) => key.replace(/^"(.*)"$/s, '$1'))
  const isNamed = constraint.startsWith(`${table}_`) && /_check\d*$/.test(constraint)
  return isNamed ? [constraint.slice(table.length + 1).replace(/_check\d*$/, '')] : []
}

/** Finds the parameter in `unnamed portal parameter $2 = '...'`, which is reported for a value that the type of its column rejects. */
function findPlaceholder(
  { where = '' }: ServerError,
  statement?: Statement,
): Placeholder | undefined {
  const number = /\$(\d+)/.exec(where)?.[1]
  return statement?.placeholders[Number(number) - 1]
}

/** The error of a cursor with a value that the type of its column had when the cursor was created. */
function cursorError(cause: unknown): ParameterError {
  const detail =
    'The type of a sort key no longer has the value in the cursor; start again without the cursor.'
  return new ParameterError('invalid_cursor', 'page', detail, { cause })
}

function serverError(error: unknown): ServerError {
  // The driver's errors have the fields of the server's errors; other errors have at most some of them.
  return error instanceof Error ? (error as Error & ServerError) : {}
}
