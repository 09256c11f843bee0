import type { StoredColumn } from 'lapidary'
import type { KindCode } from './infer-kind.ts'
import { parseName } from './name.ts'

/** A column whose name contains one of these words probably holds a secret. */
const secretWords: readonly string[] =
  'password passwd passphrase passcode pwd secret token hash salt otp credential credentials cvv cvc pin'.split(
    ' ',
  )

/** Secrets whose names have two words, or words written without a separator. */
const secretPhrases =
  /\b(?:private|secret|api|access|encryption|signing|encrypted) ?(?:key|keys|code)\b|password|passwd|secret/

/** Kinds that cannot hold a secret: `password_set_at` is a date, `has_password` a boolean. */
const harmlessKinds: readonly string[] = ['boolean', 'date', 'datetime', 'time']

/** True if the name and the kind of a column suggest that it holds a secret, such as a password hash. */
export function looksSecret({ name }: StoredColumn, kind: KindCode | undefined): boolean {
  const { words } = parseName(name)
  if (kind !== undefined && harmlessKinds.includes(kind.name)) return false
  return words.some((word) => secretWords.includes(word)) || secretPhrases.test(words.join(' '))
}
