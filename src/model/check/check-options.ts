import { quote } from '../../errors/quote.ts'
import { isAuthValue } from '../declare/access.ts'
import type { Computed } from '../declare/computed.ts'
import type {
  Attribute,
  Expression,
  ExpressionField,
  IncludeOptions,
  JoinTable,
  KeyOptions,
  TextIndex,
  ThroughOptions,
  ToOne,
} from '../declare/fields.ts'
import type { Hooks, ModelHooks } from '../declare/hooks.ts'
import type { IdQuery } from '../declare/id-query.ts'
import { type DefaultParameter, readArgument } from '../declare/parameter.ts'
import type { Profile } from '../declare/profile.ts'
import type { IdOptions, PageOptions, ResourceDeclaration } from '../declare/resource.ts'
import type { SessionOptions } from '../declare/session.ts'
import { isCodecName } from '../kinds/codec-names.ts'
import { isDefinedCodec } from '../kinds/codecs.ts'
import { isObject } from '../kinds/json.ts'
import type { AtomicOptions, ModelOptions } from '../model.ts'
import { minimumSecretLength } from '../seal.ts'
import { isSql, type Sql, sql } from '../sql.ts'
import {
  createAccessCheck,
  createRuleCheck,
  fieldAccessChecks,
  tenantOptions,
} from './check-access-options.ts'
import { createActionCheck } from './check-actions.ts'
import {
  booleanCheck,
  type Check,
  describeValue,
  each,
  isFunction,
  members,
  mustBe,
  oneOf,
  optional,
  stringCheck,
} from './option-checks.ts'

/** The name of a setting that an application defines: two or more identifiers (PostgreSQL 18, 19.16). */
const settingPattern = /^[a-z_][a-z0-9_$]*(\.[a-z_][a-z0-9_$]*)+$/i

const isName = (value: unknown): boolean => typeof value === 'string' && value !== ''

/** `set role none` returns to the role of the connection. */
const isRole = (value: unknown): boolean => isName(value) && value !== 'none'

const sessionMembers = members({
  role: optional(
    mustBe(
      'the name of a role, or created by auth',
      (value) => isRole(value) || isAuthValue(value),
    ),
  ),
  anonymousRole: optional(mustBe('the name of a role', isRole)),
  settings: optional(
    each(
      mustBe(
        'a text, or created by auth, as in auth((user) => user.id)',
        (value) => typeof value === 'string' || isAuthValue(value),
      ),
    ),
  ),
  searchPath: optional(
    mustBe('the name of a schema, an array of names, or created by auth', (value) =>
      Array.isArray(value)
        ? value.length > 0 && value.every(isName)
        : isName(value) || isAuthValue(value),
    ),
  ),
} satisfies Record<keyof SessionOptions, Check>)

/** The check of the option `session` of a model. */
const sessionOptions: Check = (value, location) => {
  const errors = sessionMembers(value, location)
  const { settings, role, anonymousRole } = isObject(value) ? value : {}
  const names = isObject(settings) ? Object.keys(settings) : []
  const wrong = names.filter((name) => !settingPattern.test(name))
  const isIncomplete = anonymousRole !== undefined && role === undefined
  return [
    ...errors,
    ...(isIncomplete ? [`${location}.anonymousRole: has no effect without "role"`] : []),
    ...wrong.map(
      (name) =>
        `${location}.settings.${name}: must be the name of a custom setting, such as app.user_id`,
    ),
  ]
}

/**
 * Checks that declarations have no unknown options and that each option has a value of its type. Declarations in plain
 * JavaScript are not checked by a compiler.
 * @returns one line per error
 */
export function findOptionErrors(resources: unknown, options: unknown): string[] {
  if (!Array.isArray(resources))
    return [...mustBe('an array of resource types')(resources, 'model')]
  return [
    ...modelOptions(options, 'options'),
    ...resources.flatMap((resource: unknown, index) => {
      const type = isObject(resource) && typeof resource.type === 'string' ? resource.type : ''
      return resourceOptions(resource, type === '' ? `resources[${index}]` : type)
    }),
  ]
}

