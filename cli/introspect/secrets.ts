import type {
  Catalog,
  ColumnContent,
  ColumnOrigin,
  StoredColumn,
  StoredTable,
  TableSample,
} from 'lapidary'
import type { Findings } from './findings.ts'
import { inferKind } from './infer-kind.ts'
import { constant, type KindCode } from './kind-code.ts'
import { listNameColumns, listValueColumns, parseName } from './name.ts'

/** The facts about a column that may show that its values open an account. */
interface ColumnFacts {
  readonly column: StoredColumn
  readonly kind: KindCode | undefined
  readonly table: Pick<StoredTable, 'name' | 'columns'> & Partial<Pick<StoredTable, 'primaryKey'>>
  /** What the first rows contain; absent if they were not read, or contain something else. */
  readonly content?: ColumnContent | undefined
}

/** True if a column looks secret, or a view computes it from one that does, and `--show` does not name it. */
export function isSecret(
  facts: Omit<ColumnFacts, 'content'>,
  { contents, derived, shown }: Pick<Findings, 'contents' | 'derived' | 'shown'>,
): boolean {
  const { column } = facts
  if (shown.has(column)) return false
  return derived.has(column) || looksSecret({ ...facts, content: contents.get(column) })
}

/**
 * True if a column may hold a value that opens an account, or from which one can be guessed: passwords, their hashes, tokens, keys.
 * Decides by the words of the name, by the name of the table (`hash` is a secret of `users`, but not of `files`), by the kind and
 * by the stored values. In doubt it is true: `--show` serves a column that is no secret.
 */
export function looksSecret({ column, kind, table, content }: ColumnFacts): boolean {
  if (content === 'credential') return true
  const { words } = parseName(column.name)
  const last = words.at(-1) ?? ''
  const isText = kind === undefined || textKinds.has(kind.name)
  const tableWords = parseName(table.name).words
  if (isText && isGeneralNameOfSecret(words, tableWords, table)) return true
  if (descriptions.has(last) || harmlessKinds.has(kind?.name ?? '')) return false
  const isPinCode = / (?:pin code|pin number)$/.test(` ${words.join(' ')}`)
  const noun = isPinCode && !tableWords.some((word) => /^address/.test(word)) ? 'pin' : last
  if (isSecretOfAccount(noun, kind, [...words, ...tableWords])) return true
  if (numericKinds.has(kind?.name ?? '')) return numericSecrets.has(last)
  if (namesSecret(words)) return true
  const named = words.findLast((word) => !suffixes.has(word)) ?? last
  if (/^cookies?$/.test(named) && !tableWords.some((word) => bakedIn.has(word))) return true
  return content === 'random' && isText && !isHarmlessRandom(words, column, table)
}

/** Parts of words that mean a secret wherever they are, in several languages. `secretary` and `secretion` are other words. */
const parts =
  /passw|passphrase|passcode|passkey|kennwort|wachtwoord|lösenord|losenord|motdepasse|contraseñ|contrasen|salasana|hasło|haslo|secret(?!ar|ion|or)|credential|(?:api|act|access|auth|session|private|priv|shared|signing|encryption|crypto?|hmac|master|login|secure|stored|server|otp|irc|wpa|wep|wifi)keys?$|(?:auth|otp|login|reset|activation|verification)codes?$|(?:pass|pwd|pw)(?:hash|salt)|magiclinks?$|.tokens?$|psk$/

/** One word for the id of a session, which is in the cookie of the client. */
const sessionIds = wordSet('sid sessid sessionid')

/** Words that mean a secret wherever they are in a name. */
const secretWords = wordSet(
  'pw pwd pswd psw pword cred creds senha heslo parola otp otep totp hotp twofactor twofa tfa 2fa mfa scram psk cvv cvc cvv2 cvc2 jwt ha1 ha1b ntlm nthash lmhash htdigest pem pkcs12 pfx keytab htpasswd',
)

