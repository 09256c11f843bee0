/**
 * The kind of an attribute or of ids. `id` is a whole number that the database generates. `key` is an id over two columns, a
 * whole number of three digits and a text, which is one value in the reference.
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

/** A value of JSON. Whole numbers beyond the exact range of a double are `bigint`s. */
export type JsonValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue }

/**
 * A value in a row of the reference. Whole numbers, decimals, instants and times of day are `bigint`s, so that they are compared
 * as numbers; `reference-kinds.ts` defines their units.
 */
export type Value = JsonValue

/** A stored row: values by column. */
export type Row = Readonly<Record<string, Value>>

/** The column of an attribute, its access, and how it is computed. */
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
  /** Computes it, if it has no column. */
  readonly of?: (row: Row, data: Data) => Value
  /** Of decimals: digits after the point. */
  readonly scale?: number
  /** Of 64-bit whole numbers: those beyond 2^53 are returned as strings. */
  readonly largeValuesAs?: 'string'
  /** Of whole numbers: the largest distance from 0, so that sums stay exact. */
  readonly range?: number
  /** Of enumerations. */
  readonly values?: readonly string[]
}

/** The columns of both sides that are equal, or the columns of a join table. */
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

/** A relationship and the columns that store it. */
export interface RelationshipDescription {
  readonly to: string
  readonly many: boolean
  /** Whether requests may count its related resources. Default: no. */
  readonly isCounted?: boolean
  readonly link: LinkDescription
  /** Default `read-write`. */
  readonly access?: 'read-only'
}

/** A resource type. */
export interface TypeDescription {
  readonly path: string
  readonly table: string
  /** `client`: whether a create may or must have an id; default: the id is ignored. */
  readonly id: Readonly<{ column: string; kind: Kind; client?: 'optional' | 'required' }>
  /** The rows of the table that are of the type; default: all. */
  readonly scope?: (row: Row) => boolean
  /** The values of columns without an attribute in rows that the type creates. */
  readonly insertDefaults?: Row
  readonly attributes: Readonly<Record<string, AttributeDescription>>
  readonly relationships: Readonly<Record<string, RelationshipDescription>>
}

/** The constraints of a table. */
export interface TableDescription {
  /** Columns with unique values, except for null. */
  readonly unique?: readonly string[]
  /** Foreign keys, and the effect on a row when the referenced one is deleted. */
  readonly references?: Readonly<
    Record<string, Readonly<{ table: string; column: string; onDelete: 'set null' | 'cascade' }>>
  >
}

/** The schema of a service for the reference: its types and its tables, by name. */
export interface Schema {
  readonly types: Readonly<Record<string, TypeDescription>>
  readonly tables: Readonly<Record<string, TableDescription>>
}

/** The rows of the reference, by table. */
export interface Data {
  readonly schema: Schema
  readonly tables: Readonly<Record<string, readonly Row[]>>
}

/** The description of a type. @throws Error if there is none, which is an error of the test */
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

/** The names of the attributes that filters may use, with `id`. */
export function filterable(schema: Schema, type: string): string[] {
  const { attributes } = getType(schema, type)
  return ['id', ...Object.keys(attributes).filter((name) => attributes[name]?.filters ?? true)]
}

/** Whether an attribute is returned. */
export function isReadable({ access }: AttributeDescription): boolean {
  return access !== 'write-only'
}

/** Returns a value that is not `undefined`. @throws Error with its name otherwise */
export function known<Thing>(thing: Thing | undefined, name: string): Thing {
  if (thing === undefined) throw new Error(`the reference knows no ${name}`)
  return thing
}
