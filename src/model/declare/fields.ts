import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { JsonPaths } from '../kinds/json-paths.ts'
import type { Kind, OperatorLevel } from '../kinds/kinds.ts'
import type { NoOperators } from '../kinds/operators.ts'
import type { Sql } from '../sql.ts'
import type { AuthValue, FieldAccess, LinkAccess } from './access.ts'
import type { Computed } from './computed.ts'
import type { Described } from './described.ts'

/**
 * Whether clients can read an attribute, write it, or both. An `immutable` attribute is readable, and a create can set it;
 * an update may repeat its value but not change it.
 */
export type Access = 'read-write' | 'read-only' | 'write-only' | 'immutable'

/**
 * Writes a SQL expression over columns of the type's own table; `column` quotes a column name. A pure function: it runs when a
 * statement is compiled, not for each request, so it must not read anything that changes, such as the user of a request.
 * `${auth(…)}` binds a value of the auth context of each request.
 */
export type Expression = (column: (name: string) => Sql) => Sql

/**
 * What happens when a stored value does not belong to the kind of its attribute, e.g. `abc` in a column of integers: the request
 * fails with 500 and the log names the table, the column, the id and the value (`error`), or the value is returned as null with
 * a warning (`null` and `lenient`). Filters and sorts see null too with `null`; with `lenient` they compare what is stored, so that
 * indexes serve them.
 */
export type InvalidValues = 'error' | 'null' | 'lenient'

/** A text index of the database, which serves the operator `match`. A declaration for both databases has both members. */
export interface TextIndex {
  /** SQLite: an FTS5 table with the text in a column of the same name, and the rowid of its row. */
  readonly fts?: string
  /** PostgreSQL: the column with the words of the text, of the type `tsvector`. */
  readonly tsvector?: string
  /** PostgreSQL: the text search configuration with which the column was made. Default `simple`. */
  readonly config?: string
}

/** The default of an attribute: a value, or a function that returns one. */
export type DefaultValue<Value = unknown> = Value | (() => Value)

/** A schema of any Standard Schema library that takes values of an attribute and returns them, transformed or not. */
export interface Validator<Value> extends StandardSchemaV1<Value, Value> {}

/**
 * The options of an attribute.
 * @typeParam IsRequired - the option `required`
 * @typeParam Rights - the option `access`
 * @typeParam Default - the option `default`; `undefined` without one
 * @typeParam Paths - the option `paths`
 */
export interface AttributeOptions<
  Value = unknown,
  IsRequired extends boolean = boolean,
  Rights extends Access = Access,
  Default extends DefaultValue<Value> | undefined = DefaultValue<Value> | undefined,
  Paths extends JsonPaths = JsonPaths,
> extends FieldAccess,
    Described {
  /** If true, a create must send a value, and no write may set it to null. Default false. */
  readonly required?: IsRequired
  /** False if it is never null, but a create need not send it: the column has a default. Default: true unless `required`. */
  readonly nullable?: boolean
  /** Default `read-write`, or `immutable` with `set`. */
  readonly access?: Rights
  /** The column that stores it. Default: the field's name. */
  readonly column?: string
  /** If true, clients can filter by it. Default: true if clients can read it. */
  readonly filter?: boolean
  /** If true, clients can sort by it. Default: true if clients can read it and its kind has an order. */
  readonly sort?: boolean
  /** The value that a create without one stores, or a function that returns it. Default: the column's own default. */
  readonly default?: Default
  /**
   * The value that every create stores, from the auth context. A create with a value of the client is rejected with 403. The field is
   * `immutable` unless `access` is given, e.g. `read-write` for one that updates may change.
   */
  readonly set?: AuthValue
  /** Validates, and may transform, each value that a client sends, except null. Gets values that the kind has read. */
  readonly validate?: Validator<Value>
  /** The text index that serves the operator `match`. Default: none, so that `match` reads the text of every row. */
  readonly match?: TextIndex
  /** The values inside JSON that clients can filter and sort by, e.g. `{ 'address.city': text }`. Only for the kind `json`. */
  readonly paths?: Paths
  /**
   * What happens when a stored value does not belong to the kind. With `null` filters and sorts see null too, and use no index for
   * anything but `eq` and `in_`. Default: the option `invalidValues` of the model.
   */
  readonly invalidValues?: InvalidValues
}

/**
 * A declared attribute that is stored in a column. Its type carries the options on which the types of resources depend.
 * @typeParam HasDefault - whether it has the option `default`
 * @typeParam Level - the operators of its kind
 */
export interface Attribute<
  Value = unknown,
  IsRequired extends boolean = boolean,
  Rights extends Access = Access,
  HasDefault extends boolean = boolean,
  Level extends OperatorLevel = OperatorLevel,
> extends AttributeOptions<Value, IsRequired, Rights, DefaultIf<HasDefault, Value>> {
  readonly is: 'attribute'
  readonly kind: Kind<Value, Level>
}

