import { ApiError } from './errors.ts'

/** The maximum number of errors in one response; `meta.moreErrors` counts the rest. */
const maxErrors = 100

/** The maximum length of all reported details and locations together, in characters. Further errors are only counted. */
const maxCharacters = 50_000

/** The reported errors of a request, and the number of errors that are not reported. */
export interface ErrorList {
  readonly errors: readonly ApiError[]
  readonly more: number
}

/**
 * Collects the errors of a request. Only reported errors are constructed; all others are counted, because a request may
 * contain any number of errors and constructing one costs a thousand times as much as counting it.
 */
export interface ErrorCollector extends ErrorList {
  /** Most collectors stay without errors, and share one empty list. */
  errors: readonly ApiError[]
  more: number
  /** The length of all details and locations together. */
  characters: number
}

/** A list without errors. */
export const noErrors: ErrorList = { errors: [], more: 0 }

/** Creates a collector without errors. */
export function emptyCollector(): ErrorCollector {
  return { errors: noErrors.errors, more: 0, characters: 0 }
}

/**
 * Adds an error to a collector. It returns `undefined`, so that a function whose result is `undefined` in case of an error can end with
 * `return report(…)`.
 * @param create - constructs the error; not called if the error is only counted
 */
export function report(collector: ErrorCollector, create: () => ApiError): undefined {
  if (collector.errors.length >= maxErrors || collector.characters >= maxCharacters)
    collector.more += 1
  else add(create(), collector)
}

/** Adds all errors of a list to a collector, including the number of unreported ones. */
export function reportAll(collector: ErrorCollector, { errors, more }: ErrorList): void {
  for (const error of errors) report(collector, () => error)
  collector.more += more
}

/** True if the list has an error, reported or not. */
export function hasErrors({ errors, more }: ErrorList): boolean {
  return errors.length > 0 || more > 0
}

function add(error: ApiError, collector: ErrorCollector): void {
  collector.errors = [...collector.errors, error]
  collector.characters += error.location.length + error.message.length
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
  /**
   * The status of the response: that of all errors, or 400, the most general, when they differ
   * (https://jsonapi.org/format/1.0/#errors-processing).
   */
  get status(): number {
    return getStatus(this)
  }
}

/** Returns the status of the response to errors, as `ManyErrors.status`. */
export function getStatus({ errors }: ErrorList): number {
  const [first, ...others] = errors
  return first && others.every(({ status }) => status === first.status) ? first.status : 400
}

/**
 * Throws the errors of a list, equal ones once. Does nothing if the list is empty.
 * @throws ApiError if there is one error, ManyErrors if there are several
 */
export function throwErrors({ errors, more }: ErrorList): void {
  if (errors.length === 0) return
  const distinct = new Map(
    errors.map((error) => [JSON.stringify([error.code, error.location, error.message]), error]),
  )
  const [first, ...others] = distinct.values()
  if (first === undefined) return
  throw others.length === 0 && more === 0
    ? first
    : new ManyErrors({ errors: [first, ...others], more })
}

/** Returns the client errors of a thrown value, or `undefined` if it is any other value. */
export function toErrorList(thrown: unknown): ErrorList | undefined {
  if (thrown instanceof ApiError) return { errors: [thrown], more: 0 }
  return thrown instanceof ManyErrors ? thrown : undefined
}

/** Calls a function. Adds the client errors that it throws to a collector and returns `undefined`; throws any other error. */
export function attempt<Result>(run: () => Result, collector: ErrorCollector): Result | undefined {
  try {
    return run()
  } catch (thrown) {
    const list = toErrorList(thrown)
    if (list === undefined) throw thrown
    reportAll(collector, list)
    return undefined
  }
}

/**
 * Calls several functions, in their order, and reports the client errors of all of them together.
 * @param functions - each returns a result or throws client errors; any other error is thrown at once
 * @returns the results, by the names of their functions, if no function threw
 * @throws ApiError | ManyErrors with the errors of every function
 */
export function collectErrors<Results extends object>(
  functions: {
    readonly [Name in keyof Results]: () => Results[Name]
  },
): Results {
  const collector = emptyCollector()
  const results: Partial<Results> = {}
  for (const name in functions) results[name] = attempt(functions[name], collector)
  throwErrors(collector)
  // No function threw, so each result has its type. TypeScript cannot see that.
  return results as Results
}

/** Calls a function with each item, and reports the client errors of all calls together. @throws ApiError | ManyErrors */
export function mapCollectingErrors<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Result,
): readonly Result[] {
  const collector = emptyCollector()
  const results = items.flatMap((item) => attempt(() => [run(item)], collector) ?? [])
  throwErrors(collector)
  return results
}

/** Returns a thrown value that is an Error, or an Error that describes it. It throws for no value. */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown
  return new Error(`A value that is not an Error was thrown: ${describe(thrown)}`)
}

/** Not every object has a text: `Object.create(null)` has none. */
function describe(value: unknown): string {
  try {
    return String(value)
  } catch {
    return typeof value
  }
}
