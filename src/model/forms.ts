import { sql } from 'kysely'
import type { Bound, DialectName, Sql } from './dialect.ts'

/**
 * How values are kept in a column of one database. Its functions are methods, so that a form of any values may be taken
 * for one of unknown values by those who only carry them: a form gets back none that it did not give out itself.
 */
export interface ColumnForm<Value = unknown> {
  /** The expression that reads the column; the column itself when absent. */
  select?(column: Sql): Sql
  /** From what a driver returns, never null, to the value; the same when absent. */
  load?(stored: unknown): Value
  /** From the value to what a driver binds; the same when absent. */
  bind?(value: Value): Bound
  /** How values compare, where the stored ones do not compare by themselves; both sides are turned into keys. */
  readonly key?: {
    /** The key of a column. */
    of(column: Sql): Sql
    /** The key of a value, as a driver binds it. */
    bind(value: Value): Bound
  }
}

/** node:sqlite refuses to return an integer beyond 2^53 as a number: integers leave the database as texts. */
const sqliteAsText = (column: Sql): Sql => sql`cast(${column} as text)`

/** A number may stand in the table as an integer, even one beyond 2^53. */
const sqliteAsReal = (column: Sql): Sql => sql`cast(${column} as real)`

/** A stored integer, exactly: a `bigint` where a double would not do. */
function exactly(stored: unknown): number | bigint {
  const value = Number(stored)
  return Number.isSafeInteger(value) ? value : BigInt(String(stored))
}

/** Every form in which values are kept, by database; several kinds may share one. */
export const forms = {
  /** Ids stay texts from the wire to the database: none ever passes through a float. */
  id: { sqlite: { select: sqliteAsText, bind: BigInt } satisfies ColumnForm<string> },
  text: { sqlite: {} satisfies ColumnForm<string> },
  integer: {
    sqlite: { select: sqliteAsText, load: exactly, bind: BigInt } satisfies ColumnForm<
      number | bigint
    >,
  },
  number: { sqlite: { select: sqliteAsReal } satisfies ColumnForm<number> },
  boolean: {
    sqlite: { load: (stored) => stored !== 0, bind: Number } satisfies ColumnForm<boolean>,
  },
} satisfies Record<string, Readonly<Record<DialectName, ColumnForm>>>

/** The name of a form: a key of the table of forms. Shapes carry it, so that the store knows what a column holds. */
export type FormName = keyof typeof forms

/** The form of that name in a database. */
export function formNamed(name: FormName, dialect: DialectName): ColumnForm {
  return forms[name][dialect]
}
