import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { FormName } from './codecs.ts'
import type { Bound } from './dialect.ts'
import type { ColumnUse, Computed, Expression } from './fields.ts'
import type { Hooks } from './hooks.ts'
import type { Kind } from './kinds.ts'

/** A table or view, in a schema or wherever the database looks first. */
export interface Table {
  readonly schema: string | undefined
  readonly name: string
}

/** A value that rows hold, and its form: a column, or what an expression field of the type computes. */
export type StoredValue =
  | Readonly<{ column: string; form: FormName }>
  | Readonly<{ expression: string; form: FormName }>

/** An attribute as requests meet it: every default filled in. */
export interface AttributeField {
  readonly is: 'attribute'
  readonly name: string
  readonly kind: Kind<unknown>
  /** Where it is stored; `undefined` for one that the database computes. */
  readonly column: string | undefined
  /** Reads it from a row; a column's is the column. */
  readonly expression: Expression
  readonly required: boolean
  readonly reads: boolean
  readonly writes: boolean
  /** Written when the resource is created, never changed. */
  readonly isFixed: boolean
  readonly filters: boolean
  readonly sorts: boolean
  /** What a create without it stores; `undefined` leaves it to the column. */
  readonly makeDefault: (() => unknown) | undefined
  readonly validate: StandardSchemaV1 | undefined
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
 * How rows of one table lead to rows of another: where `here` of the one equals `there` of the other, or where a join table
 * has a row with the one in `from` and the other in `to`. `key` says where the reference stands, so which row a write changes.
 */
export type Link =
  | Readonly<{ key: 'here' | 'there'; here: string; there: string }>
  | Readonly<{
      key: 'between'
      here: string
      there: string
      table: Table
      from: string
      to: string
    }>

/** A relationship as requests meet it. */
export interface RelationshipField {
  readonly is: 'relationship'
  readonly name: string
  readonly many: boolean
  readonly to: string
  readonly link: Link
  readonly writes: boolean
}

/** Any field of a checked resource type. */
export type Field = AttributeField | ComputedField | RelationshipField

/** A resource type once everything said of it is known to hold. */
export interface ResourceType {
  readonly type: string
  readonly path: string
  readonly table: Table
  readonly description: string | undefined
  readonly id: AttributeField & { readonly column: string }
  /** Whether clients give ids, and who makes those they do not give. */
  readonly ids: Readonly<{ client: 'refused' | 'optional' | 'required'; by: 'database' | 'server' }>
  /** What makes a row one of the type; `undefined` when all are. */
  readonly where: Expression | undefined
  readonly newRows: readonly (readonly [column: string, value: Bound | boolean])[]
  readonly writes: boolean
  readonly validate: StandardSchemaV1 | undefined
  readonly hooks: Hooks
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
  /**
   * The largest `page[size]`; `page[size]=0`, which asks for everything, is refused. Default 1000, or `pageSize` where that
   * is larger; `null` for none.
   */
  readonly maxPageSize?: number | null | undefined
}

/** What exists and what may be asked: every resource type, and the choices of the service. */
export interface Model {
  readonly types: ReadonlyMap<string, ResourceType>
  readonly clientIds: 'discard' | 'forbid'
  readonly idMismatch: 'discard' | 'conflict'
  readonly pageSize: number
  /** The largest `page[size]`; `undefined` for none. */
  readonly maxPageSize: number | undefined
}

/** The resource type of that name, which the model is known to have: plans only ever carry names it gave out. */
export function typeNamed(model: Model, type: string): ResourceType {
  const found = model.types.get(type)
  if (found === undefined) throw new Error(`The model has no resource type ${type}.`)
  return found
}

/** The relationship of that name, which the type is known to have. */
export function relationshipNamed(resource: ResourceType, name: string): RelationshipField {
  const field = relationshipOf(resource, name)
  if (field === undefined) throw new Error(`${resource.type} has no relationship ${name}.`)
  return field
}

/** The relationship of that name, or `undefined` for attributes and unknown names. */
export function relationshipOf(
  resource: ResourceType,
  name: string,
): RelationshipField | undefined {
  const field = resource.fields.get(name)
  return field?.is === 'relationship' ? field : undefined
}

/** The same link as the other side has it. */
export function reversed(link: Link): Link {
  const { here, there } = link
  if (link.key === 'between')
    return { ...link, here: there, there: here, from: link.to, to: link.from }
  return { key: link.key === 'here' ? 'there' : 'here', here: there, there: here }
}

/** The relationship that the other side declares over the same columns, if it does. */
export function inverseOf(
  model: Model,
  resource: ResourceType,
  field: RelationshipField,
): RelationshipField | undefined {
  const there = JSON.stringify(ordered(reversed(field.link)))
  for (const other of typeNamed(model, field.to).fields.values()) {
    if (other.is !== 'relationship' || other.to !== resource.type || other === field) continue
    if (JSON.stringify(ordered(other.link)) === there) return other
  }
  return undefined
}

/** A link with its members in one order, whoever made it. */
function ordered({ key, here, there, ...join }: Link): unknown {
  return [key, here, there, 'table' in join ? [join.table, join.from, join.to] : []]
}
