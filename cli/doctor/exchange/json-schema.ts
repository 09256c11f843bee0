import { isDeepStrictEqual } from 'node:util'
import { appendToken, isObject, type Members } from './rule-violation.ts'

/** Returns a line for each difference between a value and a schema. @param at - the JSON pointer of the value */
type Validate = (value: unknown, at: string) => readonly string[]

/** The context of the checks of a set of schemas. */
interface Context {
  /** Returns the schema to which a `$ref` refers. */
  readonly resolve: (reference: string) => unknown
  /** The checks of the schemas that are compiled. */
  readonly compiled: WeakMap<Members, Validate>
  /** Whether a keyword that is not implemented is an error; otherwise it is not checked. */
  readonly isStrict: boolean
}

/** Creates the check of a keyword. @param schema - the schema that has the keyword */
type Keyword = (operand: unknown, schema: Members, context: Context) => Validate

/** The result of a check that finds nothing. */
const none: readonly string[] = Object.freeze([])

/**
 * Creates a compiler of the JSON Schemas of API descriptions. Ajv generates code for every schema, which takes longer than
 * the validation of the few documents of a suite.
 *
 * @param resolve - returns the schema to which a `$ref` refers
 * @param isStrict - true for a function that throws an error if a schema has a keyword that is not implemented. Otherwise such keywords,
 *   and patterns that are no regular expression, are not checked
 * @see https://json-schema.org/draft/2020-12
 */
export function createSchemaCompiler(
  resolve: Context['resolve'],
  isStrict: boolean,
): (schema: unknown) => Validate {
  const context: Context = { resolve, compiled: new WeakMap(), isStrict }
  return (schema) => compile(schema, context)
}

function compile(schema: unknown, context: Context): Validate {
  if (!isObject(schema)) return schema === false ? (_, at) => [`${at} is not allowed`] : () => none
  const known = context.compiled.get(schema)
  if (known) return known
  const checks: Validate[] = []
  const validate = every(checks)
  // Before its parts: a schema may contain itself.
  context.compiled.set(schema, validate)
  for (const [name, operand] of Object.entries(schema)) {
    if (annotations.has(name)) continue
    const keyword = keywords[name] ?? createUnknown(name)
    try {
      checks.push(keyword(operand, schema, context))
    } catch (error) {
      if (context.isStrict) throw error
    }
  }
  return validate
}

/** Keywords that do not restrict a value. Formats are checked by the tests of the kinds. */
const annotations = new Set([
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['format', 'contentEncoding', 'contentMediaType'],
])

function createUnknown(name: string): Keyword {
  return () => {
    throw new Error(`the keyword ${name} is not implemented`)
  }
}

function every(checks: readonly Validate[]): Validate {
  return (value, at) => {
    let found = none
    for (const check of checks) {
      const lines = check(value, at)
      if (lines.length > 0) found = [...found, ...lines]
    }
    return found
  }
}

/** Creates a check with one message. */
function must(isValid: (value: unknown) => boolean, message: string): Validate {
  return (value, at) => (isValid(value) ? none : [`${at} must ${message}`])
}

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  array: Array.isArray,
  object: isObject,
}

const keywords: Readonly<Record<string, Keyword>> = {
  $ref: (reference, _, context) => {
    let target: Validate | undefined
    return (value, at) => {
      target ??= compile(context.resolve(String(reference)), context)
      return target(value, at)
    }
  },
  allOf: (schemas, _, context) => every(listOf(schemas).map((each) => compile(each, context))),
  anyOf: (schemas, _, context) => some(listOf(schemas).map((each) => compile(each, context))),
  not: (schema, _, context) => {
    const check = compile(schema, context)
    return must((value) => check(value, '').length > 0, 'not match the schema of "not"')
  },
  type: (operand) => {
    const names = listOf(operand).map(String)
    const tests = names.map((name) => types[name] ?? (() => false))
    return must((value) => tests.some((test) => test(value)), `be ${names.join(' or ')}`)
  },
  enum: (values) => {
    const list = listOf(values)
    return must(
      (value) => list.some((each) => isEqual(each, value)),
      `be one of ${JSON.stringify(values)}`,
    )
  },
  const: (operand) => must((value) => isEqual(operand, value), `be ${JSON.stringify(operand)}`),
  minimum: ofNumber((value, limit) => value >= limit, 'be at least'),
  maximum: ofNumber((value, limit) => value <= limit, 'be at most'),
  pattern: (source) => {
    const pattern = new RegExp(String(source), 'u')
    return must((value) => typeof value !== 'string' || pattern.test(value), `match ${pattern}`)
  },
  minLength: ofLength(lengthOfText, (length, limit) => length >= limit, 'have at least'),
  maxLength: ofLength(lengthOfText, (length, limit) => length <= limit, 'have at most'),
  minItems: ofLength(lengthOfList, (length, limit) => length >= limit, 'have at least'),
  maxItems: ofLength(lengthOfList, (length, limit) => length <= limit, 'have at most'),
  minProperties: ofLength(lengthOfObject, (length, limit) => length >= limit, 'have at least'),
  maxProperties: ofLength(lengthOfObject, (length, limit) => length <= limit, 'have at most'),
  items: (schema, _, context) => {
    const check = compile(schema, context)
    return (value, at) => {
      if (!Array.isArray(value)) return none
      return value.flatMap((each, index) => check(each, appendToken(at, index)))
    }
  },
  required: (operand) => {
    const names = listOf(operand).map(String)
    return (value, at) => {
      if (!isObject(value)) return none
      const missing = names.filter((name) => !Object.hasOwn(value, name))
      return missing.map((name) => `${at} must have ${name}`)
    }
  },
  properties: (schemas, _, context) => {
    const checks = Object.entries(schemas ?? {}).map(
      ([name, schema]) => [name, compile(schema, context)] as const,
    )
    return (value, at) => {
      if (!isObject(value)) return none
      return checks.flatMap(([name, check]) =>
        Object.hasOwn(value, name) ? check(value[name], appendToken(at, name)) : none,
      )
    }
  },
  additionalProperties: (operand, { properties }, context) =>
    ofOthers(new Set(Object.keys(properties ?? {})), compile(operand, context)),
  unevaluatedProperties: (operand, schema, context) =>
    ofOthers(namesOf(schema, context), compile(operand, context)),
}

