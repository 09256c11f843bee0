/**
 * What the values of a column are, as far as that decides who may read them. `credential`: at least one of them is a password hash, a
 * private key or a token of a well-known service. `random`: all of them are long random texts, such as tokens, and digests.
 */
export type ColumnContent = 'credential' | 'random'

/** Values that open something by their form alone, and password hashes. Each begins at the start of the value. */
const credentials: readonly RegExp[] = [
  // Hashes of crypt(3), PHP, Python, LDAP, MySQL and SCRAM.
  /^\$(?:2[abxy]?|argon2(?:id|i|d)|scrypt|pbkdf2(?:-sha\d+)?|1|5|6|7|y|apr1|P|H|S|sha1|md5)\$./,
  /^(?:pbkdf2_sha\d+|argon2|bcrypt(?:_sha256)?|scrypt|sha1|md5)\$./,
  /^\{(?:S?SHA\d*|S?MD5|CRYPT|PBKDF2[\w-]*|BCRYPT|ARGON2\w*|SMD5|bcrypt|noop|pbkdf2)\}./,
  /^SCRAM-SHA-\d+\$\d+:/,
  /^\*[0-9A-F]{40}$/,
  // Private keys, JSON Web Tokens, and keys of services.
  /^-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY/,
  /^PuTTY-User-Key-File-/,
  /^eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]*$/,
  /^(?:sk|rk|pk)_(?:live|test)_\w{10,}$/,
  /^(?:gh[opsur]_|github_pat_|glpat-|xox[abeoprs]-|npm_|SG\.|AGE-SECRET-KEY-)[\w.-]{10,}$/,
  /^(?:AKIA|ASIA)[A-Z0-9]{16}$/,
  /^https?:\/\/[^/\s:@]+:[^/\s:@]+@/,
]

/** Longer than the ids that people type, and as short as a token of 100 bits is in base 64. */
const minRandomLength = 20

/** Describes the values of a column without nulls; `undefined` if they are neither. Only the beginning of long values is read. */
export function describeContent(values: readonly unknown[]): ColumnContent | undefined {
  const texts = values.flatMap((value) => (typeof value === 'string' ? value.slice(0, 256) : []))
  if (texts.some((text) => credentials.some((pattern) => pattern.test(text)))) return 'credential'
  const isRandomColumn =
    texts.length > 0 && texts.length === values.length && texts.every((text) => isRandom(text))
  return isRandomColumn && new Set(texts).size === texts.length ? 'random' : undefined
}

/** True for digits of base 16, 32 or 64 that are not words: many different characters, letters among digits. */
function isRandom(text: string): boolean {
  if (text.length < minRandomLength || !/^[\w+/=.~-]+$/.test(text)) return false
  if (/^[0-9a-f]+$/i.test(text)) return text.length >= 32 && new Set(text.toLowerCase()).size >= 8
  const digits = text.match(/\d/g)?.length ?? 0
  const changes = text.match(/[a-z][A-Z]|[A-Z][a-z]|\d[A-Za-z]|[A-Za-z]\d/g)?.length ?? 0
  return digits >= 2 && changes * 5 >= text.length && new Set(text).size >= 10
}
