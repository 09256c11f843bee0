import { isObject } from '../model/json.ts'
import type { JsonSchema, Kind } from '../model/kinds.ts'
import type { AttributeField, Field, ResourceType } from '../model/model.ts'
import { isSentByClients } from '../model/written-fields.ts'
import { orNull } from './schema.ts'

/** A field that is in `attributes`. */
type AttributeLike = Exclude<Field, { is: 'relationship' }>

/** The fields of a type, by what clients do with them. */
export interface FieldGroups {
  /** In responses. */
  readonly readable: readonly AttributeLike[]
  /** In the body of a create or an update. */
  readonly writable: readonly AttributeField[]
  /** Ignored in a body, so that a client can send a resource back. */
  readonly ignored: readonly AttributeLike[]
}

/** Groups the attributes of a type. */
export function groupAttributes(resource: ResourceType): FieldGroups {
  const attributes = [...resource.fields.values()].filter((field) => field.is !== 'relationship')
  const isWritable = (field: AttributeLike): field is AttributeField =>
    field.is === 'attribute' && isSentByClients(field)
  // An attribute that the identity may not write is an error in a body.
  const isAllowed = (field: AttributeLike) => field.is === 'computed' || !field.isDenied
  return {
    readable: attributes.filter((field) => field.is === 'computed' || field.isReadable),
    writable: attributes.filter(isWritable).filter(isAllowed),
    ignored: attributes.filter((field) => !isWritable(field)),
  }
}

/**
 * Describes the value of an attribute in responses. A lenient attribute has null instead of a value that nobody expects; the description
 * says what the declaration says.
 */
export function describeReturnedValue(field: AttributeLike): JsonSchema {
  const isNullable = field.is === 'computed' || field.isNullable || field.invalidValues === 'null'
  const schema = describeStored(field.kind.schema)
  const allowsAll = Object.keys(schema).length === 0
  return describe(field, isNullable && !allowsAll ? orNull(schema) : schema)
}

/**
 * Describes what a column may hold, which can be more than clients can send: integers of any size, further digits of a decimal
 * number, any JSON value. The limits of what clients send are not limits of what a response contains.
 */
function describeStored(schema: JsonSchema): JsonSchema {
  const { type, items } = schema
  if (Array.isArray(type) && type.includes('object')) return {}
  const { pattern: _pattern, minimum: _least, maximum: _most, maxLength: _length, ...rest } = schema
  return isObject(items) ? { ...rest, items: describeStored(items) } : rest
}

/** A decimal number of any size, in plain notation. */
export const anyDecimal: JsonSchema = {
  type: 'string',
  pattern: '^-?(0|[1-9]\\d*)(\\.\\d+)?$',
}

/** Describes the value of an attribute that a client sends. */
export function describeSentValue(field: AttributeField): JsonSchema {
  const { kind, acceptsNull, isReadable } = field
  const schema = acceptsNull ? orNull(kind.schema) : kind.schema
  return describe(field, isReadable ? schema : { ...schema, writeOnly: true })
}

/** Describes an attribute that the server ignores in a body. */
export function describeIgnoredValue(field: AttributeLike): JsonSchema {
  return describe(field, { readOnly: true })
}

function describe({ description }: AttributeLike, schema: JsonSchema): JsonSchema {
  return description === undefined ? schema : { ...schema, description }
}

/** Values of the kinds, as clients send them, by the names of the kinds. Of several values, the first that the kind accepts. */
const examples: Readonly<Record<string, readonly unknown[]>> = {
  id: ['1'],
  text: ['A text'],
  email: ['ada@example.org'],
  url: ['https://example.org/'],
  integer: [42],
  integer64: [42],
  number: [1.5],
  decimal: ['12.50', '12.5', '1.5', '0.5', '1'],
  boolean: [true],
  date: ['2024-02-29'],
  datetime: ['2024-02-29T12:30:00Z'],
  time: ['12:30:00'],
  uuid: ['f81d4fae-7dec-11d0-a765-00a0c91e6bf6'],
  json: [{ key: 'value' }],
  bytes: ['AAEC/w=='],
}

/** The name of a kind without its stored format: `boolean` of `boolean as Y/N`. */
export function getBaseName({ name }: Kind<unknown>): string {
  return name.split(' ')[0] ?? name
}

/** Makes a value of a kind as clients send it; `undefined` if there is none. */
export function makeExample(kind: Kind<unknown>): unknown {
  const { enum: choices } = kind.schema
  const candidates = Array.isArray(choices) ? choices : (examples[getBaseName(kind)] ?? [])
  return candidates.find((candidate: unknown) => 'value' in kind.readBody(candidate))
}

/** Makes a value of a kind as responses have it: the server may write it otherwise than clients do. */
function makeReturnedExample(kind: Kind<unknown>): unknown {
  const sent = makeExample(kind)
  if (sent === undefined) return undefined
  const read = kind.readBody(sent)
  return 'value' in read ? JSON.parse(kind.serialize(read.value)) : undefined
}

/** Makes the attributes of a resource as responses have them. */
export function makeReturnedAttributes(fields: readonly Field[]): Record<string, unknown> {
  return collect(fields.filter(isAttribute), makeReturnedExample)
}

/** Makes the attributes that a client sends. */
export function makeSentAttributes(fields: readonly AttributeField[]): Record<string, unknown> {
  return collect(fields, makeExample)
}

function isAttribute(field: Field): field is Exclude<Field, { is: 'relationship' }> {
  return field.is !== 'relationship'
}

function collect(
  fields: readonly Readonly<{ name: string; kind: Kind<unknown> }>[],
  make: (kind: Kind<unknown>) => unknown,
): Record<string, unknown> {
  const entries = fields.map(({ name, kind }) => [name, make(kind)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}
