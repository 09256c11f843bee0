import type { Kind } from 'lapidary'

/** What attributes of one kind take and refuse. Values are JSON texts, so that `-0` and `1e400` can be written down. */
export interface KindValues {
  readonly kind: Kind<unknown>
  /** How the test's table declares the column, where not as kinds of that name. */
  readonly column?: string
  /** What bodies and filters take; beside it what is told of it, where that is written otherwise. */
  readonly accepts: readonly (readonly [sent: string, told?: string])[]
  /** What bodies refuse. */
  readonly refuses: readonly string[]
  /** What a body's value must be, in the words of the refusal. */
  readonly expected: string
  /** Refusals of bodies word for word, where the sentence says more than that. */
  readonly sentences?: readonly (readonly [sent: string, words: string])[]
  /** What a filter's value must be, where that is something else. */
  readonly asked?: string
  /** What a JSON filter refuses. */
  readonly notVals: readonly string[]
  /** Texts of `filter[x]=text` and the value each is read as. */
  readonly texts: readonly (readonly [text: string, told: string])[]
  /** Texts that `filter[x]=text` refuses. */
  readonly notTexts: readonly string[]
}

/** Texts as JSON. */
export const quoted = (...texts: readonly string[]) => texts.map((text) => JSON.stringify(text))
/** Texts that are told as they are sent, as JSON. */
export const same = (...texts: readonly string[]) =>
  texts.map((text) => [JSON.stringify(text)] as const)
