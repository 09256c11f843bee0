import { RequestError } from '../errors/errors.ts'
import type { AuthRequest } from './credentials.ts'

/**
 * Combines ways to authenticate: a request is authenticated by the first one that accepts it.
 *
 * @returns a function that throws the `RequestError` (401) of the last way when none accepts the request; any other error at
 *   once, e.g. because keys cannot be loaded. A way with `anonymous` accepts requests without credentials, so it must be the
 *   last
 */
export function firstOf<Auth>(
  ...ways: readonly [
    (request: AuthRequest) => Promise<Auth>,
    ...(readonly ((request: AuthRequest) => Promise<Auth>)[]),
  ]
): (request: AuthRequest) => Promise<Auth> {
  return async (request) => {
    const challenges: string[] = []
    let rejection: RequestError | undefined
    for (const authenticate of ways) {
      try {
        return await authenticate(request)
      } catch (error) {
        if (!(error instanceof RequestError) || error.status !== 401) throw error
        rejection = error
        challenges.push(error.headers['www-authenticate'] ?? '')
      }
    }
    const { title = '', message: detail = '', code = 'unauthenticated' } = rejection ?? {}
    const headers = { 'www-authenticate': challenges.join(', ') }
    throw new RequestError({ status: 401, code, title, detail, headers })
  }
}
