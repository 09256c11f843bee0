/** Returns the query string of a request target, without the `?`; empty if it has none. */
export function getQueryString(target: string): string {
  const mark = target.indexOf('?')
  return mark === -1 ? '' : target.slice(mark + 1)
}
