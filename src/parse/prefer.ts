/** What a client prefers (RFC 7240), as far as the server knows it. */
export interface Preferences {
  /** Whether a preference that cannot be applied is an error. */
  readonly isStrict: boolean
  /** What the response to a write contains; `undefined` for no preference. */
  readonly returns: 'minimal' | 'representation' | undefined
  /** Whether what is written is rolled back. */
  readonly isDryRun: boolean
  /** How many rows the write may affect. */
  readonly maxAffected: number | undefined
  /** How many seconds the client waits for the response. */
  readonly wait: number | undefined
  /** Preferences that restrict a write and whose values cannot be read, as sent: to ignore them would write too much. */
  readonly invalid: readonly string[]
  /** The other preferences that the server does not know, or whose value it does not know, as sent. */
  readonly unknown: readonly string[]
}

/** A preference, its parameters, and the comma or the end behind it. No two parts match the same character, so its time is linear. */
const preference =
  /[\t ]*(?:([\w!#$%&'*+.^`|~-]+)[\t ]*(?:=[\t ]*(?:"((?:[^"\\]|\\.)*)"|([\w!#$%&'*+.^`|~-]*))[\t ]*)?(?:;[^,"]*(?:"(?:[^"\\]|\\.)*"[^,"]*)*)?)?(?:,|$)/y

/** The values of the preferences that the server knows, by name. */
const known: Readonly<Record<string, RegExp>> = {
  handling: /^(?:strict|lenient)$/,
  return: /^(?:minimal|representation)$/,
  'dry-run': /^(?:true)?$/,
  'max-affected': /^\d{1,9}$/,
  wait: /^[1-9]\d{0,5}$/,
}
/** The preferences that restrict a write. */
const restrictions = ['dry-run', 'max-affected'] as const

/**
 * Parses `Prefer`. Of a preference that is repeated, the first one counts. A field that cannot be read has no preferences.
 * @param field - several fields are joined by commas
 * @see https://www.rfc-editor.org/rfc/rfc7240#section-2
 */
export function parsePreferences(field: string): Preferences {
  const values = readValues(field)
  const readValue = (name: string) => {
    const value = values.get(name)
    return value !== undefined && known[name]?.test(value) ? value : undefined
  }
  const unknown = [...values]
    .filter(([name]) => !Object.hasOwn(known, name) || readValue(name) === undefined)
    .map(([name, value]) => (value === '' ? name : `${name}=${value}`))
  const returns = readValue('return')
  const readNumber = (name: string) => {
    const value = readValue(name)
    return value === undefined ? undefined : Number(value)
  }
  return {
    isStrict: readValue('handling') === 'strict',
    returns: returns === 'minimal' || returns === 'representation' ? returns : undefined,
    isDryRun: readValue('dry-run') !== undefined,
    maxAffected: readNumber('max-affected'),
    wait: readNumber('wait'),
    invalid: unknown.filter(isRestriction),
    unknown: unknown.filter((each) => !isRestriction(each)),
  }
}

const isRestriction = (text: string) =>
  restrictions.some((name) => text === name || text.startsWith(`${name}=`))

/** Reads the values of the preferences by their names in lower case. */
function readValues(field: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  preference.lastIndex = 0
  while (preference.lastIndex < field.length) {
    const found = preference.exec(field)
    // What cannot be read may restrict the write.
    if (found === null)
      return new Map(
        restrictions
          .filter((name) => field.toLowerCase().includes(name))
          .map((name) => [name, field]),
      )
    const [, name, quoted, token = ''] = found
    if (name === undefined) continue
    const key = name.toLowerCase()
    if (!values.has(key)) values.set(key, quoted?.replaceAll(/\\(.)/g, '$1') ?? token)
  }
  return values
}
