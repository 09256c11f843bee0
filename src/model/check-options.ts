import { quote } from '../errors/quote.ts'
import { isCodecName } from './codecs.ts'
import { sql } from './dialect.ts'
import type {
  Attribute,
  Computed,
  Expression,
  ExpressionField,
  JoinTable,
  KeyOptions,
  ThroughOptions,
  ToOne,
} from './fields.ts'
import type { Hooks } from './hooks.ts'
import type { ModelOptions } from './model.ts'
import {
  type Check,
  describeValue,
  each,
  isFunction,
  isObject,
  members,
  mustBe,
  oneOf,
  optional,
} from './option-checks.ts'
import type { IdOptions, ResourceDeclaration } from './resource.ts'

/**
 * Checks that declarations say what can be said, each option with a value of its type, whoever has compiled them or not.
 * What they mean is checked after that.
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

const anything: Check = () => []
const aText = mustBe('a string', (value) => typeof value === 'string')
const aName = mustBe('a name', (value) => typeof value === 'string' && value !== '')
const aFlag = mustBe('true or false', (value) => typeof value === 'boolean')
const aFunction = mustBe('a function', isFunction)
const aSize = mustBe(
  'a whole number from 1',
  (value) => Number.isSafeInteger(value) && Number(value) >= 1,
)
const aStoredValue = mustBe(
  'a text, a number, true, false, null or bytes',
  (value) =>
    value === null ||
    value instanceof Uint8Array ||
    ['string', 'number', 'bigint', 'boolean'].includes(typeof value),
)

const aValidator = mustBe('a validator with the interface of Standard Schema', (value) => {
  const standard: unknown =
    isObject(value) || isFunction(value) ? Reflect.get(value, '~standard') : undefined
  return isObject(standard) && isFunction(standard.validate)
})

function isKind(value: unknown): boolean {
  return isObject(value) && isFunction(value.readBody) && isCodecName(value.codec)
}

const aKind: Check = (value, place) => {
  const example = isFunction(value) ? 'a kind, so call it, as in decimal()' : 'a kind, such as text'
  return mustBe(example, isKind)(value, place)
}

/** Tries a function that writes SQL, with columns that are names alone. */
const anExpression: Check = (value, place) => {
  if (!isFunction(value)) return aFunction(value, place)
  // It is a function; what it makes of columns is what is found out here.
  const write = value as Expression
  try {
    const written: unknown = write((name) => sql.id(name))
    if (isObject(written) && isFunction(written.toOperationNode)) return []
    const what = written === undefined ? 'nothing' : describeValue(written)
    return [`${place}: must return sql\`…\`; it returns ${what}`]
  } catch (error) {
    return [`${place}: must return sql\`…\`; it throws ${quote(String(error))}`]
  }
}

const access = oneOf('read-write', 'read-only', 'write-only', 'immutable')
const linkAccess = oneOf('read-write', 'read-only')

const attribute = members({
  is: anything,
  kind: aKind,
  required: optional(aFlag),
  access: optional(access),
  column: optional(aName),
  filter: optional(aFlag),
  sort: optional(aFlag),
  default: anything,
  validate: optional(aValidator),
} satisfies Record<keyof Attribute, Check>)

const expression = members({
  is: anything,
  kind: aKind,
  expression: anExpression,
  filter: optional(aFlag),
  sort: optional(aFlag),
} satisfies Record<keyof ExpressionField, Check>)

const computed = members({
  is: anything,
  kind: aKind,
  columns: each(members({ kind: aKind, nullable: aFlag })),
  compute: aFunction,
} satisfies Record<keyof Computed, Check>)

const key = {
  is: anything,
  to: aName,
  column: aName,
  references: optional(aName),
  access: optional(linkAccess),
} satisfies Record<keyof KeyOptions | 'is' | 'to', Check>

const toOne = members({ ...key, foreignKey: optional(oneOf('own', 'other')) } satisfies Record<
  keyof ToOne,
  Check
>)

const joinTable = members({
  table: aName,
  schema: optional(aName),
  from: aName,
  to: aName,
} satisfies Record<keyof JoinTable, Check>)

const through = members({
  is: anything,
  to: aName,
  through: joinTable,
  access: optional(linkAccess),
} satisfies Record<keyof ThroughOptions | 'is' | 'to', Check>)

const toManyByKey = members({ ...key, through: anything })

const toMany: Check = (value, place) => {
  if (!isObject(value) || value.through === undefined) return toManyByKey(value, place)
  return value.column === undefined
    ? through(value, place)
    : [`${place}.column: the keys are in the join table; say "column" or "through", not both`]
}

const fields: Readonly<Record<string, Check>> = { attribute, expression, computed, toOne, toMany }

/** What a field's declaration is, by the word that its maker wrote into it. */
const aField: Check = (value, place) => {
  const check =
    isObject(value) && Object.hasOwn(fields, String(value.is)) && fields[String(value.is)]
  if (check) return check(value, place)
  const makers = 'made by attribute, expression, computed, toOne or toMany'
  if (isKind(value)) return [`${place}: must be ${makers}; it is a kind, so say attribute(…)`]
  return mustBe(makers)(value, place)
}

const id = members({
  column: optional(aName),
  kind: optional(aKind),
  client: optional(oneOf('optional', 'required')),
} satisfies Record<keyof IdOptions, Check>)

const hook = optional(aFunction)
const hooks = members({
  beforeCreate: hook,
  afterCreate: hook,
  beforeUpdate: hook,
  afterUpdate: hook,
  beforeDelete: hook,
  afterDelete: hook,
  beforeRead: hook,
  afterRead: hook,
} satisfies Record<keyof Hooks, Check>)

const resourceOptions = members({
  type: aText,
  path: aText,
  table: aName,
  schema: optional(aName),
  id: optional((value, place) => (typeof value === 'string' ? aName : id)(value, place)),
  description: optional(aText),
  scope: optional(anExpression),
  insertDefaults: optional(each(aStoredValue)),
  access: optional(linkAccess),
  validate: optional(aValidator),
  hooks: optional(hooks),
  fields: each(aField),
} satisfies Record<keyof ResourceDeclaration, Check>)

const modelOptions = members({
  clientIds: optional(oneOf('discard', 'forbid')),
  idMismatch: optional(oneOf('discard', 'conflict')),
  pageSize: optional(aSize),
  maxPageSize: (value, place) => (value === null ? [] : optional(aSize)(value, place)),
} satisfies Record<keyof ModelOptions, Check>)
