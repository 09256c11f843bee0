import type { AttributeDescription, TypeDescription } from '../describe/describe-type.ts'
import { isObject } from '../model/kinds/json.ts'
import type { JsonSchema, Kind } from '../model/kinds/kinds.ts'
import { orNull } from './schema.ts'

/** The fields of a type, by what clients do with them. */
export interface FieldGroups {
  /** In responses. */
  readonly readable: readonly AttributeDescription[]
  /** In the body of a create or an update. */
  readonly writable: readonly AttributeDescription[]
  /** Ignored in a body, so that a client can send a resource back. */
  readonly ignored: readonly AttributeDescription[]
}

/** Groups the attributes of a type. */
export function groupAttributes({ attributes }: TypeDescription): FieldGroups {
  return {
    readable: attributes.filter(({ isReadable }) => isReadable),
    writable: attributes.filter(isSent),
    ignored: attributes.filter((field) => !isSent(field) && !field.isDenied),
  }
}

/** Whether clients send a field, in a create or in an update. */
export function isSent({
  isCreatable,
  isUpdatable,
}: Pick<AttributeDescription, 'isCreatable' | 'isUpdatable'>): boolean {
  return isCreatable || isUpdatable
}

/** Describes the value of an attribute in responses. */
export function describeReturnedValue(field: AttributeDescription): JsonSchema {
  const schema = describeStored(field.kind.schema)
  const allowsAll = Object.keys(schema).length === 0
  return describe(field, field.isNullable && !allowsAll ? orNull(schema) : schema)
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
export function describeSentValue(field: AttributeDescription): JsonSchema {
  const { kind, acceptsNull, isReadable } = field
  const schema = acceptsNull ? orNull(kind.schema) : kind.schema
  return describe(field, isReadable ? schema : { ...schema, writeOnly: true })
}

/** Describes an attribute that the server ignores in a body. */
export function describeIgnoredValue(field: AttributeDescription): JsonSchema {
  return describe(field, { readOnly: true })
}

function describe({ description }: AttributeDescription, schema: JsonSchema): JsonSchema {
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
export function makeReturnedAttributes(
  fields: readonly AttributeDescription[],
): Record<string, unknown> {
  return collect(fields, makeReturnedExample)
}

/** Makes the attributes that a client sends. */
export function makeSentAttributes(
  fields: readonly AttributeDescription[],
): Record<string, unknown> {
  return collect(fields, makeExample)
}

function collect(
  fields: readonly AttributeDescription[],
  make: (kind: Kind<unknown>) => unknown,
): Record<string, unknown> {
  const entries = fields.map(({ name, kind }) => [name, make(kind)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}
