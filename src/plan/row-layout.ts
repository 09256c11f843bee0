import type { StoredValue } from '../model/model.ts'

/** A row of a query result. Its layout gives the order of its values. */
export type Row = readonly unknown[]

/** The linkage of one relationship in a row: the id of a to-one or null, or an array of the ids of a to-many as strings. */
export interface LinkageColumn {
  readonly relationship: string
  readonly many: boolean
  /** True if the row is read without it: rows or pairs that another statement reads complete it. */
  readonly isDerived?: boolean
  /** True if the row is read with its own key, and the key is looked up afterwards, because it may reference nothing. */
  readonly isUncheckedKey?: boolean
  /** True if rows list a page of the related resources; a row that no include path leads on from lists none (`include-page.ts`). */
  readonly isPaged?: boolean
  /** True if no member of the resource object shows it: only the version of the resource depends on it. */
  readonly isSilent?: boolean
}

/**
 * The layout of the rows of one resource type, and the members that its resource objects have. A type has one layout per
 * document. A row holds the id, then `values`, then `linkages`. An id is a string, or a number or bigint that converts to
 * the id.
 */
export interface RowLayout {
  readonly type: string
  /** The attributes of the resource object, in the order of their declaration. */
  readonly attributes: readonly string[]
  /** The relationships of the resource object, in the order of their declaration. */
  readonly relationships: readonly string[]
  readonly values: readonly StoredValue[]
  readonly linkages: readonly LinkageColumn[]
  /**
   * Set if the rows have the values that the version of the resource depends on: `shown` in `meta.version` of the resource object, or
   * `silent` for an entity tag. Absent: some may be missing.
   */
  readonly version?: 'silent' | 'shown'
}

/** The index of a value in rows of the layout, or −1. */
export function findValueIndex(layout: RowLayout, value: StoredValue): number {
  const index = layout.values.findIndex((other) => isSameValue(other, value))
  return index === -1 ? -1 : 1 + index
}

/** Whether two values are the same column or expression, read by the same codec. */
export function isSameValue(one: StoredValue, other: StoredValue): boolean {
  if (one.codec !== other.codec) return false
  if ('column' in one) return 'column' in other && one.column === other.column
  // A layout has one.
  if ('versionOf' in one) return 'versionOf' in other
  return 'expression' in one
    ? 'expression' in other && one.expression === other.expression
    : 'count' in other && one.count === other.count
}

/** The index of the linkage of a relationship that a member of the resource object shows, or −1. */
export function findShownLinkage(layout: RowLayout, relationship: string): number {
  const isShown = layout.linkages.some(
    (linkage) => linkage.relationship === relationship && !linkage.isSilent,
  )
  return isShown ? findLinkageIndex(layout, relationship) : -1
}

/** The number of the related resources of a relationship, as a value of a row. */
export function createCountValue(relationship: string): StoredValue {
  return { count: relationship, codec: 'integer' }
}

/** The index of the linkage of a relationship in rows of the layout, or −1. */
export function findLinkageIndex(layout: RowLayout, relationship: string): number {
  const index = layout.linkages.findIndex((linkage) => linkage.relationship === relationship)
  return index === -1 ? -1 : 1 + layout.values.length + index
}

/** The layout of resource identifiers: rows hold only the id. */
export function createIdentifierLayout(type: string): RowLayout {
  return { type, attributes: [], relationships: [], values: [], linkages: [] }
}
