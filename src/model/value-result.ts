/** Describes a valid value, as the end of the sentence "… must be …". */
export interface ReadFailure {
  readonly expected: string
}

/** A value of an attribute kind, or a description of valid values. */
export type ReadResult<Value> = { readonly value: Value } | ReadFailure
