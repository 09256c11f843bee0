import type { Column } from '../model/model.ts'

/** A row as a database returns it, its values in the order of its layout. */
export type Row = readonly unknown[]

/** Linkage read with a row: a to-one's id or null, or a to-many's ids as a JSON array of strings. */
export interface LinkageColumn {
  readonly relationship: string
  readonly many: boolean
}

/**
 * What is read and shown of one resource type, the same wherever the type appears in a document.
 * A row holds the id as text, then `columns`, then `linkages`, in this order.
 */
export interface RowLayout {
  readonly type: string
  /** The attributes to show, in the order of their declaration. */
  readonly attributes: readonly string[]
  /** The relationships to show, in the order of their declaration. */
  readonly relationships: readonly string[]
  readonly columns: readonly Column[]
  readonly linkages: readonly LinkageColumn[]
}

/** Where a row of the layout holds the column, read as the form; −1 when it does not. */
export function columnIndex(layout: RowLayout, { column, form }: Column): number {
  const index = layout.columns.findIndex((each) => each.column === column && each.form === form)
  return index === -1 ? -1 : 1 + index
}

/** Where a row of the layout holds the linkage of a relationship; −1 when it does not. */
export function linkageIndex(layout: RowLayout, relationship: string): number {
  const index = layout.linkages.findIndex((each) => each.relationship === relationship)
  return index === -1 ? -1 : 1 + layout.columns.length + index
}

/** A layout that reads and shows nothing but type and id. */
export function identifierLayout(type: string): RowLayout {
  return { type, attributes: [], relationships: [], columns: [], linkages: [] }
}
