import { ApiError } from './errors.ts'

/** The most errors that one response reports; the others are counted. */
export const mostErrors = 100

/** The most characters of details and source locations that a response reports before it only counts. */
const mostCharacters = 50_000

/** The errors of a request, and how many more there are than are reported. */
export interface ErrorList {
  readonly errors: readonly ApiError[]
  readonly more: number
}

/**
 * Collects the errors of a request in proportion to what is reported: the first ones are made, all others are counted
 * without being made. A client decides how many there are, and one with its detail costs a thousand times its count.
 */
export interface ErrorCollector extends ErrorList {
  readonly errors: ApiError[]
  more: number
  /** How many characters the errors have together. */
  characters: number
}

/** No errors at all. */
export const noErrors: ErrorList = { errors: [], more: 0 }

/** A collector without errors. */
export function emptyCollector(): ErrorCollector {
  return { errors: [], more: 0, characters: 0 }
}

/** Adds an error. @param make - makes it; not called when the collector only counts */
export function report(collector: ErrorCollector, make: () => ApiError): undefined {
  if (collector.errors.length >= mostErrors || collector.characters >= mostCharacters)
    collector.more += 1
  else keep(make(), collector)
}

/** Adds all errors of a list, and those that it only counts. */
export function reportAll(collector: ErrorCollector, { errors, more }: ErrorList): void {
  for (const error of errors) report(collector, () => error)
  collector.more += more
}

/** Whether there is any error. */
export function hasErrors({ errors, more }: ErrorList): boolean {
  return errors.length > 0 || more > 0
}

function keep(error: ApiError, collector: ErrorCollector): void {
  collector.errors.push(error)
  collector.characters += error.where.length + error.message.length
}

/** Several errors of one request, reported together. */
export class ManyErrors extends Error implements ErrorList {
  readonly errors: readonly ApiError[]
  readonly more: number
  constructor({ errors, more }: ErrorList) {
    super(errors.map(({ message }) => message).join(' '))
    this.name = 'ManyErrors'
    this.errors = errors
    this.more = more
  }
}

/** Throws when there are errors: a single one as itself, several together, equal ones once. */
export function refuse({ errors, more }: ErrorList): void {
  if (errors.length === 0) return
  const distinct = new Map(
    errors.map((error) => [JSON.stringify([error.code, error.where, error.message]), error]),
  )
  const [first, ...others] = distinct.values()
  if (first === undefined) return
  throw others.length === 0 && more === 0
    ? first
    : new ManyErrors({ errors: [first, ...others], more })
}

/** The client's errors within a thrown value, or `undefined` when it is none of the client's. */
export function errorsIn(thrown: unknown): ErrorList | undefined {
  if (thrown instanceof ApiError) return { errors: [thrown], more: 0 }
  return thrown instanceof ManyErrors ? thrown : undefined
}

/** Runs one part; a client's error is added to the collector and `undefined` returned, any other throw passes. */
export function attempt<Share>(part: () => Share, collector: ErrorCollector): Share | undefined {
  try {
    return part()
  } catch (thrown) {
    const found = errorsIn(thrown)
    if (found === undefined) throw thrown
    reportAll(collector, found)
    return undefined
  }
}

/**
 * Runs every part of a reading and reports the errors of all of them at once.
 *
 * @param parts - each returns its share or throws client errors; any other throw passes through
 * @returns the shares, in order, when no part threw
 * @throws ApiError | ManyErrors with the errors of every part
 */
export function together<Parts extends readonly unknown[]>(
  ...parts: { readonly [Index in keyof Parts]: () => Parts[Index] }
): Parts {
  const collector = emptyCollector()
  const shares = parts.map((part) => attempt(part, collector))
  refuse(collector)
  // Every part has returned its share, so the tuple is whole: the compiler cannot see that.
  return shares as unknown as Parts
}
