import { canonicalDecimal } from '../model/kinds/decimals.ts'
import { type JsonValue, parseExactJson, serializeJson } from '../model/kinds/json.ts'
import { parseStoredJson } from '../model/kinds/json-values.ts'
import { isStoredFormat, parseStoredFormat } from '../model/kinds/stored-formats.ts'
import {
  encodeStoredBytes,
  parseStoredInteger,
  parseStoredUuid,
  storedValueError,
} from '../model/kinds/stored-values.ts'
import { readBytes } from '../model/kinds/texts.ts'
import { parseStoredDate, parseStoredInstant, parseStoredTime } from '../model/kinds/times.ts'
import { loadElements } from '../sql/array-codecs.ts'

// How values that SQLite stores are loaded. Apart from the codecs, which write SQL with Kysely: a reader process checks stored
// values with these functions only, and starts in a fraction of the time without Kysely.

/** Converts what the driver returns, never null, to a value. @throws Error if the stored value does not belong to the codec */
type Load = (stored: unknown) => unknown

/** Loads a text, which any column of SQLite may store as a BLOB instead. A number of a column without a type is kept. */
function loadText(stored: unknown): string {
  // The type is that of every other value of the column.
  if (!(stored instanceof Uint8Array)) return stored as string
  throw storedValueError(stored, 'text')
}

const loadDecimal = (stored: unknown): string => canonicalDecimal(String(stored))

/** The functions that load single values, by codec. The other codecs load what the driver returns. */
export const sqliteLoads = {
  text: loadText,
  enumeration: loadText,
  integer: (stored: unknown): number | bigint => {
    const value = parseStoredInteger(stored)
    return Number.isSafeInteger(Number(value)) ? Number(value) : value
  },
  integer64: parseStoredInteger,
  /** JSON has no infinity. */
  number: (stored: unknown): number | null => {
    if (typeof stored === 'number') return Number.isFinite(stored) ? stored : null
    throw storedValueError(stored, 'number')
  },
  decimal: loadDecimal,
  decimal15: loadDecimal,
  boolean: (stored: unknown): boolean => {
    if (typeof stored === 'number') return stored !== 0
    throw storedValueError(stored, 'boolean')
  },
  date: parseStoredDate,
  datetime: parseStoredInstant,
  time: parseStoredTime,
  uuid: parseStoredUuid,
  json: parseStoredJson,
  databaseText: loadText,
  databaseJson: parseStoredJson,
  bytes: encodeStoredBytes,
  id: undefined,
  uuidId: undefined,
  databaseTextId: undefined,
} satisfies Readonly<Record<string, Load | undefined>>

const loads: Readonly<Record<string, Load | undefined>> = sqliteLoads

const isNumeric = (json: unknown) => typeof json === 'number' || typeof json === 'bigint'
const parseDigits: Load = (json) => (isNumeric(json) ? String(json) : undefined)
const parseDecimal: Load = (json) =>
  isNumeric(json) || typeof json === 'string' ? String(json) : undefined

/** Convert the JSON of an element, never null, to what `load` of its codec expects; `undefined` if it is not valid. All others are strings. */
const elementParsers: Readonly<Record<string, Load>> = {
  integer: parseDigits,
  integer64: parseDigits,
  'epoch-seconds': parseDigits,
  'epoch-milliseconds': parseDigits,
  '1/0': parseDigits,
  number: (json) => (isNumeric(json) ? Number(json) : undefined),
  decimal: parseDecimal,
  decimal15: parseDecimal,
  boolean: (json) => (typeof json === 'boolean' ? Number(json) : undefined),
  bytes: (json) => {
    const result = readBytes(json)
    return 'value' in result ? Buffer.from(result.value, 'base64') : undefined
  },
  // Parsed JSON is JSON.
  json: (json) => serializeJson(json as JsonValue),
}

const parseString: Load = (json) => (typeof json === 'string' ? json : undefined)

/**
 * Loads an array that is stored as JSON text.
 * @param name - the codec of the elements, or the kind that a program defines
 * @param load - of the codec of the elements; absent: the values are the same
 * @returns null for the JSON text `null`
 * @throws Error if the text is not such an array
 */
export function loadSqliteArray(
  stored: unknown,
  { name, hasNulls, load }: Readonly<{ name: string; hasNulls: boolean; load?: Load | undefined }>,
): readonly unknown[] | null {
  const json = parseArray(stored)
  const parse = elementParsers[name] ?? parseString
  return json === null
    ? null
    : loadElements(json, hasNulls, (element) => {
        const each = parse(element)
        if (each === undefined) throw storedValueError(element, name)
        return load ? load(each) : each
      })
}

function parseArray(stored: unknown): unknown {
  if (typeof stored !== 'string') throw storedValueError(stored, 'array')
  try {
    return parseExactJson(stored)
  } catch {
    throw storedValueError(stored, 'array')
  }
}

/** Whether a built-in codec can load a stored value as something other than null; false for a name that is not a codec. */
export function isSqliteValue(stored: unknown, codec: string): boolean {
  const [, name = codec, nulls] = /^(.*?)(\??)\[\]$/.exec(codec) ?? []
  if (!isStoredFormat(name) && !Object.hasOwn(loads, name)) return false
  const load: Load | undefined = isStoredFormat(name)
    ? (value) => parseStoredFormat(value, name)
    : loads[name]
  try {
    if (nulls === undefined) return load?.(stored) !== null
    return loadSqliteArray(stored, { name, hasNulls: nulls === '?', load }) !== null
  } catch {
    return false
  }
}
