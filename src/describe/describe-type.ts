import type { ActionResult, ActionTarget } from '../model/declare/action.ts'
import { findTextParameter } from '../model/declare/id-query.ts'
import {
  listParameters,
  type QueryParameters,
  type ResolvedParameter,
} from '../model/declare/parameter.ts'
import { mayHideRow } from '../model/hides-rows.ts'
import type { Kind } from '../model/kinds/kinds.ts'
import {
  countOperators,
  type KindOperator,
  listKindOperators,
  relationshipOperators,
} from '../model/kinds/operators.ts'
import {
  type AttributeField,
  type Field,
  findInverse,
  getResourceType,
  isKeyNullable,
  listRelationships,
  type Model,
  type RelationshipField,
  type ResourceType,
} from '../model/model.ts'

/** The properties that all fields have. */
interface FieldDescription {
  readonly name: string
  readonly description: string | undefined
  /** Whether a client may send a value in a create, in an update. False for a value that the server sets. */
  readonly isCreatable: boolean
  readonly isUpdatable: boolean
  /** Whether a create must send a value. */
  readonly isRequired: boolean
  /** True if a value that a client sends is an error. Other values that it may not send are ignored. */
  readonly isDenied: boolean
  /** Whether clients may send null. */
  readonly acceptsNull: boolean
  /** Whether responses may have null. */
  readonly isNullable: boolean
}

/** An attribute, stored or computed. */
export interface AttributeDescription extends FieldDescription {
  readonly is: 'attribute'
  readonly kind: Kind<unknown>
  /** Whether responses have it. */
  readonly isReadable: boolean
  readonly isFilterable: boolean
  readonly isSortable: boolean
}

/** A relationship, which requests can include and filter by. */
export interface RelationshipDescription extends FieldDescription {
  readonly is: 'relationship'
  readonly many: boolean
  /** The related type. */
  readonly to: string
  /** The relationship that the related type declares over the same columns. */
  readonly inverse: string | undefined
  /** Whether requests can count the related resources. */
  readonly isCounted: boolean
  /** Whether a link can be removed, and not only replaced. */
  readonly isRemovable: boolean
  /** Whether a related resource may exist, but not for the request: then the null of a response may be sent back. */
  readonly mayBeHidden: boolean
}

/** A parameter of a list, a query or an action. */
export interface ParameterDescription extends ResolvedParameter {
  readonly name: string
}

/** A query by which a list can be filtered. */
interface QueryDescription {
  readonly name: string
  readonly parameters: readonly ParameterDescription[]
  /** The parameter that `filter[query]=text` sends; absent if it needs several. */
  readonly textParameter: ParameterDescription | undefined
}

/** What a filter of a list may name, in the order of the declaration: the id and the fields, then queries, then parameters. */
export type FilterDescription =
  /** The id, an attribute, or a value inside JSON. */
  | Readonly<{
      is: 'attribute'
      name: string
      kind: Kind<unknown>
      operators: readonly KindOperator[]
    }>
  /** `nesting` takes a filter of the related type, those of `empty` take null, and those of `count` take a number, if it is counted. */
  | Readonly<{
      is: 'relationship'
      name: string
      many: boolean
      to: string
      nesting: string
      empty: readonly string[]
      count: readonly string[]
    }>
  | (QueryDescription & Readonly<{ is: 'query' }>)
  | (ParameterDescription & Readonly<{ is: 'parameter' }>)

/** An operation that clients call. */
export interface ActionDescription {
  readonly name: string
  readonly description: string | undefined
  readonly on: ActionTarget
  readonly parameters: readonly ParameterDescription[]
  /** What its response has; `undefined` for a message. */
  readonly returns: ActionResult | undefined
  /** Whether a client may run it without effects. */
  readonly hasDryRun: boolean
  /** Whether a call must have an `Idempotency-Key`. */
  readonly requiresIdempotencyKey: boolean
}

