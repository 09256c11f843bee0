import { suggest } from '../../errors/suggestion.ts'
import { type DialectName, databaseNames } from '../database-names.ts'
import { arrayCodecName } from '../kinds/codec-names.ts'
import { type DefinedCodec, findCodec } from '../kinds/codecs.ts'
import type { ColumnCodec, DatabaseCodecs } from '../kinds/column-codec.ts'
import { isObject } from '../kinds/json.ts'
import { type JsonSchema, type Kind, kinds, type OperatorLevel } from '../kinds/kinds.ts'
import type { NoOperators, Operands, OperatorsWith, WithOperators } from '../kinds/operators.ts'
import { findOperator, isCountOperator } from '../kinds/operators.ts'
import { parametricKinds } from '../kinds/parametric-kinds.ts'
import type { ReadResult } from '../kinds/value-result.ts'
import { memoizeByIdentity } from '../memoize-by-identity.ts'

/** What every kind of a program defines. */
interface KindMembers<Value, Level extends OperatorLevel, Types extends Operands = Operands> {
  /** The name in error messages. No two kinds of one column may have the same. */
  readonly name: string
  /** The JSON Schema of values in documents. */
  readonly schema: JsonSchema
  /**
   * Reads a value from a request body, and from a filter unless `readFilter` does.
   * @returns the value, or what a valid value is, as the end of the sentence "… must be …"
   */
  readonly read: (json: unknown) => ReadResult<Value>
  /** Reads the `val` of a filter. `schema` does not apply to it: OpenAPI documents allow any value there. */
  readonly readFilter?: (json: unknown) => ReadResult<Value>
  /** Reads the text of `filter[field]=text`. Default: as the JSON string with this text. */
  readonly readFilterText?: (text: string) => ReadResult<Value>
  /** Writes a value as JSON text. Default: `JSON.stringify`. */
  readonly serialize?: (value: Value) => string
  /** The operators that apply. Default `plain`: tests for equality. */
  readonly operators?: Level
  /** Further filter operators, by name: the kind of their operand and their SQL. */
  readonly customOperators?: OperatorsWith<Types>
  /** Two fields can be compared with each other if this is the same. Default: the name. */
  readonly comparesAs?: string
  /** True if values cannot be written. Default false. */
  readonly isReadOnly?: boolean
}

/** A kind whose values are stored as values of another kind: in its columns, compared and sorted as they are. */
export interface DerivedKind<
  Value,
  Stored,
  Level extends OperatorLevel = OperatorLevel,
  Types extends Operands = Operands,
> extends KindMembers<Value, Level, Types> {
  /** The kind whose values are stored. */
  readonly stores: Kind<Stored>
  /** Converts a stored value, never null. @throws Error if it is not a value of the kind */
  readonly load: (stored: Stored) => Value
  /** Converts a value to the stored value. Different values must have different stored values. */
  readonly bind: (value: Value) => Stored
}

/** A kind that says for each database how a column stores its values. */
export interface ColumnKind<
  Value,
  Level extends OperatorLevel = OperatorLevel,
  Types extends Operands = Operands,
> extends KindMembers<Value, Level, Types> {
  /** The codec of each database that the kind supports. */
  readonly columns: Readonly<Partial<Record<DialectName, ColumnCodec<Value>>>>
}

/**
 * Defines an attribute kind whose values another kind stores, e.g. a color as an integer.
 * @typeParam Value - the TypeScript type of the values: what JSON can contain, because calls in process pass them as JSON
 */
export function defineKind<
  Value,
  Stored,
  const Level extends OperatorLevel = 'plain',
  Types extends Operands = NoOperators,
>(
  definition: DerivedKind<Value, Stored, Level, Types>,
): WithOperators<Kind<Value, Level>, NoInfer<Types>>
/** Defines an attribute kind with codecs of its own. */
export function defineKind<
  Value,
  const Level extends OperatorLevel = 'plain',
  Types extends Operands = NoOperators,
>(definition: ColumnKind<Value, Level, Types>): WithOperators<Kind<Value, Level>, NoInfer<Types>>
/**
 * Creates the kind of a definition. A kind with `stores` takes the column types, the comparison, the order and the parameters from
 * that kind. A query shape contains the name of a kind, so no two kinds of one name may read one column. The operand of an operator of
 * its own is one value of a kind: a list of parameters would be a second grammar of operands. The startup check compares the columns with it, and prepares its SQL.
 * @throws TypeError that names the member that is not valid
 */
export function defineKind<Value>(
  definition: DerivedKind<Value, unknown> | ColumnKind<Value>,
): Kind<Value> {
  checkDefinition(definition)
  const { name, schema, read, readFilter = read, serialize = JSON.stringify } = definition
  const { customOperators } = definition
  return {
    name,
    schema,
    filterSchema: definition.readFilter ? {} : schema,
    comparesAs: definition.comparesAs ?? name,
    operators: definition.operators ?? 'plain',
    isReadOnly: definition.isReadOnly ?? false,
    ...(customOperators && { customOperators }),
    readBody: (json) => read(json),
    readFilterValue: (json) => readFilter(json),
    readFilterText: definition.readFilterText ?? ((text) => readFilter(text)),
    serialize: (value) => serialize(value),
    codec:
      'stores' in definition
        ? deriveCodec(definition)
        : {
            toJSON: () => name,
            find: ({ database }) => definition.columns[database],
          },
  }
}

