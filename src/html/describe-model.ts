import { listNamedTypes, type NamedTypes } from '../handlers/address-rights.ts'
import type { RouteHandler } from '../handlers/handler.ts'
import type { IdQuery } from '../model/id-query.ts'
import { integer, type Kind } from '../model/kinds.ts'
import {
  type AttributeField,
  type Field,
  getResourceType,
  type Model,
  type RelationshipField,
} from '../model/model.ts'
import {
  countOperators,
  getCustomOperators,
  listOperators,
  relationshipOperators,
} from '../model/operators.ts'
import { listParameters } from '../model/parameter.ts'
import { findValueHint } from './values.ts'

/** The values of a kind, as the script of the pages needs them to show an input. */
interface ValueDescription {
  /** The name of the kind. */
  readonly kind: string
  /** The JSON type of values. */
  readonly type: unknown
  readonly choices?: unknown
  /** An example of a value, if its notation is not plain. */
  readonly hint?: string
}

/** A field or a query as the script of the pages needs it to build filters. */
type FieldDescription =
  | Readonly<
      {
        name: string
        operators: readonly string[]
        /** The operands of the operators of a kind that a program defines. */
        operands?: Readonly<Record<string, ValueDescription>>
        /** The relationship of which this is the number of related resources. */
        countOf?: string
      } & ValueDescription
    >
  | Readonly<{ name: string; to: string; many: boolean; operators: readonly string[] }>
  | Readonly<{
      name: string
      operators: readonly ['call']
      parameters: readonly (ValueDescription & Readonly<{ name: string; required: boolean }>)[]
    }>

/** A resource type as the script of the pages needs it. */
interface TypeDescription {
  readonly path: string
  /** The fields that filters may name. */
  readonly fields: readonly FieldDescription[]
}

/** Responds with the resource types, and the fields by which the identity of the request may filter. */
export const getModelDescription: RouteHandler = async ({ auth }, context) => ({
  status: 200,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(await describeModel(listNamedTypes(context, auth), context.prefix)),
})

/** The types that are described until others are served. */
const typesOfTurn = 50

async function describeModel(
  { model, types }: NamedTypes,
  prefix: string,
): Promise<Readonly<Record<string, TypeDescription>>> {
  const named = new Set(types.map(({ type }) => type))
  const isOffered = (field: Field) => field.is !== 'relationship' || named.has(field.to)
  const described: Record<string, TypeDescription> = {}
  for (const [index, resource] of types.entries()) {
    if (index % typesOfTurn === typesOfTurn - 1)
      await new Promise((resolve) => setImmediate(resolve))
    const offered = [resource.id, ...resource.fields.values()].filter(isOffered)
    const fields = [
      ...offered.flatMap((field) => describeField(model, field)),
      ...[...resource.queries].map(describeQuery),
    ]
    described[resource.type] = { path: prefix + resource.path, fields }
  }
  return described
}

/** Describes a field, the values inside its JSON, and the number of its related resources, as far as filters may name them. */
function describeField(model: Model, field: Field): FieldDescription[] {
  if (field.is === 'relationship')
    return [describeRelationship(model, field), ...(field.isCounted ? [describeCount(field)] : [])]
  if (field.is === 'computed' || !field.isFilterable) return []
  return [field, ...(field.paths?.values() ?? [])].map(describeAttribute)
}

/** Describes the number of related resources, which filters compare by operators of its own. */
function describeCount({ name }: RelationshipField): FieldDescription {
  const operators = Object.keys(countOperators)
  return { name: `${name}.count`, countOf: name, ...describeValue(integer), operators }
}

function describeQuery([name, { parameters }]: readonly [string, IdQuery]): FieldDescription {
  const described = listParameters(parameters).map(([parameter, { kind, isRequired }]) => {
    return { name: parameter, required: isRequired, ...describeValue(kind) }
  })
  return { name, operators: ['call'], parameters: described }
}

function describeValue(kind: Kind<unknown>): ValueDescription {
  const { type, enum: choices } = kind.schema
  const hint = findValueHint(kind)
  return {
    ...{ kind: kind.name, type },
    ...(choices !== undefined && { choices }),
    ...(hint !== undefined && { hint }),
  }
}

function describeRelationship(
  model: Model,
  { name, to, many }: RelationshipField,
): FieldDescription {
  const [nested] = many ? relationshipOperators.toMany : relationshipOperators.toOne
  return { name, to: getResourceType(model, to).type, many, operators: [nested] }
}

function describeAttribute({ name, kind }: AttributeField): FieldDescription {
  // Filters compare opaque values with null only, which the script offers for every field.
  const operators = kind.operators === 'opaque' ? [] : listOperators(kind)
  const operands = Object.entries(getCustomOperators(kind)).map(
    ([operator, { takes }]) => [operator, describeValue(takes)] as const,
  )
  return {
    ...{ name, ...describeValue(kind) },
    operators: [...operators, ...operands.map(([operator]) => operator)],
    ...(operands.length > 0 && { operands: Object.fromEntries(operands) }),
  }
}
