import type { StoredColumn } from 'lapidary'
import type { KindCode } from './kinds.ts'
import { nameOf } from './words.ts'

/** Words of the names of columns that hold what nobody should be told. */
const secretWords: readonly string[] =
  'password passwd passphrase passcode pwd secret token hash salt otp credential credentials cvv cvc pin'.split(
    ' ',
  )

/** The same in two words, or run together. */
const secretPhrases =
  /\b(?:private|secret|api|access|encryption|signing|encrypted) ?(?:key|keys|code)\b|password|passwd|secret/

/** When something was done to a secret, and whether, is none. */
const harmless: readonly string[] = ['boolean', 'date', 'datetime', 'time']

/** Whether a column looks as if it held a secret. */
export function looksSecret({ name }: StoredColumn, kind: KindCode | undefined): boolean {
  const { words } = nameOf(name)
  if (kind !== undefined && harmless.includes(kind.name)) return false
  return words.some((word) => secretWords.includes(word)) || secretPhrases.test(words.join(' '))
}
