import { setTimeout } from 'node:timers/promises'
import { BodyError, HeaderError } from '../../errors/errors.ts'

/** SQLite's primary result codes that are somebody else's doing (sqlite.org/rescode.html). */
const busy = 5
const locked = 6
const constraint = 19

/** How SQLite refuses statements beyond its limits (sqlite.org/limits.html). */
const tooComplex =
  /^(Expression tree is too large|parser stack overflow|Recursion limit|too many|at most \d+ tables)/

/** Extended codes of constraints whose fault is a value, not a conflict: CHECK and NOT NULL, and STRICT's data type. */
const valueConstraints: readonly number[] = [275, 1299, 3091]

/**
 * Runs work and tells SQLite's refusals as the client's faults where they are; anything else stays what it was.
 * @throws BodyError `constraint_conflict` (409), `invalid_value` (422); HeaderError `unavailable` (503), `query_too_complex` (400)
 */
export function translated<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw translate(error)
  }
}

/** How long a write waits for another process's to end, and how long between two tries, in milliseconds. */
const patience = 5000
const pause = 10

/**
 * Runs work that another process may hold up, again and again until it may run; others have their turn meanwhile.
 * @throws HeaderError `unavailable` (503) when patience ends
 */
export async function patiently<Result>(work: () => Result): Promise<Result> {
  const deadline = performance.now() + patience
  for (;;) {
    try {
      return work()
    } catch (error) {
      const isHeldUp = error instanceof HeaderError && error.code === 'unavailable'
      if (!isHeldUp || performance.now() > deadline) throw error
      await setTimeout(pause + Math.random() * pause)
    }
  }
}

/** Runs work of a request that has no body: a constraint's refusal then points nowhere. */
export function withoutBody<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw error instanceof BodyError ? new HeaderError(error.code, error.message) : error
  }
}

function translate(error: unknown): unknown {
  const extended = codeOf(error)
  if (extended === undefined) return error
  const primary = extended & 0xff
  if (primary === busy || primary === locked) {
    return new HeaderError('unavailable', 'The database is busy; try again shortly.', {
      'retry-after': '1',
    })
  }
  if (error instanceof Error && tooComplex.test(error.message)) {
    const advice = 'nest its filter less deep, or include fewer and shorter paths'
    return new HeaderError(
      'query_too_complex',
      `The query is more than the database can take; ${advice}.`,
    )
  }
  if (primary !== constraint) return error
  const options = { cause: error }
  return valueConstraints.includes(extended)
    ? new BodyError(
        'invalid_value',
        '/data',
        'The database does not take one of the values.',
        options,
      )
    : new BodyError(
        'constraint_conflict',
        '/data',
        'The database holds something that this would contradict.',
        options,
      )
}

function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode : undefined
}
