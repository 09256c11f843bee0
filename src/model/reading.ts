/** What a value was meant to be, when it is not: the end of the sentence "… must be …". */
export interface Unreadable {
  readonly expected: string
}

/** A value of the kind, or what it should have been. */
export type Reading<Value> = { readonly value: Value } | Unreadable