/** Words that mean a secret at the end of a name, or before the words of `suffixes`. */
const lastWords = wordSet('pass token tokens secret secrets privkey')
/** One word that ends in `pass`, such as `userpass`; a `compass` and a `bypass` are others. */
const endsInPass =
  /^(?:user|usr|db|login|admin|account|mail|smtp|ftp|imap|pop|ldap|sip|root|bind|proxy|old|new|tmp)pass$/
/** Words before a `pass` that is not a password: a `boarding_pass`. */
const harmlessPasses = wordSet(
  'boarding bus day ski season travel mountain band low high all guest press monthly annual',
)
/** Words after a secret: a `token_hash` is the hash of a token, and `pass_crypt` that of a password. */
const suffixes = wordSet(
  'auth hash hashed salt digest value hint crypt crypted encrypted enc cipher ciphertext md5 sha sha1 sha256 sha512 bcrypt argon2 scrypt plain plaintext raw hex b64 base64 pem data string text old new temp tmp 1 2',
)

/** Words before `key`, `code` or the like that make it a secret. */
const keyAdjectives =
  'private secret api access encryption encrypted signing auth authentication authorization activation confirmation confirm verification verify validation reset recovery backup scratch security session webhook invite invitation license licence shared preshared master hmac aes rsa tls ssl cipher consumer app application client device unlock login autologin remember feed rss stream wrapped wrapping host registration pairing sms magic persist secure stored server irc wpa wep wifi otp'
const keyNouns = 'key keys code codes answer answers cookie cookies hash digest salt pin'
const keyPhrase = new RegExp(
  `\\b(?:${keyAdjectives.replaceAll(' ', '|')}) (?:${keyNouns.replaceAll(' ', '|')})\\b`,
)
/** Phrases of these words that are no secrets: the hash of a commit of a host is one of its state, not of its password. */
const harmlessPhrase =
  /\b(?:app|application|client|device|host|license|licence|server|login) (?:code|codes|hash|digest|pin)\b|\bpublic\b/
const otherPhrases =
  /\bsession (?:data|payload|blob|cookie)\b|\bmot de passe\b|\bsession id\b|\bpin (?:hash|salt)\b|\bpass (?:hash|salt|word|phrase|code)\b|\b(?:nt|lm) (?:hash|password)\b|\bone time\b|\bemail codes?\b|\btwo factor\b|\b2 fa\b|\bmagic links?\b|\bkey auth\b|\b(?:connection|database|db|sqlalchemy|jdbc|amqp|redis|smtp) (?:uri|url|dsn)\b|\bconnection string\b|\bdsn\b|^(?:encrypted|hashed) .|. encrypted$/

/** Words that mean a secret only of an account or of a card: elsewhere a `pin` is on a map and a `hash` is of a file. */
const accountSecrets = wordSet(
  'hash salt pin digest verifier md5 sha1 sha256 crypt bcrypt argon2 argon2id scrypt pbkdf2 shadow hmac',
)
/** Words for accounts and cards, in the name of the column or of its table. */
const accountWords = wordSet(`
  account accounts admin admins auth authentication card cards client clients credential credentials customer customers
  editor editors employee employees login logins member members operator operators pass password passwords people person
  persons player players staff subscriber subscribers user users usr pw pwd token tokens`)

/** Words of tables with cookies that are eaten: any other is one of HTTP, which is a session. */
const bakedIn = wordSet(
  'recipe recipes cookie cookies food foods menu menus bakery bakeries baking dessert desserts snack snacks product products order orders ingredient ingredients',
)

/** Words at the end of a name that describe a secret without being one: `password_length`, `token_type`. */
const descriptions = wordSet(`
  algorithm algo attempts at changed count counter created date day days description enabled expires expire expired expiration
  expiry format identity kind label length level limit method name policy public required scheme score size state status
  strength time timestamp ttl type updated usage used version`)

