import type { JsonSchema } from '../model/kinds/kinds.ts'
import type { Steps } from './steps.ts'

/** JSON Schemas by their names. */
export type Schemas = Readonly<Record<string, JsonSchema>>

/** Returns a reference to a schema by its name. */
export type Reference = (name: string) => JsonSchema

/** Creates references to schemas with a prefix, e.g. `#/$defs/`. */
export function createReference(prefix: string): Reference {
  return (name) => ({ $ref: `${prefix}${name}` })
}

/** Describes an object whose members are exactly these. */
export function objectOf(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return { ...openObject(properties, required), additionalProperties: false }
}

/** Describes an object that may have other members too. */
export function openObject(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return { type: 'object', ...(required.length > 0 && { required }), properties }
}

/** Keywords that apply to values of every type, so null must not be subject to them. */
const generalKeywords = ['$ref', 'allOf', 'anyOf', 'const', 'if', 'not', 'oneOf']

/** Describes a value that may also be null. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values, ...others } = schema
  const isGeneral = generalKeywords.some((keyword) => keyword in schema)
  if (isGeneral || (typeof type !== 'string' && !Array.isArray(type)))
    return { anyOf: [schema, { type: 'null' }] }
  return {
    type: [type, 'null'].flat(),
    ...(Array.isArray(values) && { enum: [...values, null] }),
    ...others,
  }
}

/** Describes a list. */
export function arrayOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}

/** How many parts of a value are looked at in a step. */
const partsOfStep = 1000

/** Finds the schemas to which a value refers, directly or by others. @param prefix - the beginning of the references */
export function* selectReferenced(
  value: unknown,
  schemas: Schemas,
  prefix: string,
): Steps<Schemas> {
  const found = new Set<string>()
  const pending = [value]
  for (let count = 1; pending.length > 0; count += 1) {
    const part = pending.pop()
    if (count % partsOfStep === 0) yield
    if (typeof part !== 'object' || part === null) continue
    const reference: unknown = Reflect.get(part, '$ref')
    if (typeof reference === 'string' && reference.startsWith(prefix)) {
      const name = reference.slice(prefix.length)
      if (!found.has(name)) pending.push(schemas[name])
      found.add(name)
    }
    for (const member of Object.values(part)) pending.push(member)
  }
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)))
}
