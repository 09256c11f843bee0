/** The query parameters of the engine, as far as their name: what is after it in brackets may be anything. */
const knownParameters = /^(?:filter|fields|page|sort|include|withCount)(?![^=[%])/

/**
 * Returns a request target for the log. The values of parameters that the engine does not know are replaced by `[redacted]`: such a
 * parameter may be a credential, as in `?access_token=…`.
 *
 * @param target - the path and the query string, as sent
 */
export function redactQuery(target: string): string {
  const mark = target.indexOf('?')
  if (mark === -1) return target
  const pairs = target
    .slice(mark + 1)
    .split('&')
    .map(redactPair)
  return `${target.slice(0, mark)}?${pairs.join('&')}`
}

function redactPair(pair: string): string {
  if (pair === '' || knownParameters.test(pair)) return pair
  const [name] = pair.split('=', 1)
  return `${name}=[redacted]`
}