/** Whether a value of JSON equals one of a schema. Most are texts, which need no deep comparison. */
function isEqual(operand: unknown, value: unknown): boolean {
  return typeof operand === 'object' ? isDeepStrictEqual(operand, value) : Object.is(operand, value)
}

function some(checks: readonly Validate[]): Validate {
  return (value, at) => {
    const found: string[] = []
    for (const check of checks) {
      const lines = check(value, at)
      if (lines.length === 0) return none
      found.push(...lines)
    }
    return found
  }
}

function ofNumber(isValid: (value: number, limit: number) => boolean, message: string): Keyword {
  return (limit) =>
    must(
      (value) => typeof value !== 'number' || isValid(value, Number(limit)),
      `${message} ${limit}`,
    )
}

/** Creates a keyword for the length of values of one type. @param measure - returns `undefined` for other types */
function ofLength(
  measure: (value: unknown) => number | undefined,
  isValid: (length: number, limit: number) => boolean,
  message: string,
): Keyword {
  return (limit) =>
    must((value) => {
      const length = measure(value)
      return length === undefined || isValid(length, Number(limit))
    }, `${message} ${limit} characters, items or members`)
}

function lengthOfText(value: unknown): number | undefined {
  return typeof value === 'string' ? [...value].length : undefined
}

function lengthOfList(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : undefined
}

function lengthOfObject(value: unknown): number | undefined {
  return isObject(value) ? Object.keys(value).length : undefined
}

/** Creates the check of the members whose names are not in a set. */
function ofOthers(names: ReadonlySet<string>, check: Validate): Validate {
  return (value, at) => {
    if (!isObject(value)) return none
    return Object.keys(value).flatMap((name) =>
      names.has(name) ? none : check(value[name], appendToken(at, name)),
    )
  }
}

/** The names in `properties` of a schema, of the schemas in its `allOf`, and of the schemas to which these refer. */
function namesOf(schema: unknown, context: Context): Set<string> {
  if (!isObject(schema)) return new Set()
  const { $ref, allOf = [], anyOf, properties = {} } = schema
  if (anyOf !== undefined) throw new Error('unevaluatedProperties beside anyOf is not implemented')
  const parts = [...listOf(allOf), ...(typeof $ref === 'string' ? [context.resolve($ref)] : [])]
  return new Set([
    ...Object.keys(properties ?? {}),
    ...parts.flatMap((part) => [...namesOf(part, context)]),
  ])
}

function listOf(operand: unknown): readonly unknown[] {
  return [operand].flat()
}

/** Of longer lists only the first and the last entries are validated: the checks of rules read complete lists. */
const maxListLength = 20

const beyondAscii = /[\u{80}-\u{10ffff}]/u

/**
 * Shortens long lists. Returns the value itself if there is nothing to change.
 * @param depth - how many levels of the document may hold lists: linkage is four below the top
 * @param rename - makes names with characters beyond ASCII others
 */
export function truncateLists(
  value: unknown,
  depth: number,
  rename?: (name: string) => string,
): unknown {
  const isChanged = hasLongList(
    value,
    depth,
    (name) => rename !== undefined && beyondAscii.test(name),
  )
  return isChanged ? truncate(value, depth, rename ?? ((name) => name)) : value
}

/** Whether a value has a long list, or a member with such a name. */
function hasLongList(value: unknown, depth: number, isFound: (name: string) => boolean): boolean {
  if (typeof value !== 'object' || value === null || depth < 0) return false
  if (Array.isArray(value))
    return value.length > maxListLength || value.some((each) => hasLongList(each, depth, isFound))
  return Object.entries(value).some(
    ([name, each]) => isFound(name) || hasLongList(each, depth - 1, isFound),
  )
}

function truncate(value: unknown, depth: number, rename: (name: string) => string): unknown {
  if (typeof value !== 'object' || value === null || depth < 0) return value
  if (!Array.isArray(value)) {
    const members = Object.entries(value)
    return Object.fromEntries(
      members.map(([name, each]) => [rename(name), truncate(each, depth - 1, rename)]),
    )
  }
  const half = maxListLength / 2
  const some =
    value.length > maxListLength ? [...value.slice(0, half), ...value.slice(-half)] : value
  return some.map((each) => truncate(each, depth, rename))
}
