import { HeaderError } from '../errors/errors.ts'

/** The error of a request that arrives after `store.close()`, or that the closing interrupts. */
export function closedError(): HeaderError {
  const cause = new Error('`store.close()` was called before the requests had ended.')
  return new HeaderError('unavailable', 'The store is closed.', {}, { cause })
}
