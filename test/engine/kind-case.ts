import type { Kind } from 'lapidary'

/** The values that one attribute kind accepts and rejects, as JSON text, so that `-0` and `1e400` can be written. */
export interface KindValues {
  readonly kind: Kind<unknown>
  /** The column type in the test's table. Default: the type for the kind's name. */
  readonly column?: string
  /** Values that bodies and filters accept, and how each is serialized, if not as it was sent. */
  readonly accepts: readonly (readonly [sent: string, serialized?: string])[]
  /** Values that bodies reject. */
  readonly rejects: readonly string[]
  /** The start of the error detail for these: what a value in a body must be. */
  readonly expected: string
  /** Further rejected values with more specific details. */
  readonly details?: readonly (readonly [sent: string, expected: string])[]
  /** The description of a valid value in a filter, if it differs from that in a body. */
  readonly expectedInFilters?: string
  /** Values that a JSON filter rejects. */
  readonly rejectedVals: readonly string[]
  /** Texts that `filter[x]=text` accepts, and the JSON of the value. */
  readonly filterTexts: readonly (readonly [text: string, serialized: string])[]
  /** Texts that `filter[x]=text` rejects. */
  readonly rejectedTexts: readonly string[]
}

/** Writes texts as JSON. */
export const asJson = (...texts: readonly string[]) => texts.map((text) => JSON.stringify(text))
/** Writes texts that are serialized as they were sent as rows of `accepts`. */
export const unchanged = (...texts: readonly string[]) =>
  texts.map((text) => [JSON.stringify(text)] as const)
