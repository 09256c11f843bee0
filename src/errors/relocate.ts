import { ManyErrors, toErrorList } from './collector.ts'
import { type ApiError, ParameterError } from './errors.ts'

/** Which parameter the errors of a function are about. */
interface Relocation {
  /** The parameter that the function names. */
  readonly from: string
  /** The parameter of the request that has the same syntax. */
  readonly to: string
}

/** Calls a function, and moves the errors that it reports about one parameter to another one, which has the same syntax. */
export function relocateErrors<Result>(relocation: Relocation, run: () => Result): Result {
  try {
    return run()
  } catch (thrown) {
    const list = toErrorList(thrown)
    if (list === undefined) throw thrown
    const errors = list.errors.map((error) => relocate(error, relocation))
    const [first, ...others] = errors
    throw first && others.length === 0 && list.more === 0
      ? first
      : new ManyErrors({ errors, more: list.more })
  }
}

function relocate(error: ApiError, { from, to }: Relocation): ApiError {
  if (!(error instanceof ParameterError) || error.parameter !== from) return error
  const move = (text: string): string =>
    text === from || (/^[[.: ]/.test(text.slice(from.length)) && text.startsWith(from))
      ? to + text.slice(from.length)
      : text
  const { code, status, title, message, path, meta } = error
  return new ParameterError({ code, status, title }, to, move(message), { path: move(path), meta })
}
