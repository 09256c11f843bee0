import type { RequestError } from '../errors/errors.ts'
import type { Awaitable } from '../model/declare/hooks.ts'
import type { SecurityDescription } from '../model/declare/security.ts'
import type { AuthRequest } from './credentials.ts'

/** A function for the option `authenticate` of every adapter. */
export interface Authenticator<Auth> {
  (request: AuthRequest): Promise<Auth>
  /** How it authenticates, for the description of the API. */
  readonly security: SecurityDescription
  /** The header fields that have the credentials, in lower case. The responses depend on them, so `Vary` names them. */
  readonly credentialFields: readonly string[]
}

/** What a method of authentication finds in a request. */
export type Outcome<Auth> =
  | Readonly<{ is: 'accepted'; auth: Auth }>
  /** No credentials of its kind. `anonymous` returns the auth context of such requests; without it they are rejected. */
  | Readonly<{
      is: 'missing'
      error: RequestError
      anonymous?: (() => Awaitable<Auth>) | undefined
    }>
  /** Credentials of its kind that are not valid. */
  | Readonly<{ is: 'rejected'; error: RequestError }>

/** Looks for credentials of one kind. @throws any other error, e.g. because keys cannot be loaded */
export type CredentialCheck<Auth> = (request: AuthRequest) => Promise<Outcome<Auth>>

/** The property of the functions that `createAuthenticator` has created with their check, for `firstOf`. */
const checkKey = Symbol('lapidary.check')

/** Creates the function `authenticate` of a method. */
export function createAuthenticator<Auth>(
  check: CredentialCheck<Auth>,
  description: Pick<Authenticator<Auth>, 'security' | 'credentialFields'>,
): Authenticator<Auth> {
  const authenticate = async (request: AuthRequest): Promise<Auth> => {
    const outcome = await check(request)
    if (outcome.is === 'accepted') return outcome.auth
    if (outcome.is === 'missing' && outcome.anonymous) return await outcome.anonymous()
    throw outcome.error
  }
  return Object.assign(authenticate, description, { [checkKey]: check })
}

/** Returns the check of a function that `createAuthenticator` has created; `undefined` for any other function. */
export function findCredentialCheck<Auth>(
  authenticate: (request: AuthRequest) => Awaitable<Auth | undefined>,
): CredentialCheck<Auth> | undefined {
  // The check of a function returns auth contexts of the type that the function returns.
  return Reflect.get(authenticate, checkKey) as CredentialCheck<Auth> | undefined
}
