import { sql } from 'kysely'
import type { ColumnCodec } from '../../model/kinds/column-codec.ts'
import {
  type BooleanTextFormat,
  booleanTextFormats,
  type DatetimeEpochFormat,
  type DatetimeTextFormat,
  datetimeEpochFormats,
  datetimeTextFormats,
  epochRange,
  formatBooleanText,
  formatDatetimeText,
  formatEpoch,
  parseBooleanInteger,
  parseBooleanText,
  parseDatetimeText,
  parseEpoch,
} from '../../model/kinds/stored-formats.ts'
import { parseStoredInteger } from '../../model/kinds/stored-values.ts'
import { parseStoredInstant } from '../../model/kinds/times.ts'
import type { Sql } from '../../model/sql.ts'

/** What the codecs of one database have in common. */
interface FormatDialect {
  /** How texts are stored, read, bound and sorted. */
  readonly text: Omit<ColumnCodec<string>, 'load' | 'loadOther' | 'bind' | 'valid'>
  /** How integers are stored, read and sorted. */
  readonly integer: Omit<ColumnCodec, 'load' | 'loadOther' | 'bind' | 'valid'>
  /** Converts an integer to what the driver binds. */
  bindInteger(value: number): number | string
  /** The canonical text of a datetime that is stored as seconds since 1970, with a fraction of `digits` digits. */
  formatSeconds(seconds: Sql, digits: number): Sql
  /** What a column stores for the canonical text of a datetime; absent where no statement converts it. */
  readonly fromCanonical?: Readonly<{
    text(canonical: Sql, format: DatetimeTextFormat): Sql
    epoch(canonical: Sql, unitsPerSecond: number): Sql
  }>
  /** A text, or null where it is not a datetime of the format. */
  validDatetime(text: Sql, format: DatetimeTextFormat): Sql
}

type FormatCodecs = Readonly<
  Record<DatetimeTextFormat | DatetimeEpochFormat, ColumnCodec<string>> &
    Record<BooleanTextFormat | '1/0', ColumnCodec<boolean>>
>

/** Creates the codecs of `storedAs` for a database. */
export function createFormatCodecs(dialect: FormatDialect): FormatCodecs {
  return {
    ...createEach(datetimeTextFormats, (format) => createDatetimeText(format, dialect)),
    ...createEach(datetimeEpochFormats, (format) => createEpoch(format, dialect)),
    ...createEach(booleanTextFormats, (format) => createBooleanText(format, dialect)),
    '1/0': createBooleanInteger(dialect),
  }
}

function createEach<Format extends string, Value>(
  formats: Readonly<Record<Format, unknown>>,
  create: (format: Format) => ColumnCodec<Value>,
): Record<Format, ColumnCodec<Value>> {
  // The table has the formats only, which `Object.keys` cannot say.
  const names = Object.keys(formats) as Format[]
  // Each format has its codec, which `Object.fromEntries` cannot say.
  return Object.fromEntries(names.map((name) => [name, create(name)])) as Record<
    Format,
    ColumnCodec<Value>
  >
}

function createDatetimeText(
  format: DatetimeTextFormat,
  dialect: FormatDialect,
): ColumnCodec<string> {
  const { fromCanonical } = dialect
  return createText(dialect, {
    load: (stored) => parseDatetimeText(stored, format),
    loadOther: parseStoredInstant,
    bind: (value) => formatDatetimeText(value, format),
    idText: (column) => toCanonical(column, datetimeTextFormats[format].digits),
    ...(fromCanonical && { fromIdText: (text) => fromCanonical.text(text, format) }),
    valid: (column) => dialect.validDatetime(column, format),
  })
}

/** Makes a text in UTC canonical: with a `T`, without zeros at the end of the fraction, with a `Z`. */
function toCanonical(text: Sql, digits: number): Sql {
  const seconds = sql`replace(substr(${text}, 1, ${sql.lit(digits === 0 ? 19 : 20 + digits)}), ' ', 'T')`
  return digits === 0 ? sql`${seconds} || 'Z'` : sql`rtrim(rtrim(${seconds}, '0'), '.') || 'Z'`
}

function createBooleanText(
  format: BooleanTextFormat,
  dialect: FormatDialect,
): ColumnCodec<boolean> {
  const [yes, no] = booleanTextFormats[format].map((word) => sql.lit(word))
  return createText(dialect, {
    load: (stored) => parseBooleanText(stored, format),
    bind: (value) => formatBooleanText(value, format),
    valid: (column) => sql`case when ${column} in (${yes}, ${no}) then ${column} end`,
  })
}

/** Creates a codec whose comparison key, if the database has one for texts, is that of the text. */
function createText<Value>(
  { text: { key, ...text } }: FormatDialect,
  codec: Readonly<{
    load(stored: unknown): Value
    loadOther?(stored: unknown): Value
    bind(value: Value): string
    valid(column: Sql): Sql
    idText?(column: Sql): Sql
    fromIdText?(text: Sql): Sql
  }>,
): ColumnCodec<Value> {
  return {
    ...text,
    ...codec,
    ...(key && { key: { of: key.of, bind: (value: Value) => codec.bind(value) } }),
  }
}

function createEpoch(format: DatetimeEpochFormat, dialect: FormatDialect): ColumnCodec<string> {
  const [first, end] = epochRange(format).map((bound) => sql.lit(bound))
  const { digits, unitsPerSecond } = datetimeEpochFormats[format]
  const { fromCanonical } = dialect
  return {
    ...dialect.integer,
    idText: (column) => {
      const seconds = digits === 0 ? column : sql`${column} / ${sql.raw(`${unitsPerSecond}.0`)}`
      return toCanonical(dialect.formatSeconds(seconds, digits), digits)
    },
    ...(fromCanonical && { fromIdText: (text) => fromCanonical.epoch(text, unitsPerSecond) }),
    load: (stored) => parseEpoch(parseStoredInteger(stored), format),
    bind: (value) => dialect.bindInteger(formatEpoch(value, format)),
    valid: (column) =>
      sql`case when ${column} >= ${first} and ${column} < ${end} and ${column} = round(${column}) then ${column} end`,
  }
}

function createBooleanInteger(dialect: FormatDialect): ColumnCodec<boolean> {
  return {
    ...dialect.integer,
    load: parseBooleanInteger,
    bind: (value) => dialect.bindInteger(Number(value)),
    valid: (column) => sql`case when ${column} in (0, 1) then ${column} end`,
  }
}
