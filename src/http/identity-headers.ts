import type { Check } from '../model/option-checks.ts'
import { mustBe } from '../model/option-checks.ts'
import { commonHeaders, documentHeaders } from './headers.ts'

/** The options that say which header fields have the credentials of a request. */
interface CredentialOptions {
  readonly authenticate?: object | undefined
  readonly credentialFields?: readonly string[] | undefined
}

/** The value of `Cache-Control` in responses that depend on the identity: no shared cache stores them, and no cache reuses them unasked. */
export const privateCacheControl = 'private, no-cache'

/** The header fields of the credentials of a function that does not name them. */
const usualFields = ['Authorization', 'Cookie']

/**
 * Returns the header fields of every response that depends on the identity of its request: those of every document, and what keeps a
 * cache from giving it to another identity. Without them a cache may store a response, also an error, and reuse it: only `Authorization`
 * forbids this (RFC 9111 §3.5, §4.2.2), and not `Cookie` or the field of an API key.
 */
export function createIdentityHeaders({
  authenticate,
  credentialFields = [],
}: CredentialOptions): Readonly<Record<string, string>> {
  const known: unknown = authenticate && Reflect.get(authenticate, 'credentialFields')
  const fields = [...(Array.isArray(known) ? known : usualFields), ...credentialFields]
  const vary = [...new Set([commonHeaders.vary, ...fields])].join(', ')
  return { ...documentHeaders, vary, 'cache-control': privateCacheControl }
}

/** Returns the header fields of every response of a mount. Without `authenticate` all requests have the same identity: nobody. */
export function createMountHeaders(options: CredentialOptions): Readonly<Record<string, string>> {
  return options.authenticate === undefined ? documentHeaders : createIdentityHeaders(options)
}

/**
 * Chooses the value of `Cache-Control` of a response that depends on the identity.
 *
 * @param application - what the application has set, which counts
 * @param handler - what the response itself has; `no-store` is stricter
 */
export function choosePrivateCacheControl(
  application: string | undefined,
  handler: string | undefined,
): string {
  return application ?? (handler === 'no-store' ? handler : privateCacheControl)
}

/** Checks the option `credentialFields`. */
export const credentialFieldsCheck: Check = mustBe(
  'an array of header fields such as "x-user"',
  (value) =>
    Array.isArray(value) &&
    value.every((name) => typeof name === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(name)),
)