const anyValue: Check = () => []
const name = mustBe('a name', (value) => typeof value === 'string' && value !== '')
/** One column, or the columns of a composite key: each a name that differs from the others. */
const columns: Check = (value, location) => {
  if (!Array.isArray(value)) return name(value, location)
  if (value.length === 0) return [`${location}: must have at least one column; it is empty`]
  const errors = value.flatMap((column: unknown, index) => name(column, `${location}[${index}]`))
  if (errors.length > 0 || new Set(value).size === value.length) return errors
  return [`${location}: must not have a column twice; it is ${quote(value)}`]
}
const aFunction = mustBe('a function', isFunction)
/** A function whose result is needed at once. */
const synchronous: Check = (value, location) =>
  Object.prototype.toString.call(value) === '[object AsyncFunction]'
    ? [`${location}: must not be async, because its result is needed at once`]
    : aFunction(value, location)
const pageSize = mustBe(
  'a whole number from 1',
  (value) => Number.isSafeInteger(value) && Number(value) >= 1,
)
const seconds = mustBe(
  'a whole number of seconds from 0',
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
)
const hours = mustBe(
  'a whole number of hours from 1 to 8760',
  (value) => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= 8760,
)
const versionColumn = members({ column: name, reveals: optional(booleanCheck) })
const version: Check = (value, location) =>
  typeof value === 'string' ? name(value, location) : versionColumn(value, location)
/** Its errors do not contain the secret. */
const secret: Check = (value, location) => {
  const secrets: readonly unknown[] = Array.isArray(value) ? value : [value]
  const isValid = secrets.every(
    (each) => typeof each === 'string' && [...each].length >= minimumSecretLength,
  )
  if (isValid && secrets.length > 0 && secrets.length <= 2) return []
  return [
    `${location}: must be a string of at least ${minimumSecretLength} characters, or an array of the new and the old one`,
  ]
}
const storedValue = mustBe(
  'a string, a number, true, false, null or bytes',
  (value) =>
    value === null ||
    value instanceof Uint8Array ||
    ['string', 'number', 'bigint', 'boolean'].includes(typeof value),
)

const validator = mustBe('a validator with the Standard Schema interface', (value) => {
  const standard: unknown =
    isObject(value) || isFunction(value) ? Reflect.get(value, '~standard') : undefined
  return isObject(standard) && isFunction(standard.validate)
})

function isKind(value: unknown): boolean {
  return (
    isObject(value) &&
    isFunction(value.readBody) &&
    (isCodecName(value.codec) || isDefinedCodec(value.codec))
  )
}

const kind: Check = (value, location) => {
  const expected = isFunction(value)
    ? 'an attribute kind; call the function that returns it, as in decimal()'
    : 'an attribute kind, such as text'
  return mustBe(expected, isKind)(value, location)
}

const changingSql =
  'must return the same SQL and values at every call, without the time, a random value or the store of an AsyncLocalStorage: its SQL is written once and serves the requests of all users; for rows by user use the option access, and for a value of the user auth(…)'

/**
 * Calls a function that writes SQL with quoted column names twice, and checks what it returns: SQL, and the same each time. What
 * changes between requests only, such as the date or the user, is not found.
 */
const sqlExpression: Check = (value, location) => {
  if (!isFunction(value)) return aFunction(value, location)
  // It is a function; the call shows whether it accepts a column and returns SQL.
  const write = value as Expression
  const call = (): unknown => write((column) => sql.id(column))
  try {
    const written = call()
    if (isSql(written)) {
      const again = call()
      return isSql(again) && printSql(again) === printSql(written)
        ? []
        : [`${location}: ${changingSql}`]
    }
    const result = written === undefined ? 'nothing' : describeValue(written)
    return [`${location}: must return sql\`…\`; it returns ${result}`]
  } catch (error) {
    return [`${location}: must return sql\`…\`; it throws ${quote(String(error))}`]
  }
}

