import { findArrayCodec, isDefinedCodec } from './codecs.ts'
import { parseExactJson } from './json.ts'
import type { JsonSchema, Kind, OperatorLevel } from './kinds.ts'
import { checkOptionNames } from './parametric-kinds.ts'
import type { InvalidElement, ReadResult } from './value-result.ts'

/** The options of `array`. */
export interface ArrayOptions<HasNulls extends boolean = boolean> {
  /** Whether elements can be null. Default false: a stored array with a null element does not belong to the kind. */
  readonly nullElements?: HasNulls
}

/** The operators on arrays with elements of a kind. */
type ArrayLevel<Level extends OperatorLevel> = [Level] extends ['opaque'] ? 'opaque' : 'array'

/** An array whose elements are of another kind: a column of an array type of PostgreSQL, or a JSON array as text on SQLite. */
export function array<Value, const Level extends OperatorLevel>(
  kind: Kind<Value, Level>,
  options?: ArrayOptions<false>,
): Kind<readonly Value[], ArrayLevel<Level>>
/** An array whose elements can be null. */
export function array<Value, const Level extends OperatorLevel>(
  kind: Kind<Value, Level>,
  options: ArrayOptions<true>,
): Kind<readonly (Value | null)[], ArrayLevel<Level>>
/**
 * Creates the kind of arrays. Filters compare whole arrays by `eq` and `ne`, or test by `contains` and `overlaps` whether all or any
 * of some elements are in the array. Arrays of `json` and `bytes` can only be compared with null. No array can be sorted by.
 *
 * `contains` takes an array for one element, too: there is one grammar, and `[]` has a meaning. Elements are null only if the declaration
 * says so, because their TypeScript type must say it. PostgreSQL's `[0:1]={a,b}` and `{a,b}` are one array here, `["a","b"]`.
 *
 * @param kind - the data type of the elements
 * @throws RangeError for arrays of arrays
 */
export function array<Value>(
  kind: Kind<Value>,
  options: ArrayOptions = {},
): Kind<readonly (Value | null)[]> {
  checkOptionNames('array', options, ['nullElements'])
  const { nullElements = false } = options
  const codec = findArrayCodec(kind.codec, nullElements)
  if (codec === undefined || kind.isReadOnly)
    throw new RangeError(
      `array: the elements cannot be of the kind ${kind.name}${describeRemedy(kind)}`,
    )
  const readAll = (read: (json: unknown) => ReadResult<Value>) => (json: unknown) =>
    readElements(json, read, nullElements)
  const readFilterValue = readAll((json) => kind.readFilterValue(json))
  return {
    name: `array of ${kind.name}`,
    comparesAs: `${kind.comparesAs}[]`,
    operators: kind.operators === 'opaque' ? 'opaque' : 'array',
    readBody: readAll((json) => kind.readBody(json)),
    readFilterValue,
    readFilterText: (text) => readFilterValue(parseText(text)),
    serialize: (values) =>
      `[${values.map((value) => (value === null ? 'null' : kind.serialize(value))).join(',')}]`,
    schema: { type: 'array', items: nullElements ? orNull(kind.schema) : kind.schema },
    codec,
    element: kind,
  }
}

/** Says why a kind that a program defines has no arrays: its codecs may read a column of one value only. */
function describeRemedy({ codec, isReadOnly }: Kind<unknown>): string {
  return isDefinedCodec(codec) && !isReadOnly
    ? ', whose codecs read a column of one value; define it with `stores` and a built-in kind, or define a kind of the whole array with `columns`'
    : ''
}

function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] }
}

/** Parses the text of `filter[field]=text`. Returns any text that is not JSON unchanged. */
function parseText(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return text
  }
}

function readElements<Value>(
  json: unknown,
  read: (json: unknown) => ReadResult<Value>,
  nullElements: boolean,
): ReadResult<readonly (Value | null)[]> {
  if (!Array.isArray(json)) return { expected: 'an array' }
  const values: (Value | null)[] = []
  const elements: InvalidElement[] = []
  for (const [index, value] of json.entries()) {
    const result = value === null && nullElements ? { value } : read(value)
    if ('value' in result) values.push(result.value)
    else elements.push({ index, value, expected: result.expected })
  }
  const [first] = elements
  if (first === undefined) return { value: values }
  return { expected: `an array in which each element is ${first.expected}`, elements }
}
