import type { KeyObject } from 'node:crypto'
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { HttpError } from '../errors/errors.ts'

/** What a token is verified by. */
export interface TokenOptions {
  /** A key, or the URL of a JSON Web Key Set. */
  readonly key: KeyObject | URL
  readonly issuer: string
  readonly audience: string
  readonly algorithms: string[]
  /** In seconds. */
  readonly clockTolerance: number
}

/**
 * Verifies a token.
 * @returns its claims; `undefined` when it is not valid
 * @throws HttpError `unavailable` (503) when the key set cannot be loaded
 */
export type TokenVerifier = (token: string) => Promise<JWTPayload | undefined>

/** The latest date, in seconds. An expiry beyond it is none (RFC 7519 §2, NumericDate). */
const maxDate = 8.64e12

/** Creates the verifier of JSON Web Tokens (RFC 7519). A token must have an expiry (`exp`). */
export function createTokenVerifier({ key, ...options }: TokenOptions): TokenVerifier {
  const getKey = key instanceof URL ? createKeySetLookup(key) : async () => key
  const verifyOptions = { ...options, requiredClaims: ['exp'] }
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, getKey, verifyOptions)
      // JSON has numbers such as 1e400, which are infinite in JavaScript.
      return Math.abs(Number(payload.exp)) <= maxDate ? payload : undefined
    } catch (error) {
      if (error instanceof HttpError) throw error
      return undefined
    }
  }
}

/** Finds keys in a key set. That the set cannot be loaded says nothing about the token. */
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
      if (hasKeys) throw error
      const detail = 'The keys that verify tokens cannot be loaded; try again shortly.'
      throw new HttpError('unavailable', detail, { 'retry-after': '5' }, { cause: error })
    }
  }
}
