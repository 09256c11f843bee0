import type { StoredValue } from '../model/model.ts'

/** A row as a database returns it, its values in the order of its layout. */
export type Row = readonly unknown[]

/** Linkage read with a row: a to-one's id or null, or an array of a to-many's ids, which are texts. */
export interface LinkageColumn {
  readonly relationship: string
  readonly many: boolean
  /** Whether it is not read with the row, because rows that are read later tell it. */
  readonly isTold?: boolean
}

/**
 * What is read and shown of one resource type, the same wherever the type appears in a document.
 * A row holds the id, then `values`, then `linkages`, in this order. Ids are texts or what reads as the same text, be it a
 * number or a bigint.
 */
export interface RowLayout {
  readonly type: string
  /** The attributes to show, in the order of their declaration. */
  readonly attributes: readonly string[]
  /** The relationships to show, in the order of their declaration. */
  readonly relationships: readonly string[]
  readonly values: readonly StoredValue[]
  readonly linkages: readonly LinkageColumn[]
}

/** Where a row of the layout holds a value; −1 when it does not. */
export function valueIndex(layout: RowLayout, value: StoredValue): number {
  const index = layout.values.findIndex((each) => isSame(each, value))
  return index === -1 ? -1 : 1 + index
}

/** Whether two values are read alike, so that reading one of them does for both. */
export function isSame(one: StoredValue, other: StoredValue): boolean {
  if (one.form !== other.form) return false
  return 'column' in one
    ? 'column' in other && one.column === other.column
    : 'expression' in other && one.expression === other.expression
}

/** Where a row of the layout holds the linkage of a relationship; −1 when it does not. */
export function linkageIndex(layout: RowLayout, relationship: string): number {
  const index = layout.linkages.findIndex((each) => each.relationship === relationship)
  return index === -1 ? -1 : 1 + layout.values.length + index
}

/** A layout that reads and shows nothing but type and id. */
export function identifierLayout(type: string): RowLayout {
  return { type, attributes: [], relationships: [], values: [], linkages: [] }
}
