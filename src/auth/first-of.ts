import { RequestError } from '../errors/errors.ts'
import { throwDeclarationErrors } from '../model/check/declaration-error.ts'
import { isFunction, mustBe } from '../model/check/option-checks.ts'
import type { Awaitable } from '../model/declare/hooks.ts'
import type { SecurityDescription } from '../model/declare/security.ts'
import {
  type Authenticator,
  type CredentialCheck,
  createAuthenticator,
  findCredentialCheck,
  type Outcome,
} from './authenticator.ts'
import { type AuthRequest, createUnauthenticatedError, readCredentials } from './credentials.ts'

/**
 * Combines methods of authentication, in any order and nested at will. A request is authenticated by the first one that accepts its
 * credentials; wrong credentials for another method do not matter then. If none does and the request has credentials of any of the
 * methods, it is rejected. Only a request without any gets the auth context of the first `anonymous`.
 *
 * A function of the application finds no credentials if it returns `undefined`, which accepts anonymous requests with this auth
 * context. If it throws a `RequestError` with the status 401, the credentials are wrong if the request has one of its header fields:
 * `authorization`, `cookie`, and those of its property `credentialFields`.
 *
 * @returns a function that throws a `RequestError` (401) with the challenges of all methods; any other error of a method at once, e.g.
 *   because keys cannot be loaded
 * @throws DeclarationError for an argument that is not a function
 */
export function firstOf<Auth>(
  ...methods: readonly [Method<Auth>, ...(readonly Method<Auth>[])]
): Authenticator<Auth> {
  checkMethods(methods)
  const checks = methods.map((method) => findCredentialCheck(method) ?? toCredentialCheck(method))
  const check = async (request: AuthRequest): Promise<Outcome<Auth>> => {
    const failed: Exclude<Outcome<Auth>, { is: 'accepted' }>[] = []
    for (const each of checks) {
      const outcome = await each(request)
      if (outcome.is === 'accepted') return outcome
      failed.push(outcome)
    }
    const rejected = failed.filter(({ is }) => is === 'rejected')
    const error = mergeErrors(failed, rejected.at(-1) ?? failed.at(-1))
    if (rejected.length > 0) return { is: 'rejected', error }
    const open = failed.find((each) => each.is === 'missing' && each.anonymous !== undefined)
    return { is: 'missing', error, anonymous: open?.is === 'missing' ? open.anonymous : undefined }
  }
  const fields = new Set(methods.flatMap(listCredentialFields))
  return createAuthenticator(check, {
    security: mergeSecurity(methods),
    credentialFields: [...fields],
  })
}

/** A method of authentication, which may have a description. */
type Method<Auth> = ((request: AuthRequest) => Awaitable<Auth | undefined>) &
  Partial<Pick<Authenticator<Auth>, 'security' | 'credentialFields'>>

/** The header fields of the credentials that a function of the application may read. */
const usualFields = ['authorization', 'cookie']

function listCredentialFields(method: Method<unknown>): readonly string[] {
  const { credentialFields = [] } = method
  const isOwn = findCredentialCheck(method) !== undefined
  return isOwn ? credentialFields : [...usualFields, ...credentialFields]
}

/** Creates the check of a function of the application. */
function toCredentialCheck<Auth>(method: Method<Auth>): CredentialCheck<Auth> {
  const fields = listCredentialFields(method)
  return async (request) => {
    try {
      const auth = await method(request)
      if (auth !== undefined) return { is: 'accepted', auth }
      // The auth context of an application whose function returns `undefined` may be undefined.
      const anonymous = () => auth as Auth
      return { is: 'missing', error: createUnauthenticatedError('', true), anonymous }
    } catch (error) {
      if (!(error instanceof RequestError) || error.status !== 401) throw error
      const isSent = fields.some((name) => readCredentials(request, name) !== undefined)
      return { is: isSent ? 'rejected' : 'missing', error }
    }
  }
}

/** Joins the challenges of all methods. @param told - the one whose error is told */
function mergeErrors(
  failed: readonly Readonly<{ error: RequestError }>[],
  told: Readonly<{ error: RequestError }> | undefined,
): RequestError {
  const challenges = failed
    .map(({ error }) => error.headers['www-authenticate'] ?? '')
    .filter((challenge) => challenge !== '')
  const { title = '', message: detail = '', code = 'unauthenticated' } = told?.error ?? {}
  const headers = { 'www-authenticate': challenges.join(', ') }
  return new RequestError({ status: 401, code, title, detail, headers })
}

/** A method that says nothing may accept requests without the credentials of the others. */
function mergeSecurity(methods: readonly Method<unknown>[]): SecurityDescription {
  return {
    schemes: Object.assign({}, ...methods.map(({ security }) => security?.schemes)),
    isOptional: methods.some(({ security }) => security?.isOptional ?? true),
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
