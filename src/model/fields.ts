import type { Kind } from './kinds.ts'

/** Who may do what with an attribute's value: told, accepted in bodies, or both. */
export type Access = 'read-write' | 'read-only' | 'write-only'

/** What a declaration may say of an attribute beside its kind. */
export interface AttributeOptions {
  /** A create without it, or with null, is refused; an update may leave it out but not clear it. Default: no. */
  readonly required?: boolean
  /** Default `read-write`. */
  readonly access?: Access
  /** The stored column; default: the field's name. */
  readonly column?: string
  /** May be filtered on; default: whether it may be read. */
  readonly filter?: boolean
  /** May be sorted by; default: whether it may be read. */
  readonly sort?: boolean
}

/** An attribute kept in a column. */
export interface Attribute<Value = unknown> extends AttributeOptions {
  readonly is: 'attribute'
  readonly kind: Kind<Value>
}

/** A stored column as a computed field uses it. */
export interface ColumnUse<Value = unknown, Nullable extends boolean = boolean> {
  readonly kind: Kind<Value>
  readonly nullable: Nullable
}

/** An attribute made from columns each time it is told; never stored, filtered or sorted by. */
export interface Computed {
  readonly is: 'computed'
  readonly kind: Kind<unknown>
  readonly columns: Readonly<Record<string, ColumnUse>>
  /** Takes the values by column name; returns the field's value or null. */
  readonly compute: (values: Readonly<Record<string, unknown>>) => unknown
}

/** At most one related resource; the key stands in a column of this table. */
export interface ToOne<Type extends string = string> {
  readonly is: 'toOne'
  readonly to: Type
  readonly column: string
}

/** Any number of related resources; the key stands in a column of their table. */
export interface ToMany<Type extends string = string> {
  readonly is: 'toMany'
  readonly to: Type
  readonly column: string
}

/** Whatever a resource can declare under a name. */
export type FieldDeclaration = Attribute | Computed | ToOne | ToMany

/**
 * Declares an attribute kept in a column.
 * @param kind - what its values are, e.g. `text`
 */
export function attribute<Value>(kind: Kind<Value>, options: AttributeOptions = {}): Attribute {
  return { is: 'attribute', kind, ...options }
}

/** Says of a column that it is never null, so that `compute` gets a plain value; checked against the table at start. */
export function notNull<Value>(kind: Kind<Value>): ColumnUse<Value, false> {
  return { kind, nullable: false }
}

type Columns = Readonly<Record<string, Kind<unknown> | ColumnUse<unknown, false>>>
type ValuesOf<C extends Columns> = {
  readonly [Name in keyof C]: C[Name] extends ColumnUse<infer Value, false>
    ? Value
    : C[Name] extends Kind<infer Value>
      ? Value | null
      : never
}

/**
 * Declares an attribute computed from stored columns.
 *
 * @param kind - what it tells
 * @param columns - the columns it needs and their kinds; a value is `null` where the column is, unless `notNull`
 * @param compute - a pure function of those values; called only when the field is asked for
 */
export function computed<Value, const C extends Columns>(
  kind: Kind<Value>,
  columns: C,
  compute: (values: ValuesOf<C>) => NoInfer<Value> | null,
): Computed {
  const uses = Object.entries(columns).map(([name, use]) => {
    const column: ColumnUse = 'nullable' in use ? use : { kind: use, nullable: true }
    return [name, column] as const
  })
  return {
    is: 'computed',
    kind,
    columns: Object.fromEntries(uses),
    // The store hands over exactly the declared columns, read as their declared kinds.
    compute: compute as unknown as Computed['compute'],
  }
}

/**
 * Declares a relationship to at most one resource.
 * @param to - the type it leads to
 * @param options.column - the column of this table that holds the other's id
 */
export function toOne<const Type extends string>(
  to: Type,
  options: { readonly column: string },
): ToOne<Type> {
  return { is: 'toOne', to, ...options }
}

/**
 * Declares a relationship to any number of resources.
 * @param to - the type it leads to
 * @param options.column - the column of *their* table that holds this one's id
 */
export function toMany<const Type extends string>(
  to: Type,
  options: { readonly column: string },
): ToMany<Type> {
  return { is: 'toMany', to, ...options }
}