/** A resource type as an identity sees it. */
export interface TypeDescription {
  readonly type: string
  /** The path of its list, without the prefix. */
  readonly path: string
  readonly description: string | undefined
  /** Whether the identity may use any of its addresses, whatever the rows are. */
  readonly isUsable: boolean
  /** Whether the identity may read resources of the type, as far as that does not depend on rows. */
  readonly isReadable: boolean
  /** The kind of its ids, and whether a create sends one. */
  readonly id: Readonly<{ kind: Kind<string>; fromClient: ResourceType['ids']['fromClient'] }>
  /** The fields that exist for the identity, in the order of the declaration. */
  readonly fields: readonly (AttributeDescription | RelationshipDescription)[]
  /** The attributes among the fields. */
  readonly attributes: readonly AttributeDescription[]
  /** The relationships among the fields; requests can include them. */
  readonly relationships: readonly RelationshipDescription[]
  /** The names of the fields that do not exist for the identity. */
  readonly hidden: readonly string[]
  readonly filters: readonly FilterDescription[]
  /** The names by which a list can be sorted, without those of other types, e.g. `name`, `meta.city`, `computers.count`. */
  readonly sorts: readonly string[]
  /** Whether its lists are paged by numbers, unless a request names cursors, or always between cursors. */
  readonly pagedBy: ResourceType['pages']['by']
  /** Whether a write of what exists must have `If-Match`. */
  readonly requiresConditions: boolean
  /** Whether a write must have an `Idempotency-Key`. */
  readonly requiresIdempotencyKey: boolean
  /** The parameters of its list, if that is a table function. */
  readonly parameters: readonly ParameterDescription[]
  readonly actions: readonly ActionDescription[]
}

/**
 * Describes a type.
 * @param resource - with the fields that exist for an identity
 * @param model - that of the identity
 */
export function describeType(
  resource: ResourceType,
  model: Model,
  use: Pick<TypeDescription, 'isUsable' | 'isReadable'>,
): TypeDescription {
  const { type, path, description, id, ids, actions, unrestricted = resource } = resource
  const { requiresConditions, requiresIdempotencyKey } = resource
  const fields = [...resource.fields.values()].map((field) => describeField(field, resource, model))
  const parameters = describeParameters(resource.table.call?.parameters)
  return {
    ...{ type, path, description, ...use },
    id: { kind: id.kind, fromClient: ids.fromClient },
    fields,
    attributes: fields.filter((field) => field.is === 'attribute'),
    relationships: fields.filter((field) => field.is === 'relationship'),
    hidden: [...unrestricted.fields.keys()].filter((name) => !resource.fields.has(name)),
    filters: listFilters(resource, parameters),
    sorts: listSorts(resource),
    pagedBy: resource.pages.by,
    ...{ requiresConditions, requiresIdempotencyKey },
    parameters,
    actions: [...actions].map(([name, action]) => {
      const { on, description, returns, dryRun = false } = action
      const parameters = describeParameters(action.parameters)
      const { idempotency = requiresIdempotencyKey ? 'required' : 'optional' } = action
      return {
        ...{ name, on, description, parameters, returns, hasDryRun: dryRun },
        requiresIdempotencyKey: idempotency === 'required',
      }
    }),
  }
}

function describeField(
  field: Field,
  resource: ResourceType,
  model: Model,
): AttributeDescription | RelationshipDescription {
  const { name, description } = field
  if (field.is === 'computed')
    return {
      ...{ is: 'attribute', name, description, kind: field.kind, ...neverSent },
      ...{ isReadable: true, isNullable: true, isFilterable: false, isSortable: false },
    }
  const common = { name, description, ...describeSending(field, resource) }
  if (field.is === 'relationship') return describeRelationship(field, common, resource, model)
  const { kind, isReadable, isFilterable, isSortable, invalidValues } = field
  // A lenient attribute has null instead of a value that nobody expects.
  const isNullable = field.isNullable || invalidValues === 'null'
  return { is: 'attribute', ...common, kind, isReadable, isFilterable, isSortable, isNullable }
}

