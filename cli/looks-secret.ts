import type { StoredColumn, StoredTable } from 'lapidary'
import type { KindCode } from './infer-kind.ts'
import { parseName } from './name.ts'

/** Words for a password, in several languages, and for other values that open an account. Also found inside longer words. */
const passwords =
  /password|passwd|passwort|passphrase|passcode|kennwort|wachtwoord|lösenord|losenord|motdepasse|contraseña|contrasena|mot de passe/

/** Two words written as one, such as `clientsecret`; `secretary`, `secretariat` and `secretion` are other words. */
const secretCompounds =
  /secret(?!ar|ion|or)|(?:api|access|auth|session|refresh)(?:key|token)$|^(?:session|sess|s)id$|^(?:user|usr|db|login|admin|account|mail|smtp|ftp|root)pass$|^(?:pass|pw)(?:hash|salt)$/

/** Words that mean a secret wherever they are in a name. */
const secretWords: ReadonlySet<string> = wordSet(
  'pw pwd senha hasło haslo pswd otp totp credential credentials cvv cvc cvv2',
)

/** Words that mean a secret at the end of a name, or before `hash`, `salt`, `digest`, `value` or `hint`. */
const lastWords: ReadonlySet<string> = wordSet('pass token tokens')

/** Words before a `pass` that is not a password: a `boarding_pass`. */
const harmlessPasses: ReadonlySet<string> = wordSet(
  'boarding bus day ski season travel mountain band low high all',
)

/** Secrets of two words: one of the first group before one of the second. */
const keyPhrases =
  /\b(?:private|secret|api|access|encryption|encrypted|signing|auth|authentication|activation|confirmation|verification|reset|recovery|backup|security|session|webhook|invite|invitation|license|licence) (?:key|keys|code|codes|answer|cookie)\b|\bsession id\b|\bpin (?:hash|salt)\b/

/** Words that mean a secret only of an account or of a card: elsewhere a `pin` is on a map and a `hash` is of a file. */
const accountSecrets: ReadonlySet<string> = wordSet('hash salt pin digest')

/** Words for accounts and cards, in the name of the column or of its table. */
const accountWords: ReadonlySet<string> = wordSet(`
  account accounts admin admins auth authentication card cards client clients credential credentials customer customers
  employee employees login logins member members pass password passwords people person persons staff user users usr
  pw pwd token tokens`)

/** Words at the end of a name that describe a secret without being one: `password_length`, `token_type`. */
const descriptions: ReadonlySet<string> = wordSet(`
  algorithm algo attempts at changed count created date day days description enabled expires expired expiration expiry kind
  label length limit method name policy required scheme score size state status strength time type updated version`)

/** Kinds that cannot hold a secret: `password_set_at` is a date, `has_password` a boolean. */
const harmlessKinds: ReadonlySet<string> = wordSet('boolean date datetime time enumeration')
/** Kinds that only short secrets have: `failed_passwords` is a number. */
const numericKinds: ReadonlySet<string> = wordSet('integer integer64 number decimal')
const numericSecrets: ReadonlySet<string> = wordSet('otp passcode cvv cvc cvv2')

/** Words after the secret itself: a `token_hash` is the hash of a token. */
const suffixes: ReadonlySet<string> = wordSet('hash salt digest value hint')

/** Tables whose `key` opens an account, as `authtoken_token` of Django REST framework. */
const tokenWords: ReadonlySet<string> = wordSet('token tokens')
/** Columns with the data of a session. A text that is the id of such a row is in the cookie of the client. */
const sessionData: ReadonlySet<string> = wordSet('payload data sess session session_data')

/**
 * True if the name and the kind of a column suggest that it holds a secret, such as a password hash. Decides by the words of
 * the name, which may be those of its table too: `hash` is a secret of `users`, but not of `files`.
 */
export function looksSecret(
  { name }: StoredColumn,
  kind: KindCode | undefined,
  table: Pick<StoredTable, 'name' | 'columns'>,
): boolean {
  const { words } = parseName(name)
  if (kind?.name === 'text' && isSecretOfTable(words, table)) return true
  const last = words.at(-1) ?? ''
  if (descriptions.has(last) || harmlessKinds.has(kind?.name ?? '')) return false
  const isOfAccount = [...words, ...parseName(table.name).words].some((word) =>
    accountWords.has(word),
  )
  if (isOfAccount && accountSecrets.has(last) && !isQuantity(kind, last)) return true
  if (numericKinds.has(kind?.name ?? '')) return numericSecrets.has(last)
  return hasSecretWord(words) || endsWithSecret(words)
}

/** True for a column with a general name in a table of secrets: the `key` of a token, and the `id` of a session with its data. */
function isSecretOfTable(
  words: readonly string[],
  { name, columns }: Pick<StoredTable, 'name' | 'columns'>,
): boolean {
  const last = parseName(name).words.at(-1) ?? ''
  const text = words.join(' ')
  if (text === 'key') return tokenWords.has(last)
  const isSession = last === 'session' || last === 'sessions'
  return text === 'id' && isSession && [...columns.keys()].some((each) => sessionData.has(each))
}

/** True for a number that is not a secret of digits: a `salt` in grams. */
function isQuantity(kind: KindCode | undefined, word: string): boolean {
  return numericKinds.has(kind?.name ?? '') && word !== 'pin'
}

function hasSecretWord(words: readonly string[]): boolean {
  const text = words.join(' ')
  return (
    passwords.test(text) ||
    keyPhrases.test(text) ||
    words.some((word) => secretWords.has(word) || secretCompounds.test(word))
  )
}

/** True for `user_pass`, `userpass` and `reset_token_hash`. */
function endsWithSecret(words: readonly string[]): boolean {
  const end = words.findLastIndex((word) => !suffixes.has(word))
  const [word = '', before = ''] = [words[end], words[end - 1]]
  return lastWords.has(word) && !harmlessPasses.has(before)
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/))
}
