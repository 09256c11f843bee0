import { arrayCodecName, type CodecName, isScalarCodecName } from './codec-names.ts'
import type { ColumnCodec, DatabaseCodecs } from './column-codec.ts'

/** The codecs of a kind that a program defines. */
export interface DefinedCodec {
  /** The name of the kind. Query shapes contain it instead of the codec. */
  readonly toJSON: () => string
  /** Returns the codec for a database; `undefined` if the kind does not support it. */
  readonly find: (codecs: DatabaseCodecs) => ColumnCodec | undefined
  /** The codecs of arrays of the kind: without and with null elements. */
  readonly arrays?: readonly [DefinedCodec, DefinedCodec]
}

/** The codec of a kind: the name of a built-in one, or that of a kind that a program defines. */
export type Codec = CodecName | DefinedCodec

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
  return isScalarCodecName(codec) ? arrayCodecName(codec, hasNulls) : undefined
}

/** A database, by what tells how its columns store values. */
interface WithCodecs {
  readonly codecs: DatabaseCodecs
}

/** Returns a codec for a database; `undefined` if a program defines the codec, but not for this database. */
export function findCodec(codec: Codec, { codecs }: WithCodecs): ColumnCodec | undefined {
  return typeof codec === 'string' ? codecs.named[codec] : codec.find(codecs)
}

/**
 * Returns a codec for a database.
 * @throws Error if a program defines the codec, but not for this database; the startup check reports that
 */
export function getCodec(codec: Codec, database: WithCodecs): ColumnCodec {
  const found = findCodec(codec, database)
  if (found === undefined)
    throw new Error(
      `The kind ${describeCodec(codec)} has no codec for ${database.codecs.database}.`,
    )
  return found
}
