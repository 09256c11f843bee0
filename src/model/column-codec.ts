import type { Bound, Sql } from './dialect.ts'

/**
 * How values are kept in a column of one database. Its functions are methods, so that a form of any values may be taken
 * for one of unknown values by those who only carry them: a form gets back none that it did not give out itself.
 */
export interface ColumnForm<Value = unknown> {
  /** Whether a column declared with the type, which may be empty, keeps the values unchanged. */
  suits(columnType: string): boolean
  /** The expression that reads the column; the column itself when absent. */
  select?(column: Sql): Sql
  /** Whether what a driver makes of the column itself, a number, a bigint or a text, is exact, so that keys need no `select`. */
  readonly isExact?: boolean
  /**
   * From what a driver returns, never null, to the value; the same when absent.
   * @throws Error when it is no value of the form: whoever filled the table meant something else
   */
  load?(stored: unknown): Value | null
  /** From the value to what a driver binds; the same when absent. */
  bind?(value: Value): Bound
  /** The database's type of a bound value, where it would not find out by itself. */
  readonly type?: string
  /** How values are put in order, where they would not be by themselves: texts by code point. */
  order?(expression: Sql): Sql
  /** How values stand beside those of another field, whose form may be another one, where that would lose digits. */
  beside?(expression: Sql): Sql
  /** How values compare, where the stored ones do not compare by themselves; both sides are turned into keys. */
  readonly key?: {
    /** The key of a column. */
    of(column: Sql): Sql
    /** The key of a value, as a driver binds it: a text or a number, so that lists of them can be bound as JSON. */
    bind(value: Value): Bound
  }
}