/** An attribute with the operators of its kind, if it has any of its own. */
type WithKindOperators<Field, Operators extends object> = [keyof Operators] extends [never]
  ? Field
  : Field & { readonly kind: { readonly customOperators: Operators } }

/** An attribute with the option `paths`, if it has any. */
type WithPaths<Field extends Attribute, Paths extends JsonPaths> = [keyof Paths] extends [never]
  ? Field
  : Field & { readonly paths: Paths }

/** A field with an option, if it has one. */
type With<Option extends string, Value, Field> = [Value] extends [undefined]
  ? Field
  : Field & Readonly<Record<Option, Value>>

type DefaultIf<HasDefault extends boolean, Value> = HasDefault extends true
  ? DefaultValue<Value>
  : undefined

/** A declared attribute that the database computes. It can be read, filtered and sorted, but not written. */
export interface ExpressionField<Value = unknown, Level extends OperatorLevel = OperatorLevel>
  extends Pick<FieldAccess, 'readable' | 'filterable' | 'sortable'>,
    Described {
  readonly is: 'expression'
  readonly kind: Kind<Value, Level>
  readonly expression: Expression
  readonly filter?: boolean
  readonly sort?: boolean
  readonly invalidValues?: InvalidValues
}

/** Whether clients can write the resources of a type. They can read them in any case. */
export type WriteAccess = 'read-write' | 'read-only'

/** Whether clients can write a relationship: always, never, or only when they create the resource (`immutable`). */
export type RelationshipAccess = WriteAccess | 'immutable'

/** The options of every relationship. */
interface RelationshipOptions<Rights extends RelationshipAccess = RelationshipAccess>
  extends Pick<FieldAccess, 'readable' | 'writable'>,
    LinkAccess,
    Described {
  /**
   * `read-only`: clients can read it and filter by it, but not write it. `immutable`: a create can set it, and nothing else; an
   * update may repeat it. Default `read-write`, or `immutable` with `set`.
   */
  readonly access?: Rights
}

/** The options of a relationship with a foreign key in one of the two tables. */
export interface KeyOptions<Rights extends RelationshipAccess = RelationshipAccess>
  extends RelationshipOptions<Rights> {
  /** The foreign key column, or the columns of a composite foreign key. */
  readonly column: string | readonly string[]
  /** The referenced column, or the referenced columns in the order of `column`. Default: those of the id. */
  readonly references?: string | readonly string[]
}

/** The options of a relationship to at most one resource. */
export interface ToOneOptions<Rights extends RelationshipAccess = RelationshipAccess>
  extends KeyOptions<Rights> {
  /** If true, a create must send a resource, and no write may set it to null. For an own foreign key. Default false. */
  readonly required?: boolean
  /**
   * False if it is never null, but a create need not send it: the column has a default. True beside `required` if responses may have
   * null all the same, because the related resource is hidden. Default: true unless it is `required`.
   */
  readonly nullable?: boolean
  /** The table with the foreign key: this type's `own`, the default, or the `other`, where the column must be unique. */
  readonly foreignKey?: 'own' | 'other'
  /**
   * Whether every key in the own table references an existing row, so that it is the linkage without a lookup. Default: true if the
   * database has a foreign key for the column, otherwise false. A key that references nothing is null in responses.
   */
  readonly enforced?: boolean
  /**
   * The id that every create stores in the own foreign key, from the auth context. A create with a value of the client is rejected with
   * 403. The relationship is `immutable` unless `access` is given.
   */
  readonly set?: AuthValue
}

/** A declared relationship to at most one resource. */
export interface ToOne<
  Type extends string = string,
  Rights extends RelationshipAccess = RelationshipAccess,
> extends ToOneOptions<Rights> {
  readonly is: 'toOne'
  readonly to: Type
}

/** A join table: each row links two resources. Other columns of the table keep their defaults. */
export interface JoinTable {
  readonly table: string
  /** The schema of the join table. Default: the database searches its default schemas. */
  readonly schema?: string
  /** The column with the id of this type, or the columns in the order of the id. */
  readonly from: string | readonly string[]
  /** The column with the id of the other type, or the columns in the order of the id. */
  readonly to: string | readonly string[]
}

/** Which members of each resource a document has where an include path follows a relationship. */
export interface IncludeOptions {
  /** The most members of each resource without `includePage[path][size]`. Default: `maxSize`, or all members. */
  readonly size?: number
  /** The largest `includePage[path][size]`. Default: the option `maxPageSize` of the model, which is never exceeded. */
  readonly maxSize?: number
  /** The order of the members without `includeSort[path]`, as the parameter `sort` has it. Default: by id. */
  readonly sort?: string
}

/** The options of every relationship to any number of resources. */
interface CountOptions<IsCounted extends boolean = boolean> {
  /** The first members that a document has where an include path follows the relationship. Default: all members. */
  readonly include?: IncludeOptions
  /** If true, clients can request the number of related resources, filter by it and sort by it. Default false. */
  readonly count?: IsCounted
}

