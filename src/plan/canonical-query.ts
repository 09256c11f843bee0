import { encodeQuery } from '../parse/encode-query.ts'
import type { ParsedQuery } from '../parse/query.ts'

/** The query string as links repeat it: percent-encoded, with its `?`, parameters in the order sent; empty for none. */
export interface CanonicalQuery {
  readonly full: string
  /** Without `page[number]`, to which page links add their own. */
  readonly withoutPageNumber: string
}

/** Encodes a query for the links of its response. */
export function canonicalizeQuery({ pairs }: ParsedQuery): CanonicalQuery {
  const full = encodeQuery(pairs)
  const others = pairs.filter(([name]) => name !== 'page[number]')
  return {
    full,
    withoutPageNumber: others.length === pairs.length ? full : encodeQuery(others),
  }
}
