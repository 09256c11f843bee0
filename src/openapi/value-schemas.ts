import { isObject } from '../model/json.ts'
import type { JsonSchema } from '../model/kinds.ts'
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
