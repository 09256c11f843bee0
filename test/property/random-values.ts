import * as fc from 'fast-check'
import { anyDate, anyEmail, anyText } from './random-texts.ts'
import type { Literal } from './reference-filter.ts'
import type { OperatorName } from './reference-operators.ts'
import type { Kind, Tables } from './rows.ts'

/** Values for filters over given rows, mostly taken from the rows, so that a fair share of the filters hits. */
export interface Values {
  /** A value for an operator that compares with one. */
  one(kind: Kind, operator: OperatorName): fc.Arbitrary<Literal>
  /** A value as `filter[field]=…` can spell it. */
  text(kind: Kind): fc.Arbitrary<string>
}

/** Values that suit these rows. */
export function valuesOver(tables: Tables): Values {
  const texts = pool(tables)
  const plain: Record<Kind, fc.Arbitrary<string>> = {
    text: fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...texts) }, anyText),
    email: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('a@b.example', ...emails(tables)) },
      anyEmail,
    ),
    date: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('2000-02-29', ...dates(tables)) },
      anyDate,
    ),
    id: fc.constantFrom('0', '9223372036854775807', ...ids(tables)),
    relationship: fc.constant(''),
  }
  const part = partOf(fc.constantFrom(...texts))
  const partOfEmail = partOf(plain.email)
  const id = plain.id.map((text) => (text.length < 16 && Number(text) % 2 ? Number(text) : text))
  return {
    text: (kind) => plain[kind],
    one: (kind, operator) => {
      if (kind === 'relationship') return fc.constant(null)
      if (kind === 'id') return id
      if (!isPartial(operator)) return plain[kind]
      const parts = kind === 'email' ? partOfEmail : part
      return operator === 'match' ? spaced(parts, plain[kind]) : likely(parts)
    },
  }
}

/** Whether the operator is usually asked with a part of the field. */
function isPartial(operator: OperatorName): boolean {
  return /like$|with$|^match$/.test(operator)
}

/** A stretch of a text, cut between code points. */
function partOf(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  return fc.tuple(texts, share, fc.integer({ min: 0, max: 8 })).map(([text, at, length]) => {
    const characters = Array.from(text)
    const from = Math.floor(at * characters.length)
    return characters.slice(from, from + length).join('')
  })
}

/** Parts with `%` around or between them, and with their case changed: no more than a few wildcards each. */
function likely(parts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const pattern = fc.oneof(
    { weight: 4, arbitrary: parts },
    { weight: 1, arbitrary: parts.map((part) => `%${part}%`) },
    { weight: 1, arbitrary: parts.map((part) => `%${part}`) },
    { weight: 1, arbitrary: parts.map((part) => `${part}%`) },
    { weight: 1, arbitrary: fc.tuple(parts, parts).map((both) => `%${both.join('%')}%`) },
    { weight: 1, arbitrary: fc.constantFrom('', '%', '%%', '_', '_%', '\\', '\\%', '*', '[a-z]%') },
    { weight: 1, arbitrary: anyText },
  )
  return recased(pattern)
}

/** One or two parts or whole texts, as words. */
function spaced(parts: fc.Arbitrary<string>, wholes: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const word = fc.oneof(parts, wholes)
  const gap = fc.constantFrom(' ', '-', '、', '')
  return recased(
    fc.oneof(
      word,
      fc.tuple(word, gap, word).map((all) => all.join('')),
    ),
  )
}

/** Texts as they are, in another case, or with characters that a database may take for one another swapped. */
function recased(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const changes: readonly ((text: string) => string)[] = [
    (text) => text,
    (text) => text.toUpperCase(),
    (text) => text.toLowerCase(),
    withTwins,
  ]
  return fc.tuple(texts, fc.constantFrom(...changes)).map(([text, change]) => change(text))
}

/** Characters that are easily taken for each other: by normal form, by wildcard, by a decoder that gives up. */
const twins = new Map<string, string>([
  ...[['\ufffd', '\uffff'] as const, ['\uffff', '\ufffd'] as const, ['\ufffe', '\uffff'] as const],
  ...[['é', 'e\u0301'] as const, ['_', 'a'] as const, ['a', '_'] as const, ['?', 'a'] as const],
  ...[
    ['[', 'a'] as const,
    ['\\', ''] as const,
    ['\u00a0', ' '] as const,
    ['😀', '\ufffd'] as const,
  ],
])

function withTwins(text: string): string {
  return Array.from(text, (character) => twins.get(character) ?? character).join('')
}

function pool({ persons, computers }: Tables): string[] {
  const named = persons.flatMap(({ name, gender }) => [name, gender ?? ''])
  return [...named, ...computers.map(({ serial }) => serial)]
}

function emails({ persons }: Tables): string[] {
  return persons.flatMap(({ email }) => email ?? [])
}

function dates({ persons }: Tables): string[] {
  return persons.flatMap(({ birth_date }) => birth_date ?? [])
}

function ids({ persons, computers }: Tables): string[] {
  return [...persons, ...computers].map(({ id }) => String(id))
}
