import { HeaderError } from '../../errors/errors.ts'

/** The error of a query that exceeds a limit of the database itself. */
export function tooComplexError(): HeaderError {
  const advice = 'nest its filter less deep, or include fewer and shorter paths'
  const detail = `The query is too complex for the database; ${advice}.`
  return new HeaderError('query_too_complex', detail)
}
