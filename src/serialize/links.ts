import type { ResourceType } from '../model/model.ts'
import type { ReadPlan } from '../plan/read.ts'
import type { ListEnd } from '../plan/read-result.ts'
import { listPageLinks } from './page.ts'

/** The base of the absolute links of a document. */
export interface LinkBase {
  /** Scheme and host, e.g. `http://127.0.0.1:3000`. */
  readonly origin: string
  /** The path of the document with its prefix. */
  readonly path: string
  /** True if the query is too long for a URL: no link repeats it. */
  readonly isLong?: boolean | undefined
  /** The path of the description of the document; absent for none. */
  readonly describedBy?: string | undefined
}

/** Encodes an id as a path segment. An id of the kind `id` has only digits and a sign, and stays as it is. */
export function encodeId({ id }: ResourceType, text: string): string {
  return id.kind.codec === 'id' ? text : encodeURIComponent(text)
}

/**
 * Serializes an address. Ids, names and queries in it are percent-encoded, so only a declared prefix can have a character that JSON
 * escapes, and a test for it costs less than a call of `JSON.stringify`.
 */
export function serializeAddress(address: string): string {
  return /[^ !#-[\]-~]/.test(address) ? JSON.stringify(address) : `"${address}"`
}

/** Serializes the link to the description of a document, as a JSON member behind others. @see https://jsonapi.org/format/1.1/#document-links */
export function serializeDescribedBy(path: string): string {
  return `,"describedby":${serializeAddress(path)}`
}

/**
 * Serializes the links between the pages of a list, as JSON members behind others: `first`, `last`, and `prev` and `next`
 * if these pages exist. A list of a single page has none. All links are absolute and repeat the rest of the query.
 *
 * A page between cursors has all four, null where the server knows that there is nothing. If no link may repeat the query, only those
 * that are null are left.
 *
 * @see https://jsonapi.org/format/1.0/#fetching-pagination
 */
export function serializePageLinks(
  plan: ReadPlan,
  end: ListEnd,
  { origin, path, isLong }: LinkBase,
): string {
  const { page, canonicalQuery } = plan
  const { withoutPosition } = canonicalQuery
  if (page === undefined) return ''
  if (page.cursors) {
    const links = listPageLinks(plan, page.cursors, end)
    const shown = isLong ? links.filter(([, query]) => query === null) : links
    return shown
      .map(([name, query]) => {
        const url = query === null ? null : `${origin}${path}${query}`
        return `,"${name}":${JSON.stringify(url)}`
      })
      .join('')
  }
  if (isLong) return ''
  const { number } = page
  const { count = 0 } = end
  const last = Math.max(1, Math.ceil(count / page.size))
  if (last === 1 && number === 1) return ''
  const separator = withoutPosition === '' ? '?' : '&'
  const url = `${origin}${path}${withoutPosition}${separator}page%5Bnumber%5D=`
  // Each link appends a page number and the closing quotation mark.
  const open = serializeAddress(url).slice(0, -1)
  const previous = number > 1 ? `,"prev":${open}${Math.min(number - 1, last)}"` : ''
  const next = number < last ? `,"next":${open}${number + 1}"` : ''
  return `,"first":${open}1","last":${open}${last}"${previous}${next}`
}
