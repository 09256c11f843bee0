import { type ErrorResponse, serializeErrors } from '../serialize/errors.ts'
import { documentHeaders } from './headers.ts'

/**
 * Creates the response to an error of a call in process, for routes of an application: the same status and document as those
 * of a request, e.g. `` const { status, headers, body } = createErrorResponse(error) ?? … ``.
 *
 * @returns the status, the headers, and a JSON:API document as text; `undefined` for an error that is internal, which clients
 *   must not see
 * @see https://jsonapi.org/format/1.0/#errors
 */
export function createErrorResponse(error: unknown): ErrorResponse | undefined {
  const response = serializeErrors(error)
  if (response === undefined) return undefined
  const { status, headers, body } = response
  return { status, headers: { ...documentHeaders, ...headers }, body }
}
