/** Describes a valid value, as the end of the sentence "… must be …". */
export interface ReadFailure {
  readonly expected: string
  /** The elements that are not valid, if the value is an array; absent if the value as a whole is not. */
  readonly elements?: readonly InvalidElement[]
}

/** An element of an array that is not valid. */
export interface InvalidElement {
  readonly index: number
  readonly value: unknown
  /** Describes a valid element. */
  readonly expected: string
}

/** A value of an attribute kind, or a description of valid values. */
export type ReadResult<Value> = { readonly value: Value } | ReadFailure
