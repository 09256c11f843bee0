import type { ColumnCodec } from './column-codec.ts'
import type { DialectName } from './dialect.ts'
import { postgresCodecs } from './postgres-codecs.ts'
import { sqliteCodecs } from './sqlite-codecs.ts'
import { datetimeEpochForms, datetimeTextForms } from './stored-forms.ts'

/** The name of a codec; several attribute kinds may share one. Query shapes carry it, so that the store can read a column. */
export type CodecName = keyof typeof sqliteCodecs

/** The codecs of each database. */
export const codecs: Readonly<Record<DialectName, Readonly<Record<CodecName, ColumnCodec>>>> = {
  sqlite: sqliteCodecs,
  postgres: postgresCodecs,
}

const unescaped: ReadonlySet<string> = new Set([
  ...['date', 'datetime', 'time', 'uuid', 'bytes'],
  ...Object.keys(datetimeTextForms),
  ...Object.keys(datetimeEpochForms),
])

/** True if a codec loads only strings without characters that JSON escapes: quotation marks alone make them JSON. */
export function needsNoEscaping(codec: CodecName): boolean {
  return unescaped.has(codec)
}

/** True if there is a codec of this name. */
export function isCodecName(name: unknown): name is CodecName {
  return typeof name === 'string' && Object.hasOwn(sqliteCodecs, name)
}

/** Returns the codec of this name for a database. */
export function getCodec(name: CodecName, dialect: DialectName): ColumnCodec {
  return codecs[dialect][name]
}

/**
 * True if a column can store every value of an attribute kind unchanged.
 * @param columnType - the declared type of the column; may be empty
 */
export function canStore(
  columnType: string,
  { codec }: Readonly<{ codec: CodecName }>,
  dialect: DialectName,
): boolean {
  return getCodec(codec, dialect).acceptsColumnType(columnType)
}
