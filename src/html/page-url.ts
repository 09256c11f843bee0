/** The address of a page, as its parts. */
export interface PageUrl {
  readonly path: string
  /** The names and values of the query string, decoded, in the order sent. */
  readonly pairs: readonly (readonly [name: string, value: string])[]
}

/** Splits a request target. A query string that is not valid UTF-8 has replacement characters; it never fails. */
export function parsePageUrl(target: string): PageUrl {
  const mark = target.indexOf('?')
  if (mark === -1) return { path: target, pairs: [] }
  return { path: target.slice(0, mark), pairs: [...new URLSearchParams(target.slice(mark + 1))] }
}

/** Formats an address as a request target. */
function formatPageUrl({ path, pairs }: PageUrl): string {
  const search = new URLSearchParams(pairs.map(([name, value]) => [name, value]))
  return pairs.length === 0 ? path : `${path}?${search}`
}

/** The parameters that lead from the first page to another one. A cursor belongs to a sort. */
const positions: ReadonlySet<string> = new Set(['page[number]', 'page[after]', 'page[before]'])

/** The longest address of which a page has several variants as links, in characters before they are encoded. */
const maxRepeatedLength = 2000

/**
 * Formats an address of which a page has several variants as links: one for each filter, or for each column. Each of them repeats the
 * query, so a long query has none.
 *
 * @returns `undefined` if the address is too long
 */
export function formatVariant(url: PageUrl): string | undefined {
  const lengths = url.pairs.map(([name, value]) => name.length + value.length)
  const length = lengths.reduce((sum, each) => sum + each, url.path.length)
  return length > maxRepeatedLength ? undefined : formatPageUrl(url)
}

/** Returns the value of a parameter, or `undefined`. */
export function getParameter({ pairs }: PageUrl, name: string): string | undefined {
  return pairs.find(([each]) => each === name)?.[1]
}

/**
 * Returns the address with another value of a parameter, on the first page.
 * @param value - `undefined` removes the parameter
 */
export function withParameter(
  { path, pairs }: PageUrl,
  name: string,
  value: string | undefined,
): PageUrl {
  const others = pairs.filter(([each]) => each !== name && !positions.has(each))
  return { path, pairs: value === undefined ? others : [...others, [name, value]] }
}

/** Returns the address without one of its parameters, on the first page. @param index - the position in `pairs` */
export function withoutPair({ path, pairs }: PageUrl, index: number): PageUrl {
  const others = pairs.filter(([name], at) => at !== index && !positions.has(name))
  return { path, pairs: others }
}
