import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { throwDeclarationErrors } from '../model/check/declaration-error.ts'
import { type Check, isFunction, members, mustBe, optional } from '../model/check/option-checks.ts'
import type { Awaitable } from '../model/declare/hooks.ts'
import { type Authenticator, createAuthenticator, type Outcome } from './authenticator.ts'
import { type AuthRequest, createUnauthenticatedError, readCredentials } from './credentials.ts'

/** A stored API key: its hash, and the auth context of requests that send it. */
export interface StoredApiKey<Auth> {
  /** The result of `hashApiKey`. */
  readonly hash: string
  readonly auth: Auth
}

/** The options of `apiKeyAuth`. */
export interface ApiKeyAuthOptions<Auth> {
  /** The header field with the key. Default `x-api-key`. */
  readonly header?: string
  /**
   * The keys, or a function that finds the auth context of a hash, e.g. in a table with an index on the hash: an attacker cannot learn
   * a key from the time that it takes, because an attacker cannot choose a hash.
   */
  readonly keys: readonly StoredApiKey<Auth>[] | ((hash: string) => Awaitable<Auth | undefined>)
  /** Returns the auth context of a request without a key. Default: it is rejected with 401. */
  readonly anonymous?: () => Awaitable<Auth>
}

/** Creates a random API key of 256 bits. Show it once, and store its hash. */
export function createApiKey(): Readonly<{ key: string; hash: string }> {
  const key = randomBytes(32).toString('base64url')
  return { key, hash: hashApiKey(key) }
}

/** Hashes an API key by SHA-256, as 64 hexadecimal digits. Random keys need no salt and no slow hash, unlike passwords. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/**
 * Creates the option `authenticate` for API keys in a header field. Keys are compared by their hashes, in constant time.
 *
 * @returns a function for every adapter; it throws a `RequestError` `unauthenticated` (401)
 * @throws DeclarationError for unknown or wrong options, such as a hash that is not the result of `hashApiKey`
 */
export function apiKeyAuth<Auth>(options: ApiKeyAuthOptions<Auth>): Authenticator<Auth> {
  checkApiKeyOptions(options)
  const { header = 'x-api-key', keys, anonymous } = options
  const find = typeof keys === 'function' ? keys : createKeyLookup(keys)
  const name = header.toLowerCase()
  const challenge = `ApiKey header="${name}"`
  const check = async (request: AuthRequest): Promise<Outcome<Auth>> => {
    const key = readCredentials(request, name)
    if (key === undefined)
      return { is: 'missing', error: createUnauthenticatedError(challenge, true), anonymous }
    const auth = typeof key === 'string' ? await find(hashApiKey(key)) : undefined
    return auth === undefined
      ? { is: 'rejected', error: createUnauthenticatedError(challenge, false) }
      : { is: 'accepted', auth }
  }
  const schemes = { [name]: { type: 'apiKey', in: 'header', name } } as const
  const security = { schemes, isOptional: anonymous !== undefined }
  return createAuthenticator(check, { security, credentialFields: [name] })
}

/** Compares a hash with every stored one, so that the time does not depend on which one it equals. */
function createKeyLookup<Auth>(
  keys: readonly StoredApiKey<Auth>[],
): (hash: string) => Auth | undefined {
  const stored = keys.map(({ hash, auth }) => ({ digest: Buffer.from(hash, 'hex'), auth }))
  return (hash) => {
    const digest = Buffer.from(hash, 'hex')
    const found = stored.filter((each) => timingSafeEqual(each.digest, digest))
    return found[0]?.auth
  }
}

const storedKey = members({
  hash: mustBe(
    'the result of hashApiKey',
    (value) => typeof value === 'string' && /^[\da-f]{64}$/.test(value),
  ),
  auth: () => [],
} satisfies Record<keyof StoredApiKey<unknown>, Check>)

const apiKeyOptions = members({
  header: optional(mustBe('the name of a header field', (value) => typeof value === 'string')),
  keys: (value, location) =>
    Array.isArray(value)
      ? // What is not a hash may be a key, so the message does not repeat it.
        value
          .flatMap((each: unknown, at) => storedKey(each, `${location}[${at}]`))
          .map((error) => error.replace(/; it is ".*$/s, ''))
      : mustBe('a list of keys, or a function of a hash', isFunction)(value, location),
  anonymous: optional(mustBe('a function', isFunction)),
} satisfies Record<keyof ApiKeyAuthOptions<unknown>, Check>)

/** @throws DeclarationError with one line for each error */
function checkApiKeyOptions(options: unknown): void {
  throwDeclarationErrors(apiKeyOptions(options, 'apiKeyAuth'))
}
