import { arrayCodecName, createArrayCodecs } from './array-codecs.ts'
import type { CodecName } from './codec-names.ts'
import type { ColumnCodec } from './column-codec.ts'
import type { DialectName } from './dialect.ts'
import { postgresArrays } from './postgres-arrays.ts'
import { postgresCodecs } from './postgres-codecs.ts'
import { sqliteArrays } from './sqlite-arrays.ts'
import { sqliteCodecs } from './sqlite-codecs.ts'

/** The codecs of a kind that a program defines, for each database that it supports. */
export interface DefinedCodec {
  /** The name of the kind. Query shapes contain it instead of the codec. */
  readonly toJSON: () => string
  readonly sqlite?: ColumnCodec
  readonly postgres?: ColumnCodec
  /** The codecs of arrays of the kind: without and with null elements. */
  readonly arrays?: readonly [DefinedCodec, DefinedCodec]
}

/** The codec of a kind: the name of a built-in one, or that of a kind that a program defines. */
export type Codec = CodecName | DefinedCodec

/** The codecs of each database. */
export const codecs: Readonly<Record<DialectName, Readonly<Record<CodecName, ColumnCodec>>>> = {
  sqlite: { ...sqliteCodecs, ...createArrayCodecs(sqliteCodecs, sqliteArrays) },
  postgres: { ...postgresCodecs, ...createArrayCodecs(postgresCodecs, postgresArrays) },
}

/** True if there is a built-in codec of this name. */
export function isCodecName(name: unknown): name is CodecName {
  return typeof name === 'string' && Object.hasOwn(codecs.sqlite, name)
}

/** True if a value is the codec of a kind that a program defines. */
export function isDefinedCodec(value: unknown): value is DefinedCodec {
  return typeof value === 'object' && value !== null && 'toJSON' in value
}

/** Describes a codec in a message. */
export function describeCodec(codec: Codec): string {
  return typeof codec === 'string' ? codec : codec.toJSON()
}

/** Returns the codec of arrays of values of another codec; `undefined` for arrays of arrays. */
export function findArrayCodec(codec: Codec, hasNulls: boolean): Codec | undefined {
  if (typeof codec !== 'string') return codec.arrays?.[hasNulls ? 1 : 0]
  const name = arrayCodecName(codec, hasNulls)
  return isCodecName(name) ? name : undefined
}

/**
 * Returns a codec for a database.
 * @throws Error if a program defines the codec, but not for this database; the startup check reports that
 */
export function getCodec(codec: Codec, dialect: DialectName): ColumnCodec {
  const found = typeof codec === 'string' ? codecs[dialect][codec] : codec[dialect]
  if (found === undefined)
    throw new Error(`The kind ${describeCodec(codec)} has no codec for ${dialect}.`)
  return found
}

/**
 * True if a column can store every value of an attribute kind unchanged.
 * @param columnType - the declared type of the column; may be empty
 */
export function canStore(
  columnType: string,
  { codec }: Readonly<{ codec: Codec }>,
  dialect: DialectName,
): boolean {
  return getCodec(codec, dialect).acceptsColumnType(columnType)
}
