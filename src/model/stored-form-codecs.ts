import { sql } from 'kysely'
import type { ColumnCodec } from './column-codec.ts'
import type { Sql } from './dialect.ts'
import {
  type BooleanTextForm,
  booleanTextForms,
  type DatetimeEpochForm,
  type DatetimeTextForm,
  datetimeEpochForms,
  datetimeTextForms,
  epochRange,
  formatBooleanText,
  formatDatetimeText,
  formatEpoch,
  parseBooleanInteger,
  parseBooleanText,
  parseDatetimeText,
  parseEpoch,
} from './stored-forms.ts'
import { parseStoredInteger } from './stored-values.ts'

/** What the codecs of one database have in common. */
export interface FormDialect {
  /** How texts are stored, read, bound and sorted. */
  readonly text: Omit<ColumnCodec<string>, 'load' | 'bind' | 'valid'>
  /** How integers are stored, read and sorted. */
  readonly integer: Omit<ColumnCodec, 'load' | 'bind' | 'valid'>
  /** Converts an integer to what the driver binds. */
  bindInteger(value: number): number | string
  /** The canonical text of a datetime that is stored as seconds since 1970, with a fraction of `digits` digits. */
  formatSeconds(seconds: Sql, digits: number): Sql
  /** What a column stores for the canonical text of a datetime; absent where no statement converts it. */
  readonly fromCanonical?: Readonly<{
    text(canonical: Sql, form: DatetimeTextForm): Sql
    epoch(canonical: Sql, unitsPerSecond: number): Sql
  }>
  /** A text, or null where it is no datetime of the form. */
  validDatetime(text: Sql, form: DatetimeTextForm): Sql
}

type FormCodecs = Readonly<
  Record<DatetimeTextForm | DatetimeEpochForm, ColumnCodec<string>> &
    Record<BooleanTextForm | '1/0', ColumnCodec<boolean>>
>

/** Creates the codecs of `storedAs` for a database. */
export function createFormCodecs(dialect: FormDialect): FormCodecs {
  const datetimeText = (form: DatetimeTextForm) => createDatetimeText(form, dialect)
  const epoch = (form: DatetimeEpochForm) => createEpoch(form, dialect)
  const booleanText = (form: BooleanTextForm) => createBooleanText(form, dialect)
  return {
    'YYYY-MM-DD HH:MM:SS': datetimeText('YYYY-MM-DD HH:MM:SS'),
    'YYYY-MM-DD HH:MM:SS.SSS': datetimeText('YYYY-MM-DD HH:MM:SS.SSS'),
    'YYYY-MM-DD HH:MM:SS.SSSSSS': datetimeText('YYYY-MM-DD HH:MM:SS.SSSSSS'),
    'YYYY-MM-DDTHH:MM:SSZ': datetimeText('YYYY-MM-DDTHH:MM:SSZ'),
    'YYYY-MM-DDTHH:MM:SS.SSSZ': datetimeText('YYYY-MM-DDTHH:MM:SS.SSSZ'),
    'YYYY-MM-DDTHH:MM:SS.SSSSSSZ': datetimeText('YYYY-MM-DDTHH:MM:SS.SSSSSSZ'),
    'epoch-seconds': epoch('epoch-seconds'),
    'epoch-milliseconds': epoch('epoch-milliseconds'),
    't/f': booleanText('t/f'),
    'T/F': booleanText('T/F'),
    'y/n': booleanText('y/n'),
    'Y/N': booleanText('Y/N'),
    'yes/no': booleanText('yes/no'),
    'YES/NO': booleanText('YES/NO'),
    'true/false': booleanText('true/false'),
    'TRUE/FALSE': booleanText('TRUE/FALSE'),
    '1/0': createBooleanInteger(dialect),
  }
}

function createDatetimeText(form: DatetimeTextForm, dialect: FormDialect): ColumnCodec<string> {
  const { fromCanonical } = dialect
  return createText(dialect, {
    load: (stored) => parseDatetimeText(stored, form),
    bind: (value) => formatDatetimeText(value, form),
    idPart: (column) => toCanonical(column, datetimeTextForms[form].digits),
    ...(fromCanonical && { fromIdPart: (text) => fromCanonical.text(text, form) }),
    valid: (column) => dialect.validDatetime(column, form),
  })
}

/** Makes a text in UTC canonical: with a `T`, without zeros at the end of the fraction, with a `Z`. */
function toCanonical(text: Sql, digits: number): Sql {
  const seconds = sql`replace(substr(${text}, 1, ${sql.lit(digits === 0 ? 19 : 20 + digits)}), ' ', 'T')`
  return digits === 0 ? sql`${seconds} || 'Z'` : sql`rtrim(rtrim(${seconds}, '0'), '.') || 'Z'`
}

function createBooleanText(form: BooleanTextForm, dialect: FormDialect): ColumnCodec<boolean> {
  const [yes, no] = booleanTextForms[form].map((word) => sql.lit(word))
  return createText(dialect, {
    load: (stored) => parseBooleanText(stored, form),
    bind: (value) => formatBooleanText(value, form),
    valid: (column) => sql`case when ${column} in (${yes}, ${no}) then ${column} end`,
  })
}

/** Creates a codec whose comparison key, if the database has one for texts, is that of the text. */
function createText<Value>(
  { text: { key, ...text } }: FormDialect,
  codec: Readonly<{
    load(stored: unknown): Value
    bind(value: Value): string
    valid(column: Sql): Sql
    idPart?(column: Sql): Sql
    fromIdPart?(text: Sql): Sql
  }>,
): ColumnCodec<Value> {
  return {
    ...text,
    ...codec,
    ...(key && { key: { of: key.of, bind: (value: Value) => codec.bind(value) } }),
  }
}

function createEpoch(form: DatetimeEpochForm, dialect: FormDialect): ColumnCodec<string> {
  const [first, end] = epochRange(form).map((bound) => sql.lit(bound))
  const { digits, unitsPerSecond } = datetimeEpochForms[form]
  const { fromCanonical } = dialect
  return {
    ...dialect.integer,
    idPart: (column) => {
      const seconds = digits === 0 ? column : sql`${column} / ${sql.raw(`${unitsPerSecond}.0`)}`
      return toCanonical(dialect.formatSeconds(seconds, digits), digits)
    },
    ...(fromCanonical && { fromIdPart: (text) => fromCanonical.epoch(text, unitsPerSecond) }),
    load: (stored) => parseEpoch(parseStoredInteger(stored), form),
    bind: (value) => dialect.bindInteger(formatEpoch(value, form)),
    valid: (column) =>
      sql`case when ${column} >= ${first} and ${column} < ${end} and ${column} = round(${column}) then ${column} end`,
  }
}

function createBooleanInteger(dialect: FormDialect): ColumnCodec<boolean> {
  return {
    ...dialect.integer,
    load: parseBooleanInteger,
    bind: (value) => dialect.bindInteger(Number(value)),
    valid: (column) => sql`case when ${column} in (0, 1) then ${column} end`,
  }
}
