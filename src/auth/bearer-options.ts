import type { JWTPayload } from 'jose'
import { throwDeclarationErrors } from '../model/check/declaration-error.ts'
import { type Check, isFunction, members, mustBe, optional } from '../model/check/option-checks.ts'
import type { Awaitable } from '../model/declare/hooks.ts'
import { isObject } from '../model/kinds/json.ts'

/**
 * The key that tokens are verified with: a shared secret of at least 32 bytes, a public key in PEM (SPKI), or the URL of a
 * JSON Web Key Set, by https unless it is on this machine, which is cached for ten minutes and loaded again when a token names a key that it lacks, at most twice a
 * minute.
 */
export type BearerKey =
  | Readonly<{ secret: string }>
  | Readonly<{ pem: string }>
  | Readonly<{ jwks: string }>

/** The options of `bearerAuth`. */
export interface BearerAuthOptions<Auth> {
  readonly key: BearerKey
  /** The accepted signature algorithms, e.g. `['RS256']` (RFC 7518 §3.1). `none` is never accepted. */
  readonly algorithms: readonly string[]
  /** The expected `iss`. */
  readonly issuer: string
  /** The expected `aud`. */
  readonly audience: string
  /** Seconds by which the clocks of issuer and server may differ. Default 5. */
  readonly clockTolerance?: number
  /**
   * Returns the auth context of the claims of a valid token; `undefined` rejects the token, e.g. because its user is unknown.
   */
  readonly toAuth: (claims: JWTPayload) => Awaitable<Auth | undefined>
  /** Returns the auth context of a request without a token. Default: it is rejected with 401. */
  readonly anonymous?: () => Awaitable<Auth>
}

/** The shortest secret, in bytes: that of HS256 (RFC 7518 §3.2). */
const minSecretLength = 32
/** The algorithms that sign with a secret (RFC 7518 §3.2); all others sign with a private key. */
const secretAlgorithm = /^HS\d+$/

const name = mustBe('a string', (value) => typeof value === 'string' && value !== '')
const optionalFunction = optional(mustBe('a function', isFunction))

const keyChecks: Readonly<Record<string, Check>> = {
  secret: mustBe(
    `a string of at least ${minSecretLength} bytes, and no key in PEM: pass a public key as { pem }`,
    (value) =>
      typeof value === 'string' &&
      Buffer.byteLength(value) >= minSecretLength &&
      // Everybody knows a public key, so everybody could sign with it as a secret.
      !value.includes('-----BEGIN'),
  ),
  pem: mustBe(
    'a public key in PEM, which begins with "-----BEGIN"',
    (value) => typeof value === 'string' && value.trimStart().startsWith('-----BEGIN'),
  ),
  jwks: mustBe(
    'the https URL of a key set, or an http URL of this machine',
    (value) => typeof value === 'string' && isKeySetUrl(URL.parse(value)),
  ),
}

/** Over plain HTTP anybody on the way could replace the keys. */
function isKeySetUrl(url: URL | null): boolean {
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '')
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)
}

/** Messages do not repeat the value of a secret. */
const key: Check = (value, location) => {
  const [kind = '', ...others] = isObject(value) ? Object.keys(value) : []
  const check = keyChecks[kind]
  if (!isObject(value) || check === undefined || others.length > 0)
    return [`${location}: must be { secret }, { pem } or { jwks }`]
  const [error] = check(value[kind], `${location}.${kind}`)
  return error === undefined ? [] : [kind === 'jwks' ? error : error.replace(/; it is ".*$/s, '')]
}

const algorithms = mustBe(
  'names of signature algorithms, such as ["RS256"], without "none"',
  (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((each) => typeof each === 'string' && each.toLowerCase() !== 'none'),
)

const bearerOptions = members({
  key,
  algorithms,
  issuer: name,
  audience: name,
  clockTolerance: optional(mustBe('a number of seconds', (value) => Number(value) >= 0)),
  toAuth: mustBe('a function of the claims', isFunction),
  anonymous: optionalFunction,
} satisfies Record<keyof BearerAuthOptions<unknown>, Check>)

/**
 * Checks the options of `bearerAuth`. Without `audience`, a token for another service would be accepted.
 * @throws DeclarationError with one line for each error
 */
export function checkBearerOptions(options: BearerAuthOptions<unknown>): void {
  throwDeclarationErrors(bearerOptions(options, 'bearerAuth'))
  const isSecret = 'secret' in options.key
  if (options.algorithms.some((each) => secretAlgorithm.test(each) === isSecret)) return
  const problem = isSecret ? 'none signs with a secret' : 'none signs with a private key'
  const remedy = isSecret ? 'HS256, HS384 or HS512' : 'an algorithm of public keys, such as RS256'
  throwDeclarationErrors([`bearerAuth.algorithms: ${problem}, so no token is valid; use ${remedy}`])
}
