import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto'
import { type Authenticator, createAuthenticator, type Outcome } from './authenticator.ts'
import { type BearerAuthOptions, type BearerKey, checkBearerOptions } from './bearer-options.ts'
import { type AuthRequest, createUnauthenticatedError, readCredentials } from './credentials.ts'
import type { TokenOptions, TokenVerifier } from './verify-token.ts'

/** Parses `Authorization`: the scheme is case-insensitive, the token is base64url with dots (RFC 6750 §2.1). */
const bearerPattern = /^bearer +([\w.~+/=-]+)$/i

/**
 * Creates the option `authenticate` for JSON Web Tokens in the header field `Authorization` (RFC 6750, RFC 7519). A token must
 * have an expiry (`exp`).
 *
 * @returns a function for every adapter. It throws a `RequestError` `unauthenticated` (401) whose `WWW-Authenticate` has the
 *   error code of RFC 6750 and nothing else; HttpError `unavailable` (503) when the key set cannot be loaded
 * @throws DeclarationError for unknown or wrong options, such as `none`, a short secret, or algorithms that do not fit the key; Error
 *   for a PEM that is not a public key
 */
export function bearerAuth<Auth>(options: BearerAuthOptions<Auth>): Authenticator<Auth> {
  checkBearerOptions(options)
  const { issuer, audience, clockTolerance = 5, toAuth, anonymous } = options
  const algorithms = [...options.algorithms]
  const key = readKey(options.key)
  let verifier: Promise<TokenVerifier> | undefined
  const check = async (request: AuthRequest): Promise<Outcome<Auth>> => {
    const credentials = readCredentials(request, 'authorization')
    if (credentials === undefined)
      return { is: 'missing', error: createUnauthenticatedError('Bearer', true), anonymous }
    const token = typeof credentials === 'string' ? bearerPattern.exec(credentials)?.[1] : undefined
    if (token === undefined) return { is: 'rejected', error: createInvalidTokenError() }
    verifier ??= loadVerifier({ key, issuer, audience, algorithms, clockTolerance })
    const claims = await (await verifier)(token)
    const auth = claims && (await toAuth(claims))
    return auth === undefined
      ? { is: 'rejected', error: createInvalidTokenError() }
      : { is: 'accepted', auth }
  }
  const schemes = { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } as const
  const security = { schemes, isOptional: anonymous !== undefined }
  return createAuthenticator(check, { security, credentialFields: ['authorization'] })
}

function createInvalidTokenError() {
  return createUnauthenticatedError('Bearer error="invalid_token"', false)
}

/** @throws Error for a PEM that is not a public key */
function readKey(key: BearerKey): KeyObject | URL {
  if ('jwks' in key) return new URL(key.jwks)
  if ('secret' in key) return createSecretKey(Buffer.from(key.secret))
  try {
    return createPublicKey(key.pem)
  } catch (cause) {
    throw new Error('bearerAuth.key.pem: cannot be read as a public key', { cause })
  }
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
