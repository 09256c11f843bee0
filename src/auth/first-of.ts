import { RequestError } from '../errors/errors.ts'
import { throwDeclarationErrors } from '../model/declaration-error.ts'
import { isFunction, mustBe } from '../model/option-checks.ts'
import type { SecurityDescription } from '../model/security.ts'
import type { Authenticator } from './authenticator.ts'
import type { AuthRequest } from './credentials.ts'

/**
 * Combines methods of authentication: a request is authenticated by the first one that accepts it.
 *
 * @returns a function that throws the `RequestError` (401) of the last method when none accepts the request; any other error at
 *   once, e.g. because keys cannot be loaded. A method with `anonymous` accepts requests without credentials, so it must be the
 *   last
 * @throws DeclarationError for an argument that is not a function
 */
export function firstOf<Auth>(
  ...methods: readonly [Method<Auth>, ...(readonly Method<Auth>[])]
): Authenticator<Auth> {
  checkMethods(methods)
  const authenticate = async (request: AuthRequest): Promise<Auth> => {
    const challenges: string[] = []
    let rejection: RequestError | undefined
    for (const authenticate of methods) {
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
  return Object.assign(authenticate, { security: mergeSecurity(methods) })
}

/** A method of authentication, which may have a description. */
type Method<Auth> = ((request: AuthRequest) => Promise<Auth>) & Partial<Authenticator<Auth>>

function mergeSecurity(methods: readonly Method<unknown>[]): SecurityDescription {
  const described = methods.flatMap(({ security }) => (security ? [security] : []))
  return {
    schemes: Object.assign({}, ...described.map(({ schemes }) => schemes)),
    isOptional: described.some(({ isOptional }) => isOptional),
  }
}

/** @throws DeclarationError with one line for each error */
function checkMethods(methods: readonly unknown[]): void {
  const check = mustBe('a function such as bearerAuth(…)', isFunction)
  throwDeclarationErrors(
    methods.length === 0
      ? check(undefined, 'firstOf.methods[0]')
      : methods.flatMap((method, at) => check(method, `firstOf.methods[${at}]`)),
  )
}
