import { checkDeclarations } from './check.ts'
import type { Attribute, ColumnUse, Computed, FieldDeclaration } from './fields.ts'
import type { FormName } from './forms.ts'
import { type Kind, kinds } from './kinds.ts'
import type { ResourceDeclaration } from './resource.ts'

/** A column and how it keeps its values; what plans speak of. */
export interface Column {
  readonly column: string
  readonly form: FormName
}

/** An attribute as requests meet it: every default filled in. */
export interface AttributeField {
  readonly is: 'attribute'
  readonly name: string
  readonly kind: Kind<unknown>
  readonly column: string
  readonly required: boolean
  readonly reads: boolean
  readonly writes: boolean
  readonly filters: boolean
  readonly sorts: boolean
}

/** A computed attribute as requests meet it. */
export interface ComputedField {
  readonly is: 'computed'
  readonly name: string
  readonly kind: Kind<unknown>
  readonly columns: readonly (readonly [column: string, use: ColumnUse])[]
  readonly compute: Computed['compute']
}

/**
 * How rows of one table lead to rows of another: where `here` of the one equals `there` of the other.
 * `key` says on which side the reference stands, so which row a write changes.
 */
export interface Link {
  readonly here: string
  readonly there: string
  readonly key: 'here' | 'there'
}

/** A relationship as requests meet it. */
export interface RelationshipField {
  readonly is: 'relationship'
  readonly name: string
  readonly many: boolean
  readonly to: string
  readonly link: Link
}

/** Any field of a checked resource type. */
export type Field = AttributeField | ComputedField | RelationshipField

/** A resource type once everything said of it is known to hold. */
export interface ResourceType {
  readonly type: string
  readonly path: string
  readonly table: string
  readonly description: string | undefined
  readonly id: AttributeField
  /** By name, in the order of the declaration; `id` is not among them. */
  readonly fields: ReadonlyMap<string, Field>
}

/** How the documents' open choices are settled. */
export interface ModelOptions {
  /** An `id` in a create's body: dropped (the seed's rule) or refused with 403 (JSON:API 1.0). Default `discard`. */
  readonly clientIds?: 'discard' | 'forbid'
  /** An `id` in an update's body that is not the path's: dropped (the seed's rule) or refused with 409. Default `discard`. */
  readonly idMismatch?: 'discard' | 'conflict'
  /** Resources on a page unless `page[size]` says otherwise. Default 30. */
  readonly pageSize?: number
  /** The largest `page[size]`; when set, `page[size]=0` is refused. Default none. */
  readonly maxPageSize?: number | undefined
}

/** What exists and what may be asked: every resource type, and the choices of the service. */
export interface Model {
  readonly types: ReadonlyMap<string, ResourceType>
  readonly clientIds: 'discard' | 'forbid'
  readonly idMismatch: 'discard' | 'conflict'
  readonly pageSize: number
  readonly maxPageSize: number | undefined
}

type Strangers<Resources extends readonly ResourceDeclaration[]> = {
  [Index in keyof Resources]: {
    [Name in keyof Resources[Index]['fields']]: Resources[Index]['fields'][Name] extends {
      readonly to: infer To extends string
    }
      ? To extends Resources[number]['type']
        ? never
        : `${Resources[Index]['type']}.fields.${Name & string}.to: there is no resource type "${To}"`
      : never
  }[keyof Resources[Index]['fields']]
}[number]

/**
 * Puts declared resources together and checks all that can be known without a database.
 *
 * @param resources - every resource type; a relationship to one that is not among them does not compile
 * @param options - the service's choices
 * @throws Error with one line per mistake, each with the path to the wrong word
 */
export function defineModel<const Resources extends readonly ResourceDeclaration[]>(
  resources: Resources & ([Strangers<Resources>] extends [never] ? unknown : Strangers<Resources>),
  options: ModelOptions = {},
): Model {
  checkDeclarations(resources, { pageSize: options.pageSize, maxPageSize: options.maxPageSize })
  return {
    types: new Map(resources.map((declared) => [declared.type, resourceType(declared, resources)])),
    clientIds: options.clientIds ?? 'discard',
    idMismatch: options.idMismatch ?? 'discard',
    pageSize: options.pageSize ?? 30,
    maxPageSize: options.maxPageSize,
  }
}

/** The resource type of that name, which the model is known to have: plans only ever carry names it gave out. */
export function typeNamed(model: Model, type: string): ResourceType {
  const found = model.types.get(type)
  if (found === undefined) throw new Error(`The model has no resource type ${type}.`)
  return found
}

/** The relationship of that name, or `undefined` for attributes and unknown names. */
export function relationshipOf(
  resource: ResourceType,
  name: string,
): RelationshipField | undefined {
  const field = resource.fields.get(name)
  return field?.is === 'relationship' ? field : undefined
}

/** The relationship that the other side declares over the same column, if it does. */
export function inverseOf(
  model: Model,
  resource: ResourceType,
  field: RelationshipField,
): RelationshipField | undefined {
  const target = typeNamed(model, field.to)
  for (const other of target.fields.values()) {
    if (other.is !== 'relationship' || other.to !== resource.type) continue
    if (
      other.link.here === field.link.there &&
      other.link.there === field.link.here &&
      other !== field
    )
      return other
  }
  return undefined
}

function resourceType(
  declared: ResourceDeclaration,
  all: readonly ResourceDeclaration[],
): ResourceType {
  const fields = Object.entries(declared.fields).map(
    ([name, field]) => [name, settled(name, field, declared, all)] as const,
  )
  return {
    type: declared.type,
    path: declared.path,
    table: declared.table,
    description: declared.description,
    id: idField(declared),
    fields: new Map(fields),
  }
}

const idColumn = (declared: ResourceDeclaration | undefined): string => declared?.id ?? 'id'

function idField(declared: ResourceDeclaration): AttributeField {
  return {
    is: 'attribute',
    name: 'id',
    kind: kinds.id,
    column: idColumn(declared),
    required: true,
    reads: true,
    writes: false,
    filters: true,
    sorts: true,
  }
}

function settled(
  name: string,
  field: FieldDeclaration,
  declared: ResourceDeclaration,
  all: readonly ResourceDeclaration[],
): Field {
  switch (field.is) {
    case 'attribute':
      return attributeField(name, field)
    case 'computed':
      return {
        is: 'computed',
        name,
        kind: field.kind,
        columns: Object.entries(field.columns),
        compute: field.compute,
      }
    case 'toOne': {
      const target = all.find(({ type }) => type === field.to)
      const link: Link = { here: field.column, there: idColumn(target), key: 'here' }
      return { is: 'relationship', name, many: false, to: field.to, link }
    }
    case 'toMany': {
      const link: Link = { here: idColumn(declared), there: field.column, key: 'there' }
      return { is: 'relationship', name, many: true, to: field.to, link }
    }
  }
}

function attributeField(name: string, field: Attribute): AttributeField {
  const access = field.access ?? 'read-write'
  const reads = access !== 'write-only'
  return {
    is: 'attribute',
    name,
    kind: field.kind,
    column: field.column ?? name,
    required: field.required ?? false,
    reads,
    writes: access !== 'read-only',
    filters: field.filter ?? reads,
    sorts: field.sort ?? reads,
  }
}
