/**
 * What the values of a column are, as far as that decides who may read them. `credential`: at least one of them is a password hash, a
 * private key or a token of a well-known service. `random`: all of them are long random texts, such as tokens, and digests.
 */
export type ColumnContent = 'credential' | 'random'

/** A member of the objects in a column. */
export interface SampledMember {
  readonly name: string
  /** Whether its value is a number of JSON. */
  readonly isNumber: boolean
}

/** Values that open something by their form alone, and password hashes. Each begins at the start of the value, or of a part of it. */
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

/** How much is read of a text with members, and of any other, in characters. */
const [maxStructured, maxPlain] = [8192, 256]
/** The maximum number of members that are listed of a column. */
const maxMembers = 1000

/** Describes the values of a column without nulls; `undefined` if they are neither. Only the beginning of long values is read. */
export function describeContent(values: readonly unknown[]): ColumnContent | undefined {
  const texts = values.flatMap((value) => (typeof value === 'string' ? value : []))
  if (texts.some(isCredential)) return 'credential'
  const beginnings = texts.flatMap((text) => (text === '' ? [] : text.slice(0, maxPlain)))
  const isRandomColumn =
    beginnings.length > 0 && texts.length === values.length && beginnings.every(isRandom)
  return isRandomColumn && new Set(beginnings).size === beginnings.length ? 'random' : undefined
}

/** True for a credential, and for a text that contains one: a text in quotes of JSON, or a part between punctuation without spaces. */
function isCredential(text: string): boolean {
  const plain = text.slice(0, maxPlain)
  const parts = findNotation(text)
    ? text.slice(0, maxStructured).split(/[\s"\\]+/)
    : /\s/.test(plain)
      ? []
      : plain.split(/[:;,|()"']+/)
  return [plain, ...parts].some((part) => credentials.some((pattern) => pattern.test(part)))
}

/** The notations of objects: how a text begins, and how a member is written, with its name, and in JSON the first character of its value. */
const notations: readonly (readonly [start: RegExp, members: readonly RegExp[]])[] = [
  // JSON, also as a text of JSON, and hstore. A change may be a record: {"field": "password", "old": …}.
  [
    /^\s*[{["]/,
    [
      /"([^"\\]{1,100})\\*"\s*(?::|=>)\s*\\*(?!true\b|false\b)(\S)/g,
      /"(?:field|column|column_?name|field_?name|attribute|property|path|key|name)\\*"\s*:\s*\\*"\/?([^"\\]{1,100})\\*"/gi,
    ],
  ],
  // YAML, the `serialize` of PHP, and XML.
  [/^---\s/, [/^[ \t-]*(\w[\w.-]{0,99}):/gm]],
  [/^[aOs]:\d+:/, [/\bs:\d+:"([^"]{1,100})";[sidNaO]/g]],
  [/^\s*</, [/<([\w.-]{1,100})>\s*[^<\s]/g]],
]

function findNotation(text: string): readonly RegExp[] | undefined {
  return notations.find(([start]) => start.test(text))?.[1]
}

/** Lists the members of the objects in a column, without those of JSON that are true or false; empty if its values are other texts. */
export function listMembers(values: readonly unknown[]): readonly SampledMember[] {
  const members = new Map<string, SampledMember>()
  for (const value of values) {
    if (typeof value !== 'string') continue
    const text = value.slice(0, maxStructured)
    const found = (findNotation(text) ?? []).flatMap((pattern) => [...text.matchAll(pattern)])
    for (const [, name = '', start = ''] of found) {
      if (members.size >= maxMembers) return [...members.values()]
      const isNumber = /[-\d]/.test(start)
      members.set(`${isNumber} ${name}`, { name, isNumber })
    }
  }
  return [...members.values()]
}

/** Lists the texts of a column that may be names, such as those of settings or of columns. */
export function listPossibleNames(values: readonly unknown[]): readonly string[] {
  const texts = values.flatMap((value) =>
    typeof value === 'string' && /^[\w.:/[\]-]{1,100}$/.test(value) ? value : [],
  )
  return [...new Set(texts)]
}

/** True for digits of base 16, 32 or 64 that are not words: many different characters, letters among digits. */
function isRandom(text: string): boolean {
  if (text.length < minRandomLength || !/^[\w+/=.~-]+$/.test(text)) return false
  if (/^[0-9a-f]+$/i.test(text)) return text.length >= 32 && new Set(text.toLowerCase()).size >= 8
  const digits = text.match(/\d/g)?.length ?? 0
  const changes = text.match(/[a-z][A-Z]|[A-Z][a-z]|\d[A-Za-z]|[A-Za-z]\d/g)?.length ?? 0
  return digits >= 2 && changes * 5 >= text.length && new Set(text).size >= 10
}