/** The options of a relationship with a join table. */
export interface ThroughOptions<
  Rights extends RelationshipAccess = RelationshipAccess,
  IsCounted extends boolean = boolean,
> extends RelationshipOptions<Rights>,
    CountOptions<IsCounted> {
  readonly through: JoinTable
}

/** The options of a relationship to any number of resources: the foreign key column of their table, or a join table. */
export type ColumnOrThrough<
  Rights extends RelationshipAccess = RelationshipAccess,
  IsCounted extends boolean = boolean,
> = (KeyOptions<Rights> & CountOptions<IsCounted>) | ThroughOptions<Rights, IsCounted>

/**
 * A declared relationship to any number of resources: with a foreign key in their table, or a join table.
 * @typeParam IsCounted - the option `count`
 */
export type ToMany<
  Type extends string = string,
  Rights extends RelationshipAccess = RelationshipAccess,
  IsCounted extends boolean = boolean,
> = ColumnOrThrough<Rights, IsCounted> & {
  readonly is: 'toMany'
  readonly to: Type
}

/** Any declared field. */
export type FieldDeclaration = Attribute | ExpressionField | Computed | ToOne | ToMany

/** The declared fields of a type, by name. */
export type FieldDeclarations = Readonly<Record<string, FieldDeclaration>>

/**
 * Declares an attribute that is stored in a column.
 * @param kind - the data type of its values, e.g. `text`
 */
export function attribute<
  Value,
  const IsRequired extends boolean = false,
  const Rights extends Access = 'read-write',
  const Default extends DefaultValue<Value> | undefined = undefined,
  const Level extends OperatorLevel = OperatorLevel,
  const Paths extends JsonPaths = Record<never, never>,
  const Operators extends object = NoOperators,
  const IsNullable extends boolean | undefined = undefined,
>(
  kind: Kind<Value, Level> & { readonly customOperators?: Operators },
  options: AttributeOptions<NoInfer<Value>, IsRequired, Rights, Default, Paths> &
    Readonly<{ nullable?: IsNullable }> = {},
): WithKindOperators<
  With<
    'nullable',
    NoInfer<IsNullable>,
    WithPaths<
      Attribute<
        Value,
        NoInfer<IsRequired>,
        NoInfer<Rights>,
        [Default] extends [undefined] ? false : true,
        Level
      >,
      NoInfer<Paths>
    >
  >,
  NoInfer<Operators>
> {
  // The type arguments say whether `default` and `paths` are present, which the compiler does not evaluate here.
  return { is: 'attribute', kind, ...options } as unknown as ReturnType<
    typeof attribute<Value, IsRequired, Rights, Default, Level, Paths, Operators, IsNullable>
  >
}

/**
 * Declares an attribute that the database computes, so that it can be filtered on and sorted by.
 *
 * @param kind - the data type of the expression
 * @param write - writes the SQL, e.g. `` (column) => sql`${column('price')} * ${column('amount')}` ``; the table aliases
 *   `t0`, `t1`, …, `j1`, …, `s1`, … are reserved
 */
export function expression<Value, const Level extends OperatorLevel = OperatorLevel>(
  kind: Kind<Value, Level>,
  write: Expression,
  options: Pick<
    AttributeOptions,
    'description' | 'filter' | 'sort' | 'invalidValues' | 'readable' | 'filterable' | 'sortable'
  > = {},
): ExpressionField<Value, Level> {
  return { is: 'expression', kind, expression: write, ...options }
}

/**
 * Declares a relationship to at most one resource.
 * @param to - the related type
 * @param options - the foreign key column, and the table that has it
 */
export function toOne<
  const Type extends string,
  const Rights extends RelationshipAccess = 'read-write',
  const IsRequired extends boolean | undefined = undefined,
  const IsNullable extends boolean | undefined = undefined,
>(
  to: Type,
  options: ToOneOptions<Rights> & Readonly<{ required?: IsRequired; nullable?: IsNullable }>,
): With<
  'nullable',
  NoInfer<IsNullable>,
  With<'required', NoInfer<IsRequired>, ToOne<Type, NoInfer<Rights>>>
> {
  // The type arguments say whether the options are present, which the compiler does not evaluate here.
  return { is: 'toOne', to, ...options } as unknown as ReturnType<
    typeof toOne<Type, Rights, IsRequired, IsNullable>
  >
}

/**
 * Declares a relationship to any number of resources.
 * @param to - the related type
 * @param options - the foreign key column of the *other* table, or the join table
 */
export function toMany<
  const Type extends string,
  const Rights extends RelationshipAccess = 'read-write',
  const IsCounted extends boolean = false,
>(
  to: Type,
  options: ColumnOrThrough<Rights, IsCounted>,
): ToMany<Type, NoInfer<Rights>, NoInfer<IsCounted>> {
  return { is: 'toMany', to, ...options }
}
