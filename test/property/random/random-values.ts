import * as fc from 'fast-check'
import { rowsOf, valueIn } from '../everything/rows.ts'
import type { Literal } from '../reference/reference-filter.ts'
import { kinds } from '../reference/reference-kinds.ts'
import type { OperatorName } from '../reference/reference-operators.ts'
import {
  type AttributeDescription,
  type Data,
  filterable,
  getAttribute,
  type JsonValue,
  type Kind,
  type Value,
} from '../schema.ts'
import { anyValueOf, spellingsOf } from './random-kinds.ts'
import { anyText } from './random-texts.ts'

/** Values for filters over given rows, mostly taken from the rows, so that many filters find rows. */
export interface Values {
  /** A value for an operator that compares an attribute with one. */
  one(attribute: AttributeDescription, operator: OperatorName): fc.Arbitrary<Literal>
  /** A value as `filter[field]=…` can spell it. */
  text(attribute: AttributeDescription): fc.Arbitrary<string>
}

/** Creates the values for these rows. */
export function valuesOver(data: Data): Values {
  const pools = poolsOf(data)
  const plain = (attribute: AttributeDescription): fc.Arbitrary<Literal> => {
    const { kind } = attribute
    if (kinds[kind].operators === 'opaque') return fc.constant(null)
    const strange = anyValueOf(attribute).map(asLiteral)
    const pool = pools.get(kind) ?? []
    // An enumeration accepts no value of another one.
    if (pool.length === 0 || kind === 'enumeration') return strange
    const stored = fc.constantFrom(...pool).chain((value) => spellingsOf(kind, value))
    return fc.oneof(
      { weight: 6, arbitrary: stored.map(asLiteral) },
      { weight: 1, arbitrary: strange },
    )
  }
  const texts = (attribute: AttributeDescription) => plain(attribute).map(String)
  return {
    text: texts,
    one: (attribute, operator) => {
      if (!isPartial(operator)) return plain(attribute)
      const parts = partOf(texts(attribute))
      return operator === 'match' ? spaced(parts, texts(attribute)) : likely(parts)
    },
  }
}

/** The values of all attributes of a kind. */
function poolsOf(data: Data): Map<Kind, Value[]> {
  const cells = Object.keys(data.schema.types).flatMap((type) =>
    filterable(data.schema, type).flatMap((name) => {
      const { kind } = getAttribute(data.schema, type, name)
      return rowsOf(data, type).map((row) => ({ kind, value: valueIn(data, type, row, name) }))
    }),
  )
  const groups = Map.groupBy(
    cells.filter(({ value }) => value !== null),
    ({ kind }) => kind,
  )
  return new Map(Array.from(groups, ([kind, all]) => [kind, all.map(({ value }) => value)]))
}

function asLiteral(json: JsonValue): Literal {
  if (typeof json !== 'object' || json === null) return json
  throw new Error('the reference found an object where a filter takes a plain value')
}

/** Whether the operator usually compares with a part of the field. */
function isPartial(operator: OperatorName): boolean {
  return /like$|with$|^match$/.test(operator)
}
/** A part of a text, cut between code points. */
function partOf(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  return fc.tuple(texts, share, fc.integer({ min: 0, max: 8 })).map(([text, at, length]) => {
    const characters = Array.from(text)
    const from = Math.floor(at * characters.length)
    return characters.slice(from, from + length).join('')
  })
}

/** Parts with a few wildcards `%` around or between them, and in another case. */
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

/** One or two parts or complete texts, separated by spaces. */
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

/** Texts unchanged, in another case, or with characters replaced that a database may consider equal. */
function recased(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const changes: readonly ((text: string) => string)[] = [
    (text) => text,
    (text) => text.toUpperCase(),
    (text) => text.toLowerCase(),
    withTwins,
  ]
  return fc.tuple(texts, fc.constantFrom(...changes)).map(([text, change]) => change(text))
}

/** Characters that may be confused: by normal form, as wildcards, or by a decoder that replaces invalid bytes. */
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
