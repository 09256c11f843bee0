import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto'
import type { JWTPayload } from 'jose'
import type { Awaitable } from '../model/hooks.ts'
import type { Authenticator } from './authenticator.ts'
import { type AuthRequest, readCredentials } from './credentials.ts'
import { createUnauthenticatedError } from './unauthenticated.ts'
import type { TokenOptions, TokenVerifier } from './verify-token.ts'

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
export function bearerAuth<Auth>(options: BearerAuthOptions<Auth>): Authenticator<Auth> {
  const { issuer, audience, clockTolerance = 5, toAuth, anonymous } = options
  const algorithms = checkAlgorithms(options.algorithms)
  const key = readKey(options.key)
  let verifier: Promise<TokenVerifier> | undefined
  const authenticate = async (request: AuthRequest): Promise<Auth> => {
    const credentials = readCredentials(request, 'authorization')
    if (credentials === undefined) {
      if (anonymous) return await anonymous()
      throw createUnauthenticatedError('Bearer', true)
    }
    const token = typeof credentials === 'string' ? bearerPattern.exec(credentials)?.[1] : undefined
    if (token === undefined) throw createInvalidTokenError()
    verifier ??= loadVerifier({ key, issuer, audience, algorithms, clockTolerance })
    const claims = await (await verifier)(token)
    const auth = claims && (await toAuth(claims))
    if (auth === undefined) throw createInvalidTokenError()
    return auth
  }
  const schemes = { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } as const
  return Object.assign(authenticate, { security: { schemes, isOptional: anonymous !== undefined } })
}

function createInvalidTokenError() {
  return createUnauthenticatedError('Bearer error="invalid_token"', false)
}

function checkAlgorithms(algorithms: readonly string[]): string[] {
  if (algorithms.length === 0 || algorithms.some((each) => each.toLowerCase() === 'none'))
    throw new Error('bearerAuth.algorithms: must name signature algorithms, such as RS256')
  return [...algorithms]
}

/** @throws Error for a short secret, a PEM that is not a public key, and a URL that is not valid */
function readKey(key: BearerKey): KeyObject | URL {
  if ('jwks' in key) return new URL(key.jwks)
  if ('pem' in key) return createPublicKey(key.pem)
  const secret = Buffer.from(key.secret)
  if (secret.length < minSecretLength)
    throw new Error(`bearerAuth.key.secret: must have at least ${minSecretLength} bytes`)
  return createSecretKey(secret)
}

/** Loads `jose`, an optional peer dependency: a static import could not say how to install it. */
async function loadVerifier(options: TokenOptions): Promise<TokenVerifier> {
  try {
    await import('jose')
  } catch (cause) {
    const message = 'lapidary/auth needs the package jose; install it with "npm install jose"'
    throw new Error(message, { cause })
  }
  const { createTokenVerifier } = await import('./verify-token.ts')
  return createTokenVerifier(options)
}
