/** How the lists of a type are paged. */
export interface PageOptions {
  /** What links lead to: page numbers, or cursors. */
  readonly by: 'number' | 'cursor'
  /** How pages with cursors count the resources on all pages, without `page[total]`. */
  readonly total: 'exact' | 'capped' | 'none'
}
