import type { BoundValue, ParameterValue, TextPattern } from '../../model/dialect.ts'
import { isTextPattern } from '../../sql/statement-values.ts'
import { foldCase, splitFoldedWords } from './functions.ts'

// Precompiled patterns. Node.js converts each text argument of an SQL function to a new string for each call, and frees none
// of them before the statement ends. So a pattern is compiled once per execution, and the SQL function gets its number. A
// pattern of `like` becomes a pattern of GLOB, which SQLite evaluates without a call of JavaScript. Rows `text` and `any-case`
// of the benchmark: 1.7 and 1.6 times the throughput of the baseline, which calls a function of JavaScript for each text.
//
// Invariant: a number is registered while the statement runs, and never used again. GLOB and `compilePattern` match the same
// texts (docs/decisions/0041).

/** Whether a text matches a pattern. */
type Matcher = (text: string) => boolean

/** Characters that GLOB considers equal to each other. */
const equalInGlob = /[\uFFFD-\uFFFF]/

/** The special characters of GLOB. */
const globSpecial = /[*?[]/g

/**
 * Converts a pattern of `like`, in which only `%` is special, to a pattern of GLOB. Returns the pattern itself if it contains
 * characters that GLOB does not distinguish, or if the search of GLOB could take much longer than linear time.
 */
export function toGlobPattern(pattern: TextPattern): ParameterValue {
  if (equalInGlob.test(pattern.text) || pattern.text.split('%').some(overlapsItself)) return pattern
  return pattern.text.replace(globSpecial, '[$&]').replaceAll('%', '*')
}

/** Compiles a pattern to the function that matches texts. */
function compilePattern({ is, text }: TextPattern): Matcher {
  switch (is) {
    case 'like':
      return compileLike(text)
    case 'ilike': {
      const matches = compileLike(text.includes('%') ? foldCase(text) : `%${foldCase(text)}%`)
      return (each) => matches(foldCase(each))
    }
    case 'match': {
      const words = splitFoldedWords(text)
      return (each) => {
        const present = new Set(splitFoldedWords(each))
        return words.every((word) => present.has(word))
      }
    }
  }
}

/** Compiles a pattern in which `%` matches any text and every other character itself. */
function compileLike(pattern: string): Matcher {
  const [start = '', ...rest] = pattern.split('%')
  const end = rest.pop()
  if (end === undefined) return (text) => text === pattern
  const parts = rest
    .filter((part) => part !== '')
    .map((part) => ({ find: createFindText(part), length: part.length }))
  return (text) => {
    if (!text.startsWith(start)) return false
    let position = start.length
    for (const part of parts) {
      const index = part.find(text, position)
      if (index === -1) return false
      position = index + part.length
    }
    return text.length - end.length >= position && text.endsWith(end)
  }
}

/** Whether a text matches a pattern of `like` from another column. */
export function matchesLike(text: string, pattern: string): boolean {
  return compileLike(pattern)(text)
}

/** The patterns of the statements that run on a connection, by number. */
export class PatternRegistry {
  readonly #matchers = new Map<number, Matcher>()
  #lastNumber = 0

  /** Replaces the patterns among the values of an execution by numbers. `release` forgets them. */
  register(
    values: readonly ParameterValue[],
  ): Readonly<{ boundValues: BoundValue[]; release: () => void }> {
    const numbers: number[] = []
    const boundValues = values.map((value): BoundValue => {
      if (!isTextPattern(value)) return value
      this.#lastNumber += 1
      this.#matchers.set(this.#lastNumber, compilePattern(value))
      numbers.push(this.#lastNumber)
      return this.#lastNumber
    })
    const release = () => {
      for (const number of numbers) this.#matchers.delete(number)
    }
    return { boundValues, release }
  }

  /** Whether a text matches the pattern with a number. */
  matches(text: string, number: number): boolean {
    const matcher = this.#matchers.get(number)
    if (matcher === undefined) throw new Error(`No pattern ${number} is registered.`)
    return matcher(text)
  }
}

/** True if one of the values of a statement is a pattern. */
export function hasTextPattern(values: readonly ParameterValue[]): boolean {
  for (const value of values) if (isTextPattern(value)) return true
  return false
}

/** Finds a text in another one from a position on, as `indexOf`. */
type FindText = (text: string, position: number) => number

/** The longest overlap with which a naive search takes about linear time. */
const maxOverlap = 8

/**
 * Whether a text overlaps with itself, such as `aaaaaaaaab`: a naive search for it in a text of the same characters takes time in
 * proportion to the product of the lengths. SQLite's GLOB searches naively.
 */
export function overlapsItself(part: string): boolean {
  return computeOverlaps(part).some((overlap) => overlap > maxOverlap)
}

/** Creates the function that finds a text, in linear time for every text: by the algorithm of Knuth, Morris and Pratt if it overlaps. */
export function createFindText(part: string): FindText {
  if (!overlapsItself(part)) return (text, position) => text.indexOf(part, position)
  const overlaps = computeOverlaps(part)
  return (text, position) => {
    let matched = 0
    for (let index = position; index < text.length; index += 1) {
      const code = text.charCodeAt(index)
      while (matched > 0 && part.charCodeAt(matched) !== code) matched = overlaps[matched - 1] ?? 0
      if (part.charCodeAt(matched) === code) matched += 1
      if (matched === part.length) return index - matched + 1
    }
    return -1
  }
}

/** Returns, for each beginning of a text, the length of its longest shorter beginning that is also its end. */
function computeOverlaps(part: string): number[] {
  const overlaps = part === '' ? [] : [0]
  for (let index = 1, matched = 0; index < part.length; index += 1) {
    const code = part.charCodeAt(index)
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = overlaps[matched - 1] ?? 0
    if (part.charCodeAt(matched) === code) matched += 1
    overlaps.push(matched)
  }
  return overlaps
}
