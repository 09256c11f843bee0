import { describeModel, listUsableTypes } from '../describe/describe-model.ts'
import type { FilterDescription } from '../describe/describe-type.ts'
import type { RouteHandler } from '../endpoints/handler.ts'
import { integer, type Kind } from '../model/kinds/kinds.ts'
import { findValueHint } from './values.ts'

/** The values of a kind, as the script of the pages needs them to show an input. */
interface ScriptValue {
  /** The name of the kind. */
  readonly kind: string
  /** The JSON type of values. */
  readonly type: unknown
  readonly choices?: unknown
  /** An example of a value, if its notation is not plain. */
  readonly hint?: string
}

/** A field or a query as the script of the pages needs it to build filters. */
type ScriptField =
  | Readonly<
      {
        name: string
        operators: readonly string[]
        /** The operands of the operators of a kind that a program defines. */
        operands?: Readonly<Record<string, ScriptValue>>
        /** The relationship of which this is the number of related resources. */
        countOf?: string
      } & ScriptValue
    >
  | Readonly<{ name: string; to: string; many: boolean; operators: readonly string[] }>
  | Readonly<{
      name: string
      operators: readonly ['call']
      parameters: readonly (ScriptValue & Readonly<{ name: string; required: boolean }>)[]
    }>

/** A resource type as the script of the pages needs it. */
interface ScriptType {
  readonly path: string
  /** The fields that filters may name. */
  readonly fields: readonly ScriptField[]
}

/** Responds with the resource types, and the fields by which the identity of the request may filter. */
export const getScriptModel: RouteHandler = async ({ auth }, { findRights, prefix }) => {
  const types = listUsableTypes(describeModel(findRights(auth)))
  const named = new Set(types.map(({ type }) => type))
  const described: Record<string, ScriptType> = {}
  for (const [index, { type, path, filters }] of types.entries()) {
    if (index % typesOfTurn === typesOfTurn - 1)
      await new Promise((resolve) => setImmediate(resolve))
    const offered = filters.filter((each) => each.is !== 'relationship' || named.has(each.to))
    described[type] = { path: prefix + path, fields: offered.flatMap(listScriptFields) }
  }
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify(described),
  }
}

/** The types that are described until others are served. */
const typesOfTurn = 50

/** A page has inputs of their own for the parameters of a list. */
function listScriptFields(filter: FilterDescription): ScriptField[] {
  switch (filter.is) {
    case 'attribute':
      return [describeAttribute(filter)]
    case 'relationship':
      return describeRelationship(filter)
    case 'query':
      return [describeQuery(filter)]
    case 'parameter':
      return []
  }
}

type FilterBy<Is> = Extract<FilterDescription, { is: Is }>

function describeAttribute({ name, kind, operators }: FilterBy<'attribute'>): ScriptField {
  const operands = operators.flatMap((operator) =>
    operator.is === 'custom' ? [[operator.name, describeValue(operator.operand)] as const] : [],
  )
  // Filters compare opaque values with null only, which the script offers for every field.
  const offered = operators.filter(({ is }) => kind.operators !== 'opaque' || is === 'custom')
  return {
    ...{ name, ...describeValue(kind) },
    operators: offered.map((operator) => operator.name),
    ...(operands.length > 0 && { operands: Object.fromEntries(operands) }),
  }
}

/** Describes a relationship, and the number of its related resources, which filters compare by operators of its own. */
function describeRelationship(filter: FilterBy<'relationship'>): ScriptField[] {
  const { name, to, many, nesting, count } = filter
  const related = { name, to, many, operators: [nesting] }
  if (count.length === 0) return [related]
  const counted = { name: `${name}.count`, countOf: name, ...describeValue(integer) }
  return [related, { ...counted, operators: count }]
}

function describeQuery({ name, parameters }: FilterBy<'query'>): ScriptField {
  const described = parameters.map(({ name, kind, isRequired }) => {
    return { name, required: isRequired, ...describeValue(kind) }
  })
  return { name, operators: ['call'], parameters: described }
}

function describeValue(kind: Kind<unknown>): ScriptValue {
  const { type, enum: choices } = kind.schema
  const hint = findValueHint(kind)
  return {
    ...{ kind: kind.name, type },
    ...(choices !== undefined && { choices }),
    ...(hint !== undefined && { hint }),
  }
}
