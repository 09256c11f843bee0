import { HeaderError } from '../errors/errors.ts'

/** The error of a read whose client has disconnected; nobody receives it. */
export function disconnectedError(): HeaderError {
  return new HeaderError('query_timeout', 'The read was cancelled because its client disconnected.')
}
