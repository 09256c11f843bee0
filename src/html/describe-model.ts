import { listNamedTypes, type NamedTypes } from '../handlers/address-rights.ts'
import type { RouteHandler } from '../handlers/handler.ts'
import { type Field, getResourceType, type Model, type ResourceType } from '../model/model.ts'
import { listOperators, relationshipOperators } from '../model/operators.ts'

/** A field as the script of the pages needs it to build filters. */
type FieldDescription =
  | Readonly<{
      name: string
      kind: string
      /** The JSON type of values. */
      type: unknown
      choices?: unknown
      operators: readonly string[]
    }>
  | Readonly<{ name: string; to: string; many: boolean; operators: readonly string[] }>

/** A resource type as the script of the pages needs it. */
interface TypeDescription {
  readonly path: string
  /** The fields that filters may name. */
  readonly fields: readonly FieldDescription[]
}

/** Responds with the resource types, and the fields by which the identity of the request may filter. */
export const getModelDescription: RouteHandler = ({ auth }, context) => ({
  status: 200,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(describeModel(listNamedTypes(context, auth), context.prefix)),
})

function describeModel(
  { model, types }: NamedTypes,
  prefix: string,
): Readonly<Record<string, TypeDescription>> {
  const named = new Set(types.map(({ type }) => type))
  const entries = types.map((resource) => {
    const fields = describeFields(model, resource).filter((field) => {
      return !('to' in field) || named.has(field.to)
    })
    return [resource.type, { path: prefix + resource.path, fields }]
  })
  return Object.fromEntries(entries)
}

function describeFields(model: Model, resource: ResourceType): readonly FieldDescription[] {
  return [resource.id, ...resource.fields.values()].flatMap((field) => {
    const description = describeField(model, field)
    return description === undefined ? [] : [description]
  })
}

function describeField(model: Model, field: Field): FieldDescription | undefined {
  if (field.is === 'relationship') {
    const { name, to, many } = field
    const [nested] = many ? relationshipOperators.toMany : relationshipOperators.toOne
    return { name, to: getResourceType(model, to).type, many, operators: [nested] }
  }
  if (field.is === 'computed' || !field.isFilterable) return undefined
  const { name, kind } = field
  const { type, enum: choices } = kind.schema
  // Filters compare opaque values with null only, which the script offers for every field.
  const operators = kind.operators === 'opaque' ? [] : listOperators(kind)
  return { name, kind: kind.name, type, ...(choices !== undefined && { choices }), operators }
}