/** Returns SQL and its values as one text. */
function printSql(written: Sql): string {
  return JSON.stringify(written.toOperationNode(), (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}

const access = oneOf('read-write', 'read-only', 'write-only', 'immutable')
const pages = members({
  by: optional(oneOf('number', 'cursor')),
  total: optional(oneOf('exact', 'capped', 'none')),
} satisfies Record<keyof PageOptions, Check>)
const invalidValues = oneOf('error', 'null', 'lenient')
const relationshipAccess = oneOf('read-write', 'read-only', 'immutable')

const { readable, writable, filterable, sortable, set } = fieldAccessChecks

const linkRule = createRuleCheck({ sqlExpression })
const linkRules = { link: linkRule, unlink: linkRule }

const textIndex = members({
  fts: optional(name),
  tsvector: optional(name),
  config: optional(name),
} satisfies Record<keyof TextIndex, Check>)

const attribute = members({
  is: anyValue,
  kind,
  required: optional(booleanCheck),
  nullable: optional(booleanCheck),
  access: optional(access),
  column: optional(name),
  filter: optional(booleanCheck),
  sort: optional(booleanCheck),
  default: anyValue,
  validate: optional(validator),
  invalidValues: optional(invalidValues),
  match: optional(textIndex),
  paths: optional(each(kind)),
  ...fieldAccessChecks,
  description: optional(stringCheck),
} satisfies Record<keyof Attribute, Check>)

const expression = members({
  is: anyValue,
  kind,
  expression: sqlExpression,
  filter: optional(booleanCheck),
  sort: optional(booleanCheck),
  invalidValues: optional(invalidValues),
  ...{ readable, filterable, sortable },
  description: optional(stringCheck),
} satisfies Record<keyof ExpressionField, Check>)

const computed = members({
  is: anyValue,
  kind,
  columns: each(members({ kind, nullable: booleanCheck })),
  compute: synchronous,
  neverThrows: optional(booleanCheck),
  readable,
  description: optional(stringCheck),
} satisfies Record<keyof Computed, Check>)

const key = {
  is: anyValue,
  to: name,
  column: columns,
  references: optional(columns),
  access: optional(relationshipAccess),
  ...{ readable, writable, ...linkRules },
  description: optional(stringCheck),
} satisfies Record<keyof KeyOptions | 'is' | 'to', Check>

const toOne = members({
  ...key,
  foreignKey: optional(oneOf('own', 'other')),
  enforced: optional(booleanCheck),
  required: optional(booleanCheck),
  nullable: optional(booleanCheck),
  set,
} satisfies Record<keyof ToOne, Check>)

const joinTable = members({
  table: name,
  schema: optional(name),
  from: columns,
  to: columns,
} satisfies Record<keyof JoinTable, Check>)

const includeOptions = members({
  size: optional(pageSize),
  maxSize: optional(pageSize),
  sort: optional(name),
} satisfies Record<keyof IncludeOptions, Check>)

const through = members({
  is: anyValue,
  to: name,
  through: joinTable,
  access: optional(relationshipAccess),
  ...{ readable, writable, ...linkRules },
  count: optional(booleanCheck),
  include: optional(includeOptions),
  description: optional(stringCheck),
} satisfies Record<keyof ThroughOptions | 'is' | 'to', Check>)

const toManyByKey = members({
  ...key,
  through: anyValue,
  count: optional(booleanCheck),
  include: optional(includeOptions),
})

const toMany: Check = (value, location) => {
  if (!isObject(value) || value.through === undefined) return toManyByKey(value, location)
  if (value.column === undefined) return through(value, location)
  return [`${location}.column: not allowed with "through", whose join table holds the keys`]
}

const fields: Readonly<Record<string, Check>> = { attribute, expression, computed, toOne, toMany }

const field: Check = (value, location) => {
  const check =
    isObject(value) && Object.hasOwn(fields, String(value.is)) && fields[String(value.is)]
  if (check) return check(value, location)
  const expected = 'created by attribute, expression, computed, toOne or toMany'
  if (isKind(value))
    return [`${location}: must be ${expected}; it is an attribute kind: write attribute(…)`]
  return mustBe(expected)(value, location)
}

const idKind: Check = (value, location) =>
  Array.isArray(value)
    ? value.flatMap((each: unknown, index) => kind(each, `${location}[${index}]`))
    : kind(value, location)

const id = members({
  column: optional(columns),
  kind: optional(idKind),
  client: optional(oneOf('optional', 'required')),
} satisfies Record<keyof IdOptions, Check>)

const hook = optional(aFunction)
const typeHooks = {
  beforeCreate: hook,
  afterCreate: hook,
  beforeUpdate: hook,
  afterUpdate: hook,
  beforeDelete: hook,
  afterDelete: hook,
  afterCommit: hook,
  beforeRead: hook,
  afterRead: hook,
} satisfies Record<keyof Hooks, Check>
const hooks = members(typeHooks)
const modelHooks = members({ ...typeHooks, begin: hook } satisfies Record<keyof ModelHooks, Check>)

const rules = createAccessCheck({ sqlExpression })
const resourceAccess: Check = (value, location) =>
  (isObject(value) ? rules : relationshipAccess)(value, location)

const parameter = createParameterCheck(kind)

/** Calls the function with a bind parameter for each parameter, and checks what it returns. */
const idQuery: Check = (value, location) => {
  const errors = members({ parameters: each(parameter), write: aFunction } satisfies Record<
    keyof IdQuery,
    Check
  >)(value, location)
  if (errors.length > 0 || !isObject(value) || !isObject(value.parameters)) return errors
  // The checks above have found a function.
  const write = value.write as IdQuery['write']
  const names = Object.keys(value.parameters)
  const parameters = Object.fromEntries(names.map((parameter) => [parameter, sql.lit(parameter)]))
  return sqlExpression(() => write(parameters), location)
}

const tableFunction: Check = (value, location) => {
  const isCreated = isObject(value) && value.is === 'table function'
  if (!isCreated) return mustBe('a name, or created by tableFunction')(value, location)
  const { is: _, ...query } = value
  return idQuery(query, location)
}

const resourceOptions = members({
  type: stringCheck,
  path: stringCheck,
  table: (value, location) => (isObject(value) ? tableFunction : name)(value, location),
  schema: optional(name),
  id: optional((value, location) =>
    (typeof value === 'string' || Array.isArray(value) ? columns : id)(value, location),
  ),
  description: optional(stringCheck),
  scope: optional(sqlExpression),
  softDelete: optional(name),
  pages: optional(pages),
  databaseMessages: optional(booleanCheck),
  insertDefaults: optional(each(storedValue)),
  access: optional(resourceAccess),
  tenant: optional(mustBe('false', (value) => value === false)),
  validate: optional(validator),
  hooks: optional(hooks),
  queries: optional(each(idQuery)),
  actions: optional(each(createActionCheck({ kind, sqlExpression }))),
  fields: each(field),
  version: optional(version),
  cache: optional(
    members({
      maxAge: optional(seconds),
      staleWhileRevalidate: optional(seconds),
      public: optional(booleanCheck),
    }),
  ),
  versions: optional(oneOf('always')),
  conditions: optional(oneOf('required')),
  idempotency: optional(oneOf('required')),
} satisfies Record<keyof ResourceDeclaration, Check>)

const atomicMembers = members({
  actions: optional(booleanCheck),
  maxOperations: optional(pageSize),
} satisfies Record<keyof AtomicOptions, Check>)

const atomicOptions: Check = (value, location) =>
  (isObject(value) ? atomicMembers : booleanCheck)(value, location)

const modelOptions = members({
  hooks: optional(modelHooks),
  clientIds: optional(oneOf('discard', 'forbid')),
  jsonapi: optional(oneOf('1.0', '1.1')),
  profiles: optional(
    each(
      members({ member: stringCheck, meta: synchronous } satisfies Record<keyof Profile, Check>),
    ),
  ),
  errorTypes: optional(stringCheck),
  idMismatch: optional(oneOf('discard', 'conflict')),
  pageSize: optional(pageSize),
  maxPageSize: (value, location) => (value === null ? [] : optional(pageSize)(value, location)),
  invalidValues: optional(invalidValues),
  pages: optional(pages),
  access: optional(oneOf('deny by default')),
  tenant: optional(tenantOptions),
  secret: optional(secret),
  session: optional(sessionOptions),
  principal: optional(synchronous),
  idempotencyHours: optional(hours),
  atomic: optional(atomicOptions),
} satisfies Record<keyof ModelOptions, Check>)

/** Creates the check of a parameter of a query or of a table function. @param kind - the check of an attribute kind */
function createParameterCheck(kind: Check): Check {
  return (value, location) => {
    if (!isObject(value) || !('nullable' in value || 'default' in value))
      return kind(value, location)
    const errors = kind(value.kind, `${location}.kind`)
    if (errors.length > 0 || 'nullable' in value) return errors
    // The checks have found a kind and a default.
    return checkDefault(value as unknown as DefaultParameter, location)
  }
}

function checkDefault(
  { kind, default: value }: DefaultParameter,
  location: string,
): readonly string[] {
  if (isSql(value)) return []
  const result = readArgument(kind, value)
  return 'value' in result
    ? []
    : [`${location}.default: must be ${result.expected}; it is ${describeValue(value)}`]
}
