import { encodeQuery } from '../parse/encode-query.ts'
import type { ParsedQuery } from '../parse/query.ts'

/** The query string as links repeat it: percent-encoded, with its `?`, parameters in the order sent; empty for none. */
export interface CanonicalQuery {
  readonly full: string
  /** Without `page[number]`, `page[after]` and `page[before]`, to which page links add their own. */
  readonly withoutPosition: string
}

/** Encodes a query for the links of its response. */
export function canonicalizeQuery({ pairs }: ParsedQuery): CanonicalQuery {
  const full = encodeQuery(pairs)
  const others = pairs.filter(([name]) => !/^page\[(?:number|after|before)\]$/.test(name))
  return {
    full,
    withoutPosition: others.length === pairs.length ? full : encodeQuery(others),
  }
}
