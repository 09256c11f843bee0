import type { ResourceType } from '../model/model.ts'
import type { ReadPlan } from '../plan/read.ts'

/** Where a document is told: what its links are made from. */
export interface Place {
  /** Scheme and host, for absolute links, e.g. `http://127.0.0.1:3000`. */
  readonly origin: string
  /** The path of the document, base path included. */
  readonly path: string
}

/** How an id is written as a step of a path; whole numbers have nothing to escape. */
export function idStep({ id }: ResourceType): (text: string) => string {
  return id.kind.form === 'id' ? asItIs : encodeURIComponent
}

const asItIs = (text: string): string => text

/**
 * The links between the pages of a list as JSON text behind others: `first`, `last` and where they exist `prev` and
 * `next`; none on a single page. All are absolute and keep the rest of the query.
 *
 * @param count - resources on all pages
 * @see SERVICE §3, §5; JSON:API 1.0, Pagination
 */
export function pageLinks(
  { page, repeated: { unnumbered } }: ReadPlan,
  count: number,
  { origin, path }: Place,
): string {
  if (page === undefined) return ''
  const { number } = page
  const last = Math.max(1, Math.ceil(count / page.size))
  if (last === 1 && number === 1) return ''
  const start = `${origin}${path}${unnumbered}${unnumbered === '' ? '?' : '&'}page%5Bnumber%5D=`
  // The number and the closing quote are still to come.
  const open = JSON.stringify(start).slice(0, -1)
  const previous = number > 1 ? `,"prev":${open}${Math.min(number - 1, last)}"` : ''
  const next = number < last ? `,"next":${open}${number + 1}"` : ''
  return `,"first":${open}1","last":${open}${last}"${previous}${next}`
}
