import { BodyError, HttpError, NotFoundError } from '../errors/errors.ts'
import type { NotFoundSource } from '../plan/read.ts'
import type { WriteShape } from '../plan/write.ts'

/** The error for a resource in the path that does not exist. */
export function notFoundError({ type, parameter }: NotFoundSource, id = ''): NotFoundError {
  return new NotFoundError(type, id, parameter)
}

/** The error of a request that arrives after `store.close()`, or that the closing interrupts. */
export function closedError(): HttpError {
  const cause = new Error('`store.close()` was called before the requests had ended.')
  return new HttpError('unavailable', 'The store is closed.', {}, { cause })
}

/** The error of a read whose client has disconnected; nobody receives it. */
export function disconnectedError(): HttpError {
  return new HttpError('query_timeout', 'The read was cancelled because its client disconnected.')
}

/**
 * The error of a read that was cancelled at its deadline. It has no `retry-after`: the same request would fail again.
 * @param timeout - how long a read may take, in milliseconds
 */
export function queryTimeoutError(timeout: number, cause?: unknown): HttpError {
  const advice = 'narrow the filter, sort by an indexed attribute, or include less'
  const detail = `The read was stopped after ${timeout} ms; ${advice}.`
  return new HttpError('query_timeout', detail, {}, { cause })
}

/**
 * Creates the error (409) for a row that cannot be read after it was written: a trigger or a rule of the database dropped or moved
 * it, or did not set its id. A client that got 201 would link to nothing. An update that a
 * trigger drops is no error: PostgreSQL itself has a trigger that drops updates without a change.
 */
export function notStoredError({ type }: Pick<WriteShape, 'type'>): BodyError {
  const detail = `The database did not store this resource of type ${type}: a trigger or a rule dropped it, or gave it no id. Nothing was changed.`
  return new BodyError('not_stored', '/data', detail)
}

/** Converts the error of the read of a row that was written: a row that does not exist was not stored. */
export function toNotStoredError(error: unknown, shape: Pick<WriteShape, 'type'>): unknown {
  return error instanceof NotFoundError ? notStoredError(shape) : error
}

/** A violated constraint of the database, or a trigger that denies permission. */
export class ConstraintError extends Error {
  readonly is: 'unique' | 'foreignKey' | 'notNull' | 'check' | 'type' | 'permission' | 'other'
  /** The columns of the constraint; empty if the database does not report them. */
  readonly columns: readonly string[]
  /** The index of the rejected value in the plan, if the database reports the parameter instead of the columns. */
  readonly parameter: number | undefined
  /** The message that a trigger raised; `undefined` if the database itself found the violation. */
  readonly raisedMessage: string | undefined
  constructor(
    is: ConstraintError['is'],
    {
      columns = [],
      parameter,
      raisedMessage,
    }: Readonly<{
      columns?: readonly string[]
      parameter?: number | undefined
      raisedMessage?: string | undefined
    }>,
    cause: unknown,
  ) {
    super(`The constraint is violated: ${is} of ${columns.join(', ')}.`, { cause })
    this.name = 'ConstraintError'
    this.is = is
    this.columns = columns
    this.parameter = parameter
    this.raisedMessage = raisedMessage
  }
}

/** A function of the database denied permission: an error of the request (403), also of a read. A write reports the denial in its own words. */
export class DeniedError extends HttpError {
  readonly denial: ConstraintError
  constructor(denial: ConstraintError) {
    super('permission_denied', 'The database does not permit this.', {}, { cause: denial.cause })
    this.name = 'DeniedError'
    this.denial = denial
  }
}

/** Creates the error (422) for a write after which a resource no longer matches the scope of its type. */
export function scopeError(what: string, type: string, pointer: string): BodyError {
  const detail = `The change would make ${what} no longer match the type ${type}.`
  return new BodyError('invalid_value', pointer, detail)
}

/** The error of a query that exceeds a limit of the database itself. */
export function tooComplexError(): HttpError {
  const advice = 'nest its filter less deep, or include fewer and shorter paths'
  const detail = `The query is too complex for the database; ${advice}.`
  return new HttpError('query_too_complex', detail)
}
