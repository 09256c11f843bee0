/** What a client prefers (RFC 7240), as far as the server knows it. */
export interface Preferences {
  /** Whether a preference that cannot be applied is an error. */
  readonly isStrict: boolean
  /** What the response to a write contains; `undefined` for no preference. */
  readonly returns: 'minimal' | 'representation' | undefined
  /** The preferences that the server does not know, or whose value it does not know, as sent. */
  readonly unknown: readonly string[]
}

/** A preference, its parameters, and the comma or the end behind it. No two parts match the same character, so its time is linear. */
const preference =
  /[\t ]*(?:([\w!#$%&'*+.^`|~-]+)[\t ]*(?:=[\t ]*(?:"((?:[^"\\]|\\.)*)"|([\w!#$%&'*+.^`|~-]*))[\t ]*)?(?:;[^,"]*(?:"(?:[^"\\]|\\.)*"[^,"]*)*)?)?(?:,|$)/y

/** The values of the preferences that the server knows, by name. */
const known: Readonly<Record<string, readonly string[]>> = {
  handling: ['strict', 'lenient'],
  return: ['minimal', 'representation'],
}

/**
 * Parses `Prefer`. Of a preference that is repeated, the first one counts. A field that cannot be read has no preferences.
 * @param field - several fields are joined by commas
 * @see https://www.rfc-editor.org/rfc/rfc7240#section-2
 */
export function parsePreferences(field: string): Preferences {
  const values = new Map<string, string>()
  preference.lastIndex = 0
  while (preference.lastIndex < field.length) {
    const found = preference.exec(field)
    if (found === null) return { isStrict: false, returns: undefined, unknown: [] }
    const [, name, quoted, token = ''] = found
    if (name === undefined) continue
    const key = name.toLowerCase()
    if (!values.has(key)) values.set(key, quoted?.replaceAll(/\\(.)/g, '$1') ?? token)
  }
  const isKnown = ([name, value]: readonly [string, string]) =>
    Object.hasOwn(known, name) && known[name]?.includes(value) === true
  const entries = [...values]
  const applicable = new Map(entries.filter(isKnown))
  const returns = applicable.get('return')
  return {
    isStrict: applicable.get('handling') === 'strict',
    returns: returns === 'minimal' || returns === 'representation' ? returns : undefined,
    unknown: entries
      .filter((each) => !isKnown(each))
      .map(([name, value]) => (value === '' ? name : `${name}=${value}`)),
  }
}