/** Kinds that cannot hold a secret: `password_set_at` is a date, `has_password` a boolean. */
const harmlessKinds = wordSet('boolean date datetime time enumeration')
/** Kinds that only short secrets have: `failed_passwords` is a number. */
const numericKinds = wordSet('integer integer64 number decimal')
const numericSecrets = wordSet('otp passcode cvv cvc cvv2 cvc2')
const textKinds = wordSet('text databaseText bytes json email url')

/** The last words of tables that hold secrets: in `api_keys` the column `key` is the key itself. */
const secretTables = wordSet(
  'token tokens authtoken authtokens credential credentials password passwords passwd secret secrets apikey apikeys cryptokey cryptokeys logincookies',
)
const secretTablePhrase =
  /\bcredentials? entit(?:y|ies)\b|\buser authenticat\w+\b|\b(?:t|h)?otp\b|\b(?:second|two) factors?\b|\b(?:password|passwords|passwd|pin) (?:resets?|recovery|recoveries|requests?|changes?|history|histories|archive)\b/
/** The last words of tables whose `code` or `value` a client sends back to prove that it received it: of `email_verifications`. */
const proofTables = wordSet(
  'resets recoveries verifications confirmations activations invitations invites unlocks challenges',
)
const proofs = wordSet('code codes hash key digest value')
/** Tables whose `key` may be one of an account. */
const accountTables = wordSet('account accounts user users client clients')
/** Names that say nothing by themselves. */
const generalNames = wordSet(
  'cookie key keys value hash hashed code codes digest data content string salt material plaintext body',
)
/** Tables of FreeRADIUS, whose `value` is the password of the user in the same row. */
const radiusTables = wordSet('radcheck radreply radgroupcheck radgroupreply')
/** Columns with the data of a session. A text that is the id of such a row is in the cookie of the client. */
const sessionData = wordSet('payload data vars sess session session_data')

/** True for a column with a general name in a table of secrets: the `key` of an API key, and the `id` of a session with its data. */
function isGeneralNameOfSecret(
  words: readonly string[],
  tableWords: readonly string[],
  { columns }: Pick<StoredTable, 'columns'>,
): boolean {
  const name = words.join('_')
  const table = tableWords.join(' ')
  const last = tableWords.at(-1) ?? ''
  const [first = '', ...others] = words
  if (generalNames.has(first) && others.every((word) => suffixes.has(word))) {
    const isOfSecrets =
      secretTables.has(last) || secretTablePhrase.test(table) || keyPhrase.test(table)
    if (isOfSecrets && !tableWords.includes('public')) return true
    if (proofTables.has(last) && proofs.has(name)) return true
    if (/^keys?$/.test(name) && accountTables.has(last)) return true
    if (name === 'value' && radiusTables.has(last)) return true
  }
  const isSession = last === 'session' || last === 'sessions'
  return (
    isSession &&
    (name === 'id' || sessionData.has(name)) &&
    [...columns.keys()].some((each) => sessionData.has(each))
  )
}

function isSecretOfAccount(
  last: string,
  kind: KindCode | undefined,
  words: readonly string[],
): boolean {
  if (!accountSecrets.has(last) || !words.some((word) => accountWords.has(word))) return false
  // A number of another name is a quantity: a `salt` in grams.
  return last === 'pin' || !numericKinds.has(kind?.name ?? '')
}

function namesSecret(words: readonly string[]): boolean {
  const text = words.join(' ')
  if (/\bpublic\b/.test(text)) return false
  if (words.some((word) => secretWords.has(word) || sessionIds.has(word) || endsInPass.test(word)))
    return true
  if (otherPhrases.test(text) || [...words, words.join('')].some((word) => parts.test(word)))
    return true
  if (keyPhrase.test(text) && !harmlessPhrase.test(text)) return true
  const end = words.findLastIndex((word) => !suffixes.has(word))
  const [word = '', before = ''] = [words[end], words[end - 1]]
  return lastWords.has(word) && !harmlessPasses.has(before)
}

