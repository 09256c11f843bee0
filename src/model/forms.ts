import { sql } from 'kysely'
import { ofAffinity } from './affinities.ts'
import { canonicalDecimal, decimalKey } from './decimals.ts'
import type { Bound, DialectName, Sql } from './dialect.ts'
import { type JsonValue, jsonText, storedJson } from './json-values.ts'
import { storedBytes, storedInteger, storedUuid } from './stored.ts'
import { fixedInstant, instantKey, storedDayOf, storedInstantOf, storedTimeOf } from './times.ts'

/**
 * How values are kept in a column of one database. Its functions are methods, so that a form of any values may be taken
 * for one of unknown values by those who only carry them: a form gets back none that it did not give out itself.
 */
export interface ColumnForm<Value = unknown> {
  /** Whether a column declared with the type, which may be empty, keeps the values unchanged. */
  suits(columnType: string): boolean
  /** The expression that reads the column; the column itself when absent. */
  select?(column: Sql): Sql
  /**
   * From what a driver returns, never null, to the value; the same when absent.
   * @throws Error when it is no value of the form: whoever filled the table meant something else
   */
  load?(stored: unknown): Value | null
  /** From the value to what a driver binds; the same when absent. */
  bind?(value: Value): Bound
  /** How values compare, where the stored ones do not compare by themselves; both sides are turned into keys. */
  readonly key?: {
    /** The key of a column. */
    of(column: Sql): Sql
    /** The key of a value, as a driver binds it: a text or a number, so that lists of them can be bound as JSON. */
    bind(value: Value): Bound
  }
}

/** node:sqlite refuses to return an integer beyond 2^53 as a number: integers leave the database as texts. */
const sqliteAsText = (column: Sql): Sql => sql`cast(${column} as text)`

/** A number may stand in the table as an integer, even one beyond 2^53. */
const sqliteAsReal = (column: Sql): Sql => sql`cast(${column} as real)`

const sqliteTexts = ofAffinity('text', 'blob')
/** SQLite makes numbers of texts in a column of numeric affinity, as DATE and UUID are, but only of those that are some. */
const sqliteTextsButNumbers = ofAffinity('text', 'blob', 'numeric')
const sqliteIntegers = ofAffinity('integer', 'numeric')
const sqliteNumbers = ofAffinity('real', 'numeric', 'integer')

/**
 * A decimal number may stand in the table as a text, an integer or a float. A float leaves the database as one: the shortest
 * decimal that is the same float has the digits that were stored, and SQLite's own text of it may have others.
 */
const sqliteExactly = (column: Sql): Sql =>
  sql`iif(typeof(${column}) = 'real', ${column}, ${sqliteAsText(column)})`

const sqliteDecimal = {
  select: sqliteExactly,
  load: (stored) => canonicalDecimal(String(stored)),
  key: { of: (column) => sql`lapidary_decimal(${sqliteExactly(column)})`, bind: decimalKey },
} satisfies Partial<ColumnForm<string>>

/** Every form in which values are kept, by database; several kinds may share one. */
export const forms = {
  /** Ids stay texts from the wire to the database: none ever passes through a float. */
  id: {
    sqlite: {
      suits: sqliteIntegers,
      select: sqliteAsText,
      bind: BigInt,
    } satisfies ColumnForm<string>,
  },
  text: { sqlite: { suits: sqliteTexts } satisfies ColumnForm<string> },
  integer: {
    sqlite: {
      suits: sqliteIntegers,
      select: sqliteAsText,
      load: (stored) => {
        const value = storedInteger(stored)
        return Number.isSafeInteger(Number(value)) ? Number(value) : value
      },
      bind: BigInt,
    } satisfies ColumnForm<number | bigint>,
  },
  /** Whole numbers of 64 bits; each is a `bigint`, however small. */
  integer64: {
    sqlite: {
      suits: sqliteIntegers,
      select: sqliteAsText,
      load: storedInteger,
    } satisfies ColumnForm<bigint>,
  },
  number: { sqlite: { suits: sqliteNumbers, select: sqliteAsReal } satisfies ColumnForm<number> },
  /** Decimal numbers of any size, as canonical texts. */
  decimal: {
    sqlite: { suits: ofAffinity('text'), ...sqliteDecimal } satisfies ColumnForm<string>,
  },
  /** Decimal numbers of at most 15 digits, which a double holds: a column of numbers keeps them too. */
  decimal15: {
    sqlite: {
      suits: ofAffinity('text', 'numeric', 'real', 'integer'),
      ...sqliteDecimal,
    } satisfies ColumnForm<string>,
  },
  boolean: {
    sqlite: {
      suits: sqliteIntegers,
      load: (stored) => stored !== 0,
      bind: Number,
    } satisfies ColumnForm<boolean>,
  },
  /** Days compare as the texts they are stored as: an index serves, and a stored midnight is told but not found. */
  date: {
    sqlite: { suits: sqliteTextsButNumbers, load: storedDayOf } satisfies ColumnForm<string>,
  },
  /** Instants in UTC, of six digits of a second; those that others wrote may be spelled otherwise. */
  datetime: {
    sqlite: {
      suits: sqliteTextsButNumbers,
      load: storedInstantOf,
      bind: fixedInstant,
      key: { of: (column) => sql`lapidary_datetime(${column})`, bind: instantKey },
    } satisfies ColumnForm<string>,
  },
  /** Times of day; those that others wrote may be spelled otherwise. */
  time: {
    sqlite: {
      suits: sqliteTextsButNumbers,
      load: storedTimeOf,
      key: { of: (column) => sql`lapidary_time(${column})`, bind: (value) => value },
    } satisfies ColumnForm<string>,
  },
  /** UUIDs in lower case; those that others wrote may be in upper case. */
  uuid: {
    sqlite: {
      suits: sqliteTextsButNumbers,
      load: storedUuid,
      key: { of: (column) => sql`lower(${column})`, bind: (value) => value },
    } satisfies ColumnForm<string>,
  },
  /** UUIDs as ids and keys: those are in lower case, so that an index finds them. */
  uuidId: { sqlite: { suits: sqliteTextsButNumbers } satisfies ColumnForm<string> },
  json: {
    sqlite: {
      suits: sqliteTextsButNumbers,
      load: storedJson,
      bind: jsonText,
    } satisfies ColumnForm<JsonValue>,
  },
  /** Bytes; a column keeps a BLOB as it is unless it is declared as something else. */
  bytes: {
    sqlite: {
      suits: ofAffinity('blob', 'numeric'),
      load: storedBytes,
      bind: (value) => Buffer.from(value, 'base64'),
    } satisfies ColumnForm<string>,
  },
} satisfies Record<string, Readonly<Record<DialectName, ColumnForm>>>

/** The name of a form: a key of the table of forms. Shapes carry it, so that the store knows what a column holds. */
export type FormName = keyof typeof forms

/** The form of that name in a database. */
export function formNamed(name: FormName, dialect: DialectName): ColumnForm {
  return forms[name][dialect]
}

/** Whether a column declared with a type, which may be empty, keeps every value of a kind unchanged. */
export function keeps(
  columnType: string,
  { form }: Readonly<{ form: FormName }>,
  dialect: DialectName,
): boolean {
  return formNamed(form, dialect).suits(columnType)
}