/** Creates the codecs of a derived kind, and those of its arrays if the stored kind is a built-in one. */
function deriveCodec<Value>(definition: DerivedKind<Value, unknown>): DefinedCodec {
  const { codec } = definition.stores
  const derive = memoizeByIdentity((stored: ColumnCodec) => deriveColumnCodec(stored, definition))
  const find = (codecs: DatabaseCodecs) => {
    const stored = findCodec(codec, { codecs })
    return stored && derive(stored)
  }
  const one: DefinedCodec = { toJSON: () => definition.name, find }
  if (typeof codec !== 'string') return one
  const createArray = (hasNulls: boolean): DefinedCodec => {
    const create = memoizeByIdentity((codecs: DatabaseCodecs) =>
      codecs.createArray(derive(codecs.named[codec]), { name: codec, hasNulls }),
    )
    return { toJSON: () => arrayCodecName(definition.name, hasNulls), find: create }
  }
  return { ...one, arrays: [createArray(false), createArray(true)] }
}

function deriveColumnCodec<Value>(
  stored: ColumnCodec,
  { load, bind }: DerivedKind<Value, unknown>,
): ColumnCodec<Value> {
  const { key, loadOther: _, ...codec } = stored
  const bindStored = stored.bind ? (value: unknown) => stored.bind?.(value) ?? null : asBound
  return {
    ...codec,
    load: (value) => {
      const loaded = stored.load ? stored.load(value) : value
      return loaded === null ? null : load(loaded)
    },
    bind: (value) => bindStored(bind(value)),
    ...(key && { key: { of: key.of, bind: (value) => key.bind(bind(value)) } }),
  }
}

/** A codec without `bind` has values that the driver binds. */
function asBound(value: unknown): ReturnType<NonNullable<ColumnCodec['bind']>> {
  return value as ReturnType<NonNullable<ColumnCodec['bind']>>
}

const levels: readonly unknown[] = ['textual', 'ordered', 'plain', 'array', 'opaque']
const required = ['name', 'schema', 'read']
const optional = [
  'readFilter',
  'readFilterText',
  'serialize',
  'operators',
  'comparesAs',
  'isReadOnly',
  'customOperators',
]
const functions = ['read', 'readFilter', 'readFilterText', 'serialize', 'load', 'bind']

/** Checks a definition, which may be plain JavaScript. */
function checkDefinition(definition: unknown): void {
  if (!isObject(definition)) throw new TypeError('defineKind: must be called with an object')
  const isDerived = 'stores' in definition
  const own = isDerived ? ['stores', 'load', 'bind'] : ['columns']
  const fail = (problem: string) => {
    throw new TypeError(`defineKind: ${problem}`)
  }
  const known = [...required, ...optional, ...own]
  for (const member of Object.keys(definition))
    if (!known.includes(member))
      fail(`there is no member "${member}"; ${suggest(member, known, 'members')}`)
  for (const member of [...required, ...own])
    if (definition[member] === undefined) fail(`${member} is missing`)
  for (const member of functions)
    if (definition[member] !== undefined && typeof definition[member] !== 'function')
      fail(`${member} must be a function`)
  const { name, schema, operators = 'plain', stores, columns } = definition
  if (typeof name !== 'string' || name === '') fail('name must be a text')
  else if (name in kinds || name in parametricKinds) fail(`there is a kind "${name}" already`)
  if (!isObject(schema)) fail('schema must be a JSON Schema')
  if (!levels.includes(operators)) fail(`operators must be one of ${levels.join(', ')}`)
  if (isDerived && !(isObject(stores) && 'codec' in stores))
    fail('stores must be an attribute kind, such as text')
  if (!isDerived) checkColumns(columns, fail)
  checkCustomOperators(definition.customOperators, fail)
}

/** The names of operators on relationships and queries, in addition to those of `operators.ts`. */
const reservedOperators: readonly string[] = ['any', 'has', 'call', 'field']

const oneDatabase = databaseNames.join(' or ')

function isDatabaseName(name: string): name is DialectName {
  return databaseNames.some((each) => each === name)
}

function checkCustomOperators(declared: unknown, fail: (problem: string) => void): void {
  if (declared === undefined) return
  if (!isObject(declared)) fail('customOperators must be an object')
  for (const [name, operator] of Object.entries(Object(declared))) {
    const location = `customOperators.${name}`
    const isTaken = findOperator(name) || isCountOperator(name) || reservedOperators.includes(name)
    if (isTaken) fail(`${location}: there is an operator "${name}" already`)
    if (!/^[a-z][a-z0-9_]*$/i.test(name)) fail(`${location}: must be a name of letters and digits`)
    const { takes, sql } = isObject(operator) ? operator : {}
    if (!(isObject(takes) && 'codec' in takes))
      fail(`${location}.takes must be an attribute kind, such as text`)
    const writers = isObject(sql) ? Object.entries(sql) : []
    if (writers.length === 0) fail(`${location}.sql must have a function for ${oneDatabase}`)
    for (const [database, write] of writers)
      if (!isDatabaseName(database) || typeof write !== 'function')
        fail(`${location}.sql.${database} must be a function for ${oneDatabase}`)
  }
}

function checkColumns(columns: unknown, fail: (problem: string) => void): void {
  const entries = isObject(columns) ? Object.entries(columns) : []
  if (entries.length === 0) fail(`columns must have a codec for ${oneDatabase}`)
  for (const [database, codec] of entries) {
    if (!isDatabaseName(database))
      fail(`columns.${database}: ${suggest(database, [...databaseNames], 'databases')}`)
    if (!isObject(codec) || typeof codec.acceptsColumnType !== 'function')
      fail(`columns.${database}.acceptsColumnType must be a function of a column type`)
  }
}
