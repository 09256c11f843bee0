/** A query parameter, not encoded. */
export type Pair = readonly [name: string, value: string]

/**
 * Encodes a query string with its leading `?` and percent-encodes every reserved character; empty for no pairs.
 * @see https://jsonapi.org/format/1.0/#query-parameters
 */
export function encodeQuery(pairs: readonly Pair[]): string {
  if (pairs.length === 0) return ''
  return `?${pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`
}
