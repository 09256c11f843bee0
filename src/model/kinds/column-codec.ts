import type { DialectName } from '../database-names.ts'
import type { BoundValue, Sql } from '../sql.ts'
import type { CodecName } from './codec-names.ts'

/**
 * How a column of one database stores an attribute: how its values are read, bound, compared and sorted.
 *
 * The functions are methods, so that a codec of any value type is assignable to `ColumnCodec<unknown>`: code that only
 * passes values on gives a codec back the values that it loaded.
 */
export interface ColumnCodec<Value = unknown> {
  /** True if a column of this type stores the values unchanged. The type is as the database writes it; on SQLite it may be empty. */
  acceptsColumnType(columnType: string): boolean
  /** The expression that reads the column: null for null. Absent: the column itself. PostgreSQL returns its value in JSON. */
  select?(column: Sql): Sql
  /**
   * The text of an id that is stored in the column, or of its part: one spelling for each value. Absent: the column cannot be part of an
   * id, because it may store a value in several spellings.
   */
  idText?(column: Sql): Sql
  /** True if the text of an id may contain `~` and commas, which a composite id escapes (`composite-ids.ts`). */
  readonly hasFreeIdText?: boolean
  /** Converts the text of an id to what a column stores; absent: by a cast. */
  fromIdText?(text: Sql): Sql
  /** True if the driver returns the column itself (a number, bigint or string) without loss, so that keys need no `select`. */
  readonly isExact?: boolean
  /**
   * Converts what a driver returns, never null, to a value. Absent: the value is the same.
   * @throws Error if the stored value does not belong to this codec
   */
  load?(stored: unknown): Value | null
  /**
   * Loads a value that `load` rejects, for attributes that are lenient; absent: there is none.
   * @throws Error if the stored value is not of the kind
   */
  loadOther?(stored: unknown): Value
  /** True if `load` returns strings as they are, so that it need not be called with one. */
  readonly keepsStrings?: boolean
  /** The column, or null where `load` would throw or return null. Absent: every value of the column can be loaded. */
  valid?(column: Sql): Sql
  /** Compiles whether `load` returns null for the column. Absent: only for null itself. */
  isNull?(column: Sql): Sql
  /** Converts a value to what a driver binds. Absent: the same. */
  bind?(value: Value): BoundValue
  /** The database type of a bound value, where the database would not infer it. */
  readonly type?: string
  /**
   * True if the column may have a type that only the database knows. Then a parameter has no type, so that the database infers that of the
   * column, and an expression of `type` is compared with `select` of the column.
   */
  readonly infersType?: boolean
  /** The sort key, where the stored values do not sort by themselves: texts sort by code point. */
  order?(expression: Sql): Sql
  /** The exact value, for a comparison with a column of another codec that would lose digits otherwise. */
  toExact?(expression: Sql): Sql
  /** The comparison key, where stored values do not compare by themselves. Both sides of a comparison become keys. */
  readonly key?: {
    /** The key of a column. */
    of(column: Sql): Sql
    /** True if every value of a column has a key, also one that the codec cannot load. Default false: it may be an error. */
    readonly acceptsAll?: boolean
    /** The key of a value: a string or a number, so that lists of keys can be bound as JSON. */
    bind(value: Value): BoundValue
  }
  /**
   * The SQL of filter operators by name, where it is not that of the operator itself. The left side is the comparison key of the
   * column, the right side that of each value.
   */
  readonly operators?: Readonly<Record<string, (left: Sql, right: readonly [Sql, ...Sql[]]) => Sql>>
}

/** Creates the codec of arrays in a database. */
export type CreateArrayCodec = (
  element: ColumnCodec,
  options: Readonly<{
    /** The name of the codec of the elements, or of the kind that a program defines. */
    name: string
    /** Whether elements can be null. */
    hasNulls: boolean
  }>,
) => ColumnCodec<readonly unknown[]>

/** The codecs of a database: one for each name. */
export interface DatabaseCodecs {
  readonly database: DialectName
  readonly named: Readonly<Record<CodecName, ColumnCodec>>
  readonly createArray: CreateArrayCodec
}
