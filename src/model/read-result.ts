/** What a value was meant to be, when it is not: the end of the sentence "… must be …". */
export interface ReadFailure {
  readonly expected: string
}

/** A value of the kind, or what it should have been. */
export type ReadResult<Value> = { readonly value: Value } | ReadFailure
