import { HttpError } from '../errors/errors.ts'
import { StoredValueError } from '../model/kinds/stored-values.ts'
import { ConstraintError, tooComplexError } from '../sql/errors.ts'

/** Primary result codes (sqlite.org/rescode.html). */
const busy = 5
const locked = 6
const readOnly = 8
const tooBig = 18
const constraint = 19

/** Primary result codes for a file that cannot be read or written, with the reason. */
const fileErrors: Readonly<Record<number, string>> = {
  [readOnly]: 'The database cannot be written',
  10: 'The disk fails',
  11: 'The database file is damaged',
  13: 'The disk is full',
  14: 'The database file cannot be opened',
  26: 'The database file is damaged',
}

/** Messages for statements that exceed a limit (sqlite.org/limits.html). */
const tooComplex =
  /^(Expression tree is too large|parser stack overflow|Recursion limit|too many|at most \d+ tables)/

/**
 * Messages of a write to a table with a foreign key that no row can satisfy: it references columns that are not unique, or a table
 * that does not exist. Only foreign keys name a table with its schema.
 */
const brokenForeignKey = /^(?:foreign key mismatch|no such table: main\.)/

/**
 * Messages of a write whose trigger or check uses a function or collation that only another program has, or a table or column that does
 * not exist.
 */
const brokenChange =
  /^(?:no such (?:function|collation sequence|table|column)|unknown function): (.*?)(?:\(\))?$/s

/** The extended result code of `raise(abort, …)`, `raise(fail, …)` and `raise(rollback, …)` in a trigger. */
const raisedByTrigger = 1811

/** Extended result codes of violated constraints, with the part of the message that contains the columns. */
const constraints: Readonly<Record<number, readonly [ConstraintError['is'], RegExp?]>> = {
  275: ['check', /failed: (.*)$/s],
  787: ['foreignKey'],
  1299: ['notNull', /failed: (.*)$/s],
  1555: ['unique', /failed: (.*)$/s],
  2067: ['unique', /failed: (.*)$/s],
  2579: ['unique', /failed: (.*)$/s],
  3091: ['type', /column (.*)$/s],
}

/** Another connection holds a lock. The operation may succeed if it is repeated. */
class BusyError extends HttpError {
  constructor() {
    super('unavailable', 'The database is busy; try again shortly.', { 'retry-after': '1' })
  }
}

/** Whether another connection holds a lock. Introspectors throw the errors of SQLite itself. */
export function isBusy(error: unknown): boolean {
  const primaryCode = (resultCodeOf(error) ?? 0) & 0xff
  return error instanceof BusyError || primaryCode === busy || primaryCode === locked
}

/**
 * Runs work and translates the errors of SQLite.
 * @param mayWrite - false on a read-only connection, where a write is a bug and its error stays as it is
 * @throws ConstraintError; HttpError `unavailable` (503), `query_too_complex` (400)
 */
export function translateErrors<Result>(work: () => Result, mayWrite = true): Result {
  try {
    return work()
  } catch (error) {
    throw !mayWrite && resultCodeOf(error) === readOnly ? error : translateError(error)
  }
}

/**
 * Translates an error of SQLite; returns any other error as it is.
 * @param statement - the SQL. An error of a function that compares stored values needs it: only the SQL has the names of the columns
 */
export function translateError(error: unknown, statement?: string): unknown {
  if (error instanceof StoredValueError && statement !== undefined)
    return new Error(`${error.message} The statement is: ${statement}`, { cause: error })
  const extendedCode = resultCodeOf(error)
  if (extendedCode === undefined || !(error instanceof Error)) return error
  const primaryCode = extendedCode & 0xff
  if (primaryCode === busy || primaryCode === locked) return new BusyError()
  if (primaryCode === tooBig) return new LargeValueError(error.message, { cause: error })
  const reason = fileErrors[primaryCode]
  if (reason !== undefined) {
    const headers = { 'retry-after': '5' }
    return new HttpError('unavailable', `${reason}; try again later.`, headers, { cause: error })
  }
  if (tooComplex.test(error.message)) return tooComplexError()
  if (brokenForeignKey.test(error.message) || isBrokenChange(error.message, statement))
    return new ConstraintError('other', {}, error)
  if (primaryCode !== constraint) return error
  const [is, columnList] = constraints[extendedCode] ?? ['other']
  const columns = columnList?.exec(error.message)?.[1] ?? ''
  const raisedMessage = extendedCode === raisedByTrigger ? error.message : undefined
  return new ConstraintError(is, { columns: parseColumns(columns, is), raisedMessage }, error)
}

/** Whether a write fails because of the tables: what is missing is not in the statement itself. */
function isBrokenChange(message: string, statement = ''): boolean {
  const name = brokenChange.exec(message)?.[1]
  return (
    name !== undefined &&
    /^(?:insert|update|delete)\b/i.test(statement) &&
    !statement.includes(name)
  )
}

/** Parses `person.name, person.email`, or the identifiers of a check constraint. */
function parseColumns(text: string, is: ConstraintError['is']): string[] {
  if (is === 'check') return [...new Set(text.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? [])]
  return text === '' ? [] : text.split(', ').map((name) => name.slice(name.lastIndexOf('.') + 1))
}

/** Returns the extended result code of an error of SQLite. */
function resultCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode : undefined
}

/** A statement reads a larger value, or searches in more text, than the connection may (`value-limit.ts`): the read runs in a reader process. */
export class LargeValueError extends Error {}

/** A reader process found more text than a document in memory may have: the document is streamed. */
export class LargeResultError extends Error {}
