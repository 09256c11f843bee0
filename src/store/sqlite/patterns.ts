import type { BoundValue, ParameterValue, TextPattern } from '../../model/dialect.ts'
import { fold, wordsOf } from './functions.ts'

/** Whether a text has what a pattern asks for. */
type Matcher = (text: string) => boolean

/** The characters that SQLite's GLOB does not tell from one another. */
const sameToGlob = /[\uFFFD-\uFFFF]/

/** What GLOB gives a meaning of its own. */
const globSpecial = /[*?[]/g

/**
 * A pattern of `like`, in which `%` stands for anything, as one of GLOB, which SQLite evaluates by itself; the pattern itself
 * where GLOB would take other characters for those in it.
 */
export function likePattern(pattern: TextPattern): ParameterValue {
  if (sameToGlob.test(pattern.text)) return pattern
  return pattern.text.replace(globSpecial, '[$&]').replaceAll('%', '*')
}

/** Makes the matcher of a pattern: all that does not depend on the text is worked out once. */
export function compilePattern({ is, text }: TextPattern): Matcher {
  switch (is) {
    case 'like':
      return likeMatcher(text)
    case 'ilike': {
      const matches = likeMatcher(text.includes('%') ? fold(text) : `%${fold(text)}%`)
      return (each) => matches(fold(each))
    }
    case 'match': {
      const words = wordsOf(text)
      return (each) => {
        const present = new Set(wordsOf(each))
        return words.every((word) => present.has(word))
      }
    }
  }
}

/** `%` stands for anything, all else for itself. */
function likeMatcher(pattern: string): Matcher {
  const [start = '', ...rest] = pattern.split('%')
  const end = rest.pop()
  if (end === undefined) return (text) => text === pattern
  const parts = rest.filter((part) => part !== '')
  return (text) => {
    if (!text.startsWith(start)) return false
    let at = start.length
    for (const part of parts) {
      const found = text.indexOf(part, at)
      if (found === -1) return false
      at = found + part.length
    }
    return text.length - end.length >= at && text.endsWith(end)
  }
}

/** Whether the text is of the pattern's form. */
export function isLike(text: string, pattern: string): boolean {
  return likeMatcher(pattern)(text)
}

/**
 * The patterns of the statements that run on a connection. A function of ours gets a number in place of the pattern: Node
 * makes a new string of a text for each call, and frees none of them before the statement ends.
 */
export class Patterns {
  readonly #matchers = new Map<number, Matcher>()
  #last = 0

  /** The values of a run with numbers in place of its patterns; `release` forgets them. */
  register(
    values: readonly ParameterValue[],
  ): Readonly<{ bound: BoundValue[]; release: () => void }> {
    const numbers: number[] = []
    const bound = values.map((value): BoundValue => {
      if (!isPattern(value)) return value
      this.#last += 1
      this.#matchers.set(this.#last, compilePattern(value))
      numbers.push(this.#last)
      return this.#last
    })
    const release = () => {
      for (const number of numbers) this.#matchers.delete(number)
    }
    return { bound, release }
  }

  /** Whether a text matches the pattern with a number. */
  matches(text: string, number: number): boolean {
    const matcher = this.#matchers.get(number)
    if (matcher === undefined) throw new Error(`No pattern ${number} is registered.`)
    return matcher(text)
  }
}

/** Whether a value is a pattern. */
export function isPattern(value: ParameterValue): value is TextPattern {
  return typeof value === 'object' && value !== null && 'text' in value
}
