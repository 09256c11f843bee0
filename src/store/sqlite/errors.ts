import { setTimeout } from 'node:timers/promises'
import { HeaderError } from '../../errors/errors.ts'
import { ConstraintError } from '../constraints.ts'

/** SQLite's primary result codes that are somebody else's doing (sqlite.org/rescode.html). */
const busy = 5
const locked = 6
const readOnly = 8
const constraint = 19
/** The file cannot be written or read: what each means, for the log. */
const broken: Readonly<Record<number, string>> = {
  [readOnly]: 'The database cannot be written',
  10: 'The disk fails',
  11: 'The database file is damaged',
  13: 'The disk is full',
  14: 'The database file cannot be opened',
  26: 'The database file is damaged',
}

/** How SQLite refuses statements beyond its limits (sqlite.org/limits.html). */
const tooComplex =
  /^(Expression tree is too large|parser stack overflow|Recursion limit|too many|at most \d+ tables)/

/** Extended codes of constraints: what each is, and which words of SQLite's message hold the columns. */
const constraints: Readonly<Record<number, readonly [ConstraintError['is'], RegExp?]>> = {
  275: ['check', /failed: (.*)$/s],
  787: ['foreignKey'],
  1299: ['notNull', /failed: (.*)$/s],
  1555: ['unique', /failed: (.*)$/s],
  2067: ['unique', /failed: (.*)$/s],
  2579: ['unique', /failed: (.*)$/s],
  3091: ['type', /column (.*)$/s],
}

/**
 * Runs work and reports SQLite's errors as what they mean; anything else stays what it was.
 * @param isReader - whether the connection refuses to write, so that a write is a mistake of the program
 * @throws ConstraintError; HeaderError `unavailable` (503), `query_too_complex` (400)
 */
export function translated<Result>(work: () => Result, isReader = false): Result {
  try {
    return work()
  } catch (error) {
    throw isReader && codeOf(error) === readOnly ? error : translate(error)
  }
}

/** How long a write waits for others in all, and how long between two tries, in milliseconds. */
const patience = 5000
const pause = 10

/** Until when a write that arrives now waits for others. */
export function endOfPatience(): number {
  return performance.now() + patience
}

/**
 * Runs work that another process may hold up, again and again until it may run; others have their turn meanwhile.
 * @param deadline - when to give up, on the clock of `performance.now`
 * @throws HeaderError `unavailable` (503) when patience ends
 */
export async function patiently<Result>(
  work: () => Result | Promise<Result>,
  deadline = endOfPatience(),
): Promise<Result> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof BusyError) || performance.now() > deadline) throw error
      await setTimeout(pause + Math.random() * pause)
    }
  }
}

/** Another connection holds the database: whoever waits may have it soon. */
class BusyError extends HeaderError {
  constructor() {
    super('unavailable', 'The database is busy; try again shortly.', { 'retry-after': '1' })
  }
}

/** The error to report for an error of SQLite; any other error as it is. */
export function translate(error: unknown): unknown {
  const extended = codeOf(error)
  if (extended === undefined || !(error instanceof Error)) return error
  const primary = extended & 0xff
  if (primary === busy || primary === locked) return new BusyError()
  const reason = broken[primary]
  if (reason !== undefined)
    return new HeaderError(
      'unavailable',
      `${reason}; try again later.`,
      { 'retry-after': '5' },
      { cause: error },
    )
  if (tooComplex.test(error.message)) {
    const advice = 'nest its filter less deep, or include fewer and shorter paths'
    return new HeaderError(
      'query_too_complex',
      `The query is more than the database can take; ${advice}.`,
    )
  }
  if (primary !== constraint) return error
  const [is, columns] = constraints[extended] ?? ['other']
  const words = columns?.exec(error.message)?.[1] ?? ''
  return new ConstraintError(is, { columns: columnsIn(words, is) }, error)
}

/** `person.name, person.email`, or the words of a check. */
function columnsIn(words: string, is: ConstraintError['is']): string[] {
  if (is === 'check') return [...new Set(words.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? [])]
  return words === '' ? [] : words.split(', ').map((word) => word.slice(word.lastIndexOf('.') + 1))
}

function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode : undefined
}
