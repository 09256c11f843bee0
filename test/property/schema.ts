/**
 * What the values of an attribute, or of ids, are; `id` is a whole number that the database gives. `key` is an id over two columns, a
 * whole number of three digits and a text: the reference holds it as one value.
 */
export type Kind =
  | 'id'
  | 'key'
  | 'text'
  | 'email'
  | 'url'
  | 'integer'
  | 'integer64'
  | 'decimal'
  | 'number'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'time'
  | 'uuid'
  | 'enumeration'
  | 'json'
  | 'bytes'

/** Any value of JSON; whole numbers that a double may not hold are `bigint`s. */
export type JsonValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue }

/**
 * What a cell of a reference row holds. Whole numbers, decimals, instants and times of day are `bigint`s, so that they
 * compare as numbers do; `reference-kinds.ts` says in which unit.
 */
export type Value = JsonValue

/** A stored row: values by column. */
export type Row = Readonly<Record<string, Value>>

/** Where an attribute is kept, who may do what with it, and what it is computed from. */
export interface AttributeDescription {
  readonly kind: Kind
  /** Default: the attribute's name. */
  readonly column?: string
  /** A create without it, or with null, is rejected. */
  readonly required?: boolean
  /** Default `read-write`. */
  readonly access?: 'read-write' | 'read-only' | 'write-only' | 'immutable'
  /** Default: yes. */
  readonly filters?: boolean
  /** Default: whether it is returned and its kind has an order. */
  readonly sorts?: boolean
  /** How it is computed, for one that has no column. */
  readonly of?: (row: Row, data: Data) => Value
  /** Of decimals: digits after the point. */
  readonly scale?: number
  /** Of 64-bit whole numbers: those beyond 2^53 are returned as strings. */
  readonly largeValuesAs?: 'string'
  /** Of whole numbers: how far from 0 any is, so that sums of them stay exact. */
  readonly range?: number
  /** Of enumerations. */
  readonly values?: readonly string[]
}

/** Which cells of both sides are equal, or stand side by side in a join table. */
export type LinkDescription =
  | Readonly<{ foreignKey: 'own' | 'other'; ownKey: string; otherKey: string }>
  | Readonly<{
      foreignKey: 'join table'
      ownKey: string
      otherKey: string
      joinTable: string
      from: string
      to: string
    }>

/** A relationship and the columns that it is kept in. */
export interface RelationshipDescription {
  readonly to: string
  readonly many: boolean
  /** Whether requests may count what it leads to. Default: no. */
  readonly isCounted?: boolean
  readonly link: LinkDescription
  /** Default `read-write`. */
  readonly access?: 'read-only'
}

/** A resource type. */
export interface TypeDescription {
  readonly path: string
  readonly table: string
  /** `client`: whether a create may or must bring the id; default: it is discarded. */
  readonly id: Readonly<{ column: string; kind: Kind; client?: 'optional' | 'required' }>
  /** Which rows of the table are of the type; absent: all. */
  readonly scope?: (row: Row) => boolean
  /** What rows that the type creates hold in columns of no attribute of it. */
  readonly insertDefaults?: Row
  readonly attributes: Readonly<Record<string, AttributeDescription>>
  readonly relationships: Readonly<Record<string, RelationshipDescription>>
}

/** What a table demands of its rows. */
export interface TableDescription {
  /** Columns whose values, but for null, are each there once. */
  readonly unique?: readonly string[]
  /** Foreign keys, and what becomes of a row when the one it refers to is deleted. */
  readonly references?: Readonly<
    Record<string, Readonly<{ table: string; column: string; onDelete: 'set null' | 'cascade' }>>
  >
}

/** Everything that the reference knows of a service: its types by name, its tables by name. */
export interface Schema {
  readonly types: Readonly<Record<string, TypeDescription>>
  readonly tables: Readonly<Record<string, TableDescription>>
}

/** All rows that a reference response is computed from, by table. */
export interface Data {
  readonly schema: Schema
  readonly tables: Readonly<Record<string, readonly Row[]>>
}

/** The description of a type; throws when there is none, for then the test itself is wrong. */
export function getType({ types }: Schema, type: string): TypeDescription {
  return known(types[type], `type ${type}`)
}

/** The description of an attribute, or of `id`. */
export function getAttribute(schema: Schema, type: string, name: string): AttributeDescription {
  const { id, attributes } = getType(schema, type)
  return name === 'id' ? id : known(attributes[name], `attribute ${type}.${name}`)
}

/** The description of a relationship. */
export function getRelationship(
  schema: Schema,
  type: string,
  name: string,
): RelationshipDescription {
  return known(getType(schema, type).relationships[name], `relationship ${type}.${name}`)
}

/** Whether a type has a relationship of that name. */
export function isRelationship(schema: Schema, type: string, name: string): boolean {
  return Object.hasOwn(getType(schema, type).relationships, name)
}

/** The names of the attributes that a filter may ask for, `id` among them. */
export function filterable(schema: Schema, type: string): string[] {
  const { attributes } = getType(schema, type)
  return ['id', ...Object.keys(attributes).filter((name) => attributes[name]?.filters ?? true)]
}

/** Whether an attribute is returned. */
export function isReadable({ access }: AttributeDescription): boolean {
  return access !== 'write-only'
}

/** What of a thing is there, or an error that names the thing. */
export function known<Thing>(thing: Thing | undefined, name: string): Thing {
  if (thing === undefined) throw new Error(`the reference knows no ${name}`)
  return thing
}
