import {
  type Cipheriv,
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

/**
 * Seals the opaque values that clients get and send back, such as cursors: nobody without the secret reads, changes or creates one.
 * Equal input gives equal tokens, so that links and entity tags are stable.
 */
export interface Sealer {
  /**
   * Encrypts and authenticates a payload.
   * @param context - what the token is for, e.g. a purpose and a type; a token opens in the same context only
   * @returns text of the characters of URLs: letters, digits, `-` and `_`
   */
  seal(context: string, payload: Uint8Array): string
  /**
   * Opens a token.
   * @param context - the context in which it must have been sealed, or a function that reads it from the payload, which is not
   *   authenticated yet; `undefined` if the payload has none
   * @returns the payload; `undefined` for a token that is damaged, of another context or of another secret
   */
  open(
    token: string,
    context: string | ((payload: Uint8Array) => string | undefined),
  ): Uint8Array | undefined
  /**
   * Computes a short keyed digest of a text: SHA-256 of a key, which is derived from the newest secret for one purpose, and of the text.
   * Of it 96 bits are returned; what is not keeps others from extending the text. An HMAC takes three times as long.
   * @param purpose - the name of the use, e.g. `version`; digests of different purposes are unrelated
   * @returns 16 characters of URLs
   */
  fingerprint(purpose: string, text: string): string
  /**
   * Encrypts a digest of 16 bytes as one block of AES-128, with a key for one purpose. Whoever has a token can open it, but only a token
   * of this function opens to a digest that a statement can find: there is nothing to authenticate.
   * @param digest - 32 hexadecimal digits
   * @returns 22 characters of URLs
   */
  sealDigest(purpose: string, digest: string): string
  /** Returns the digest of a token of `sealDigest`; `undefined` for a text that is none. */
  openDigest(purpose: string, token: string): string | undefined
}

/** The minimum number of characters of a secret. */
export const minimumSecretLength = 16

/** The keys that are derived from one secret. */
interface SealKeys {
  readonly authentication: Buffer
  readonly encryption: Buffer
}

/** The bytes of a sealed digest, of its key, and of a block of AES. */
const digestLength = 16

/** The bytes of a token before the encrypted payload. */
const ivLength = 16

/**
 * Creates a sealer: synthetic initialization vectors, HMAC-SHA-256 for authentication, AES-256-CTR for encryption, keys by HKDF.
 * @param secrets - the first seals, all open: during a rotation the new and the old one. Default: one random secret, whose tokens
 *   are valid as long as the sealer exists
 */
export function createSealer(secrets?: readonly string[]): Sealer {
  let current: readonly [Buffer, ...Buffer[]] | undefined
  /** A model without a secret costs no randomness until it seals. */
  const getSecrets = (): readonly [Buffer, ...Buffer[]] => {
    if (current === undefined) {
      const [first = randomBytes(32), ...others] = (secrets ?? []).map((each) => Buffer.from(each))
      current = [first, ...others]
    }
    return current
  }
  let keys: readonly [SealKeys, ...SealKeys[]] | undefined
  const getKeys = (): readonly [SealKeys, ...SealKeys[]] => {
    const [first, ...others] = getSecrets()
    keys ??= [deriveSealKeys(first), ...others.map(deriveSealKeys)]
    return keys
  }
  const fingerprintKeys = new Map<string, string>()
  const blockCiphers = new Map<string, Cipheriv>()
  const deriveBlockKey = (purpose: string) =>
    deriveKey(getSecrets()[0], `digest ${purpose}`).subarray(0, digestLength)
  return {
    seal(context, payload) {
      return sealWith(getKeys()[0], context, payload)
    },
    open(token, context) {
      const bytes = decodeToken(token)
      if (bytes === undefined) return undefined
      for (const each of getKeys()) {
        const payload = openWith(each, bytes, context)
        if (payload !== undefined) return payload
      }
      return undefined
    },
    fingerprint(purpose, text) {
      let key = fingerprintKeys.get(purpose)
      if (key === undefined) {
        key = deriveKey(getSecrets()[0], `fingerprint ${purpose}`).toString('base64url')
        fingerprintKeys.set(purpose, key)
      }
      return hash('sha256', key + text, 'base64url').slice(0, 16)
    },
    sealDigest(purpose, digest) {
      // One block after the other, none of which depends on another: so one cipher seals them all.
      let cipher = blockCiphers.get(purpose)
      if (cipher === undefined) {
        cipher = createCipheriv('aes-128-ecb', deriveBlockKey(purpose), null).setAutoPadding(false)
        blockCiphers.set(purpose, cipher)
      }
      return cipher.update(digest, 'hex').toString('base64url')
    },
    openDigest(purpose, token) {
      const block = Buffer.from(token, 'base64url')
      if (block.length !== digestLength || block.toString('base64url') !== token) return undefined
      const decipher = createDecipheriv('aes-128-ecb', deriveBlockKey(purpose), null)
      decipher.setAutoPadding(false)
      return Buffer.concat([decipher.update(block), decipher.final()]).toString('hex')
    },
  }
}

function deriveSealKeys(secret: Buffer): SealKeys {
  return {
    authentication: deriveKey(secret, 'seal authentication'),
    encryption: deriveKey(secret, 'seal encryption'),
  }
}

function deriveKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `lapidary ${purpose}`, 32))
}

function sealWith({ authentication, encryption }: SealKeys, context: string, payload: Uint8Array) {
  const iv = computeIv(authentication, context, payload)
  const cipher = createCipheriv('aes-256-ctr', encryption, iv)
  return Buffer.concat([iv, cipher.update(payload), cipher.final()]).toString('base64url')
}

function openWith(
  { authentication, encryption }: SealKeys,
  bytes: Buffer,
  context: string | ((payload: Uint8Array) => string | undefined),
): Buffer | undefined {
  const iv = bytes.subarray(0, ivLength)
  const decipher = createDecipheriv('aes-256-ctr', encryption, iv)
  const payload = Buffer.concat([decipher.update(bytes.subarray(ivLength)), decipher.final()])
  const expected = typeof context === 'string' ? context : context(payload)
  if (expected === undefined) return undefined
  return timingSafeEqual(iv, computeIv(authentication, expected, payload)) ? payload : undefined
}

/** The initialization vector, which also authenticates the context and the payload. A context contains no U+0000. */
function computeIv(key: Buffer, context: string, payload: Uint8Array): Buffer {
  if (context.includes('\0')) throw new Error('The context of a token must not contain U+0000.')
  const digest = createHmac('sha256', key).update(context).update('\0').update(payload).digest()
  return digest.subarray(0, ivLength)
}

/** Decodes a token; `undefined` for a text that is not exactly what `seal` writes. */
function decodeToken(token: string): Buffer | undefined {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length < ivLength || bytes.toString('base64url') !== token) return undefined
  return bytes
}