/** Words for random texts that open nothing: ids, and digests of contents. */
const harmlessRandom = wordSet(`
  id ids uuid guid oid ulid uid cid hash hashes sha sha1 sha256 md5 checksum crc etag digest fingerprint thumbprint integrity
  signature revision rev commit version ref reference path file filename url uri link slug image photo avatar picture
  thumbnail name title address number isbn ean sku barcode public tx txid transaction block model`)

function isHarmlessRandom(
  words: readonly string[],
  { name }: StoredColumn,
  { primaryKey = [] }: Partial<Pick<StoredTable, 'primaryKey'>>,
): boolean {
  return primaryKey.includes(name) || words.some((word) => harmlessRandom.has(word))
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/))
}

/**
 * Finds the columns of views that show a secret: those that are a column that looks secret, under any name, and those that a view computes
 * while it reads such a column. Numbers, times and booleans are computed from secrets without showing them, unless the secret is a number.
 */
export function findDerivedSecrets(
  catalog: Catalog,
  findings: Findings,
): ReadonlySet<StoredColumn> {
  const known = new Map<StoredColumn, boolean>()
  const toKey = (schema: string, name: string) => JSON.stringify([schema, name])
  const tables = new Map(
    catalog.tables.map((table) => [toKey(table.schema, table.name), table] as const),
  )
  const kindOf = (column: StoredColumn) => findings.kinds.get(column) ?? inferKind(column, catalog)
  const isNumber = (column: StoredColumn) => numericKinds.has(kindOf(column)?.name ?? '')
  const findColumn = ({ schema, table, column }: ColumnOrigin) => {
    const found = tables.get(toKey(schema ?? catalog.schema, table))
    const own = found?.columns.get(column)
    return found && own ? { table: found, column: own } : undefined
  }
  const isHidden = (table: StoredTable, column: StoredColumn): boolean => {
    const before = known.get(column)
    if (before !== undefined) return before
    const is =
      isSecret({ column, kind: kindOf(column), table }, findings) || isDerived(table, column)
    known.set(column, is)
    return is
  }
  const isDerived = ({ sources }: StoredTable, column: StoredColumn): boolean => {
    if (sources === undefined || findings.shown.has(column)) return false
    const origin = sources.origins.get(column.name)
    const secrets = (origin ? [origin] : sources.reads)
      .flatMap((each) => findColumn(each) ?? [])
      .filter((each) => isHidden(each.table, each.column))
    const kind = kindOf(column)?.name ?? ''
    if (origin !== undefined || harmlessKinds.has(kind))
      return origin !== undefined && secrets.length > 0
    return numericKinds.has(kind)
      ? secrets.some((each) => isNumber(each.column))
      : secrets.length > 0
  }
  const views = catalog.tables.filter(({ sources }) => sources !== undefined)
  return new Set(
    views.flatMap((view) => [...view.columns.values()].filter((column) => isDerived(view, column))),
  )
}

// Rows that repeat what other columns contain: the audit of a table, whose rows are objects or have the name of a column beside its old and
// new value, and tables of settings. Names are judged as those of columns of the same table.

/** Finds the columns with objects that have a secret as a member, and those with the values of secrets whose names are beside them. */
export function findStoredSecrets(
  table: StoredTable,
  sample: TableSample | undefined,
): readonly StoredColumn[] {
  const isSecretName = (name: string, isNumber: boolean) =>
    looksSecret({
      column: { name, type: '', nullable: true, hasDefault: false, writable: false },
      kind: isNumber ? constant('integer') : undefined,
      table: { name: table.name, columns: new Map() },
    })
  const hasSecretMember = ({ name }: StoredColumn) =>
    sample?.columns.get(name)?.members?.some((each) => isSecretName(each.name, each.isNumber)) ??
    false
  const namesSecret = listNameColumns(table).some(({ name }) =>
    sample?.columns.get(name)?.names?.some((each) => isSecretName(each, false)),
  )
  return [
    ...[...table.columns.values()].filter(hasSecretMember),
    ...(namesSecret ? listValueColumns(table) : []),
  ]
}
