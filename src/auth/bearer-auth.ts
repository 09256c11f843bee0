import { createPublicKey, createSecretKey } from 'node:crypto'
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { HeaderError } from '../errors/errors.ts'
import type { Awaitable } from '../model/hooks.ts'
import { type AuthRequest, readCredentials } from './credentials.ts'
import { createUnauthenticatedError } from './unauthenticated.ts'

/**
 * The key that tokens are verified with: a shared secret of at least 32 bytes, a public key in PEM (SPKI), or the URL of a
 * JSON Web Key Set, which is cached for ten minutes and loaded again when a token names a key that it lacks, at most twice a
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

/** Parses `Authorization`: the scheme is case-insensitive, the token is base64url with dots (RFC 6750 §2.1). */
const bearerPattern = /^bearer +([\w.~+/=-]+)$/i

/**
 * Creates the option `authenticate` for JSON Web Tokens in the header field `Authorization` (RFC 6750, RFC 7519). A token must
 * have an expiry (`exp`).
 *
 * @returns a function for every adapter. It throws a `RequestError` `unauthenticated` (401) whose `WWW-Authenticate` has the
 *   error code of RFC 6750 and nothing else; HeaderError `unavailable` (503) when the key set cannot be loaded
 * @throws Error for an empty list of algorithms, for `none`, for a short secret and for a key that is not valid
 */
export function bearerAuth<Auth>(
  options: BearerAuthOptions<Auth>,
): (request: AuthRequest) => Promise<Auth> {
  const { issuer, audience, clockTolerance = 5, toAuth, anonymous } = options
  const algorithms = checkAlgorithms(options.algorithms)
  const getKey = createKeyLookup(options.key)
  const verifyOptions = { issuer, audience, algorithms, clockTolerance, requiredClaims: ['exp'] }
  return async (request) => {
    const credentials = readCredentials(request, 'authorization')
    if (credentials === undefined) {
      if (anonymous) return await anonymous()
      throw createUnauthenticatedError('Bearer', true)
    }
    const token = typeof credentials === 'string' ? bearerPattern.exec(credentials)?.[1] : undefined
    if (token === undefined) throw createInvalidTokenError()
    const auth = await toAuth(await verify(token))
    if (auth === undefined) throw createInvalidTokenError()
    return auth
  }

  async function verify(token: string): Promise<JWTPayload> {
    try {
      return (await jwtVerify(token, getKey, verifyOptions)).payload
    } catch (error) {
      if (error instanceof KeySetError)
        throw new HeaderError(
          'unavailable',
          'The keys that verify tokens cannot be loaded; try again shortly.',
          { 'retry-after': '5' },
          { cause: error.cause },
        )
      throw createInvalidTokenError()
    }
  }
}

function createInvalidTokenError() {
  return createUnauthenticatedError('Bearer error="invalid_token"', false)
}

function checkAlgorithms(algorithms: readonly string[]): string[] {
  if (algorithms.length === 0 || algorithms.some((each) => each.toLowerCase() === 'none'))
    throw new Error('bearerAuth.algorithms: must name signature algorithms, such as RS256')
  return [...algorithms]
}

/** The key set could not be loaded, which says nothing about the token. */
class KeySetError extends Error {}

/** @throws Error for a short secret, a PEM that is not a public key, and a URL that is not valid */
function createKeyLookup(key: BearerKey): JWTVerifyGetKey {
  if ('jwks' in key) return createKeySetLookup(new URL(key.jwks))
  if ('pem' in key) {
    const publicKey = createPublicKey(key.pem)
    return async () => publicKey
  }
  const secret = Buffer.from(key.secret)
  if (secret.length < minSecretLength)
    throw new Error(`bearerAuth.key.secret: must have at least ${minSecretLength} bytes`)
  const secretKey = createSecretKey(secret)
  return async () => secretKey
}

function createKeySetLookup(url: URL): JWTVerifyGetKey {
  const findKey = createRemoteJWKSet(url)
  return async (header, token) => {
    try {
      return await findKey(header, token)
    } catch (error) {
      const hasKeys =
        error instanceof errors.JWKSNoMatchingKey ||
        error instanceof errors.JWKSMultipleMatchingKeys ||
        error instanceof errors.JOSENotSupported
      throw hasKeys ? error : new KeySetError('the key set cannot be loaded', { cause: error })
    }
  }
}
