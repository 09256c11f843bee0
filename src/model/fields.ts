import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Sql } from './dialect.ts'
import type { Kind } from './kinds.ts'

/**
 * Who may do what with an attribute's value: told, accepted in bodies, or both. `write-once` is told, and accepted when the
 * resource is created; an update may repeat it but not change it.
 */
export type Access = 'read-write' | 'read-only' | 'write-only' | 'immutable'

/** A SQL expression over columns of the resource's own table; `column` writes one by its name. Pure. */
export type Expression = (column: (name: string) => Sql) => Sql

/** What a declaration may say of an attribute beside its kind. */
export interface AttributeOptions<Value = unknown> {
  /** A create without it, or with null, is refused; an update may leave it out but not clear it. Default: no. */
  readonly required?: boolean
  /** Default `read-write`. */
  readonly access?: Access
  /** The stored column; default: the field's name. */
  readonly column?: string
  /** May be filtered on; default: whether it may be read. */
  readonly filter?: boolean
  /** May be sorted by; default: whether it may be read and its kind has an order. */
  readonly sort?: boolean
  /** What a create without it stores, or a function that makes it; absent: the column's own default. */
  readonly default?: Value | (() => Value)
  /** Checks, and may change, each value that a body brings and the kind has read; null is not brought before it. */
  readonly validate?: StandardSchemaV1<Value, Value>
}

/** An attribute kept in a column. */
export interface Attribute<Value = unknown> extends AttributeOptions<Value> {
  readonly is: 'attribute'
  readonly kind: Kind<Value>
}

/** An attribute that the database computes; told, filtered on and sorted by, never written. */
export interface ExpressionField<Value = unknown> {
  readonly is: 'expression'
  readonly kind: Kind<Value>
  readonly expression: Expression
  readonly filter?: boolean
  readonly sort?: boolean
}

/** A stored column as a computed field uses it. */
export interface ColumnUse<Value = unknown, Nullable extends boolean = boolean> {
  readonly kind: Kind<Value>
  readonly nullable: Nullable
}

/** An attribute made from columns each time it is told; never stored, filtered or sorted by. */
export interface Computed<Value = unknown> {
  readonly is: 'computed'
  readonly kind: Kind<Value>
  readonly columns: Readonly<Record<string, ColumnUse>>
  /** Takes the values by column name; returns the field's value or null. */
  readonly compute: (values: Readonly<Record<string, unknown>>) => unknown
}

/** What a declaration may say of any relationship. */
interface RelationshipOptions {
  /** `read-only`: told and followed, never written. Default `read-write`. */
  readonly access?: 'read-write' | 'read-only'
}

/** A relationship over a column that holds a key. */
export interface KeyOptions extends RelationshipOptions {
  /** The column that holds the key. */
  readonly column: string
  /** The column that the key refers to; default: that of the ids. */
  readonly references?: string
}

/** At most one related resource. */
export interface ToOne<Type extends string = string> extends KeyOptions {
  readonly is: 'toOne'
  readonly to: Type
  /** Whose column it is: this table's (`here`, the default), or theirs (`there`), which must then be unique. */
  readonly foreignKey?: 'own' | 'other'
}

/** A join table: a row for each link, with the keys of both sides. Its other columns are left alone. */
export interface JoinTable {
  readonly table: string
  /** The schema of the join table; default: the database's own choice. */
  readonly schema?: string
  /** The column that holds the id of this side. */
  readonly from: string
  /** The column that holds the id of the other side. */
  readonly to: string
}

/** A relationship over a join table. */
export interface ThroughOptions extends RelationshipOptions {
  readonly through: JoinTable
}

/** Any number of related resources; the key stands in a column of their table, or both keys in a join table. */
export type ToMany<Type extends string = string> = (KeyOptions | ThroughOptions) & {
  readonly is: 'toMany'
  readonly to: Type
}

/** Whatever a resource can declare under a name. */
export type FieldDeclaration = Attribute | ExpressionField | Computed | ToOne | ToMany

/**
 * Declares an attribute kept in a column.
 * @param kind - what its values are, e.g. `text`
 */
export function attribute<Value>(
  kind: Kind<Value>,
  options: AttributeOptions<NoInfer<Value>> = {},
): Attribute<Value> {
  return { is: 'attribute', kind, ...options }
}

/**
 * Declares an attribute that the database computes, so that it can be filtered on and sorted by.
 *
 * @param kind - what it tells
 * @param write - writes the SQL, e.g. `` (column) => sql`${column('price')} * ${column('amount')}` ``; tables named `t0`,
 *   `t1`, …, `j1`, …, `s1`, … are the engine's own
 */
export function expression<Value>(
  kind: Kind<Value>,
  write: Expression,
  options: Pick<AttributeOptions, 'filter' | 'sort'> = {},
): ExpressionField<Value> {
  return { is: 'expression', kind, expression: write, ...options }
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
): Computed<Value> {
  const uses = Object.entries(columns).map(([name, use]) => {
    const column: ColumnUse = isUse(use) ? use : { kind: use, nullable: true }
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

/** Whether it is more than a kind; whoever writes no TypeScript may say anything at all, which the start finds. */
function isUse(use: Kind<unknown> | ColumnUse): use is ColumnUse {
  return use instanceof Object && 'nullable' in use
}

/**
 * Declares a relationship to at most one resource.
 * @param to - the type it leads to
 * @param options - the column that holds the key, and whose it is
 */
export function toOne<const Type extends string>(
  to: Type,
  options: Omit<ToOne, 'is' | 'to'>,
): ToOne<Type> {
  return { is: 'toOne', to, ...options }
}

/**
 * Declares a relationship to any number of resources.
 * @param to - the type it leads to
 * @param options - the column of *their* table that holds this one's id, or the join table
 */
export function toMany<const Type extends string>(
  to: Type,
  options: KeyOptions | ThroughOptions,
): ToMany<Type> {
  return { is: 'toMany', to, ...options }
}
