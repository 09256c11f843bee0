import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { CodecName } from './codecs.ts'
import type { BoundValue } from './dialect.ts'
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
  | Readonly<{ column: string; form: CodecName }>
  | Readonly<{ expression: string; form: CodecName }>

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
  readonly isReadable: boolean
  readonly isWritable: boolean
  /** Written when the resource is created, never changed. */
  readonly isImmutable: boolean
  readonly isFilterable: boolean
  readonly isSortable: boolean
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
  | Readonly<{ foreignKey: 'own' | 'other'; ownKey: string; otherKey: string }>
  | Readonly<{
      foreignKey: 'join table'
      ownKey: string
      otherKey: string
      joinTable: Table
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
  readonly isWritable: boolean
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
  readonly scope: Expression | undefined
  readonly insertDefaults: readonly (readonly [column: string, value: BoundValue | boolean])[]
  readonly isWritable: boolean
  readonly validate: StandardSchemaV1 | undefined
  readonly hooks: Hooks
  /** By name, in the order of the declaration; `id` is not among them. */
  readonly fields: ReadonlyMap<string, Field>
}

/** How the documents' open choices are settled. */
export interface ModelOptions {
  /** An `id` in a create's body: ignored, or rejected with 403 (`docs/service.md`, Endpoints). Default `discard`. */
  readonly clientIds?: 'discard' | 'forbid'
  /** An `id` in an update's body that is not the path's: ignored, or rejected with 409. Default `discard`. */
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
export function getResourceType(model: Model, type: string): ResourceType {
  const found = model.types.get(type)
  if (found === undefined) throw new Error(`The model has no resource type ${type}.`)
  return found
}

/** The relationship of that name, which the type is known to have. */
export function getRelationship(resource: ResourceType, name: string): RelationshipField {
  const field = findRelationship(resource, name)
  if (field === undefined) throw new Error(`${resource.type} has no relationship ${name}.`)
  return field
}

/** The relationship of that name, or `undefined` for attributes and unknown names. */
export function findRelationship(
  resource: ResourceType,
  name: string,
): RelationshipField | undefined {
  const field = resource.fields.get(name)
  return field?.is === 'relationship' ? field : undefined
}

/** Returns the same link seen from the other side. */
export function reverseLink(link: Link): Link {
  const { ownKey, otherKey } = link
  if (link.foreignKey === 'join table')
    return { ...link, ownKey: otherKey, otherKey: ownKey, from: link.to, to: link.from }
  const foreignKey = link.foreignKey === 'own' ? 'other' : 'own'
  return { foreignKey, ownKey: otherKey, otherKey: ownKey }
}

/** The relationship that the other side declares over the same columns, if it does. */
export function findInverse(
  model: Model,
  resource: ResourceType,
  field: RelationshipField,
): RelationshipField | undefined {
  const there = JSON.stringify(toComparable(reverseLink(field.link)))
  for (const other of getResourceType(model, field.to).fields.values()) {
    if (other.is !== 'relationship' || other.to !== resource.type || other === field) continue
    if (JSON.stringify(toComparable(other.link)) === there) return other
  }
  return undefined
}

/** A link as an array, so that equal links have equal JSON text. */
function toComparable({ foreignKey, ownKey, otherKey, ...join }: Link): unknown {
  const joinTable = 'joinTable' in join ? [join.joinTable, join.from, join.to] : []
  return [foreignKey, ownKey, otherKey, joinTable]
}