const neverSent = {
  ...{ isCreatable: false, isUpdatable: false, isRequired: false },
  ...{ isDenied: false, acceptsNull: false },
} as const

/** Describes what clients send of a field. */
function describeSending(
  field: AttributeField | RelationshipField,
  { isWritable, id, ids }: ResourceType,
) {
  const { required, set, isImmutable, isDenied = false, acceptsNull } = field
  const isSent = isWritable && field.isWritable && !isDenied
  const isCreatable = isSent && set === undefined
  // The id of the client sets a foreign key that is a part of it.
  const known: readonly string[] = ids.fromClient === 'forbidden' ? [] : id.columns
  const isKnown =
    field.is === 'relationship'
      ? field.link.ownKey.every((column) => known.includes(column))
      : field.makeDefault !== undefined
  const isRequired = isCreatable && required && !isKnown
  return { isCreatable, isUpdatable: isSent && !isImmutable, isRequired, isDenied, acceptsNull }
}

function describeRelationship(
  field: RelationshipField,
  common: Omit<FieldDescription, 'isNullable'>,
  resource: ResourceType,
  model: Model,
): RelationshipDescription {
  const { many, to, isCounted, isEnforced } = field
  const mayBeHidden = mayHideRow(model, getResourceType(model, to))
  return {
    ...{ is: 'relationship', ...common, many, to, isCounted, mayBeHidden },
    inverse: findInverse(model, resource, field)?.name,
    isNullable: field.isNullable || isEnforced === false || mayBeHidden,
    isRemovable: isKeyNullable(model, resource, field),
  }
}

function describeParameters(parameters: QueryParameters = {}): readonly ParameterDescription[] {
  return listParameters(parameters).map(([name, parameter]) => ({ name, ...parameter }))
}

function listFilters(
  { id, fields, queries }: ResourceType,
  parameters: readonly ParameterDescription[],
): readonly FilterDescription[] {
  const ofQueries = [...queries].map(([name, query]): FilterDescription => {
    const described = describeParameters(query.parameters)
    const text = findTextParameter(query)
    const textParameter = described.find((parameter) => parameter.name === text)
    return { is: 'query', name, parameters: described, textParameter }
  })
  return [
    ...[id, ...fields.values()].flatMap(listFieldFilters),
    ...ofQueries,
    ...parameters.map((parameter): FilterDescription => ({ is: 'parameter', ...parameter })),
  ]
}

/** The filters by a field, and by the values inside its JSON. */
function listFieldFilters(field: Field): FilterDescription[] {
  if (field.is === 'relationship') {
    const { name, many, to, isCounted } = field
    const [nesting, ...empty] = relationshipOperators[many ? 'toMany' : 'toOne']
    const count = isCounted ? Object.keys(countOperators) : []
    return [{ is: 'relationship', name, many, to, nesting, empty, count }]
  }
  if (field.is === 'computed' || !field.isFilterable) return []
  return [field, ...(field.paths?.values() ?? [])].map(({ name, kind }) => {
    return { is: 'attribute', name, kind, operators: listKindOperators(kind) }
  })
}

function listSorts(resource: ResourceType): readonly string[] {
  const attributes = [resource.id, ...resource.fields.values()]
    .filter((field) => field.is === 'attribute')
    .flatMap((field) => [field, ...listReadablePaths(field)])
  return [
    ...attributes.flatMap(({ name, isSortable }) =>
      isSortable ? [name.replaceAll('__', '.')] : [],
    ),
    ...listRelationships(resource).flatMap(({ name, isCounted }) =>
      isCounted ? [`${name}.count`] : [],
    ),
  ]
}

/** Returns the values inside the JSON of an attribute, such as `meta__city`. */
function listReadablePaths({ isReadable, paths }: AttributeField): readonly AttributeField[] {
  return isReadable && paths ? [...paths.values()] : []
}
