import {
  booleanTextFormats,
  datetimeEpochFormats,
  datetimeTextFormats,
  type StoredFormat,
} from './stored-formats.ts'

/** What is true of the values of a codec on every database. */
interface CodecTraits {
  /** Whether a column may store a long text. Otherwise a value has a few bytes, and no limit of text counts it. */
  readonly mayBeLong: boolean
  /** Whether the codec loads only strings without characters that JSON escapes: quotation marks alone make them JSON. */
  readonly needsNoEscaping: boolean
}

/** The codecs of single values. Each database has all of them. */
// biome-ignore format: a table, one codec a row
const scalarCodecs = {
  id:             { mayBeLong: false, needsNoEscaping: false },
  text:           { mayBeLong: true,  needsNoEscaping: false },
  enumeration:    { mayBeLong: false, needsNoEscaping: false },
  enumerationId:  { mayBeLong: false, needsNoEscaping: false },
  integer:        { mayBeLong: false, needsNoEscaping: false },
  integer64:      { mayBeLong: false, needsNoEscaping: false },
  number:         { mayBeLong: false, needsNoEscaping: false },
  decimal:        { mayBeLong: false, needsNoEscaping: false },
  decimal15:      { mayBeLong: false, needsNoEscaping: false },
  boolean:        { mayBeLong: false, needsNoEscaping: false },
  booleanId:      { mayBeLong: false, needsNoEscaping: false },
  date:           { mayBeLong: false, needsNoEscaping: true },
  datetime:       { mayBeLong: false, needsNoEscaping: true },
  time:           { mayBeLong: false, needsNoEscaping: true },
  uuid:           { mayBeLong: false, needsNoEscaping: true },
  uuidId:         { mayBeLong: false, needsNoEscaping: false },
  json:           { mayBeLong: true,  needsNoEscaping: false },
  databaseText:   { mayBeLong: true,  needsNoEscaping: false },
  databaseTextId: { mayBeLong: true,  needsNoEscaping: false },
  databaseJson:   { mayBeLong: true,  needsNoEscaping: false },
  bytes:          { mayBeLong: true,  needsNoEscaping: true },
  ...each(datetimeTextFormats,  { mayBeLong: true,  needsNoEscaping: true }),
  ...each(datetimeEpochFormats, { mayBeLong: false, needsNoEscaping: true }),
  ...each(booleanTextFormats,   { mayBeLong: true,  needsNoEscaping: false }),
  '1/0':          { mayBeLong: false, needsNoEscaping: false },
} satisfies Record<string, CodecTraits> & Record<StoredFormat, CodecTraits>

/** The name of a codec of single values. */
export type ScalarCodecName = keyof typeof scalarCodecs

/** The name of a codec; several attribute kinds may share one. Query shapes carry it, so that the store can read a column. */
export type CodecName = ScalarCodecName | `${ScalarCodecName}${'' | '?'}[]`

function each<Name extends string>(
  formats: Readonly<Record<Name, unknown>>,
  traits: CodecTraits,
): Readonly<Record<Name, CodecTraits>> {
  const entries = Object.keys(formats).map((name) => [name, traits] as const)
  // `Object.fromEntries` cannot say which names there are.
  return Object.fromEntries(entries) as Record<Name, CodecTraits>
}

/** Writes the name of the codec of arrays: a question mark means that elements can be null. */
export function arrayCodecName<Name extends string>(
  name: Name,
  hasNulls: boolean,
): `${Name}${'' | '?'}[]` {
  return `${name}${hasNulls ? '?' : ''}[]`
}

/** True if there is a built-in codec of single values with this name. */
export function isScalarCodecName(name: unknown): name is ScalarCodecName {
  return typeof name === 'string' && Object.hasOwn(scalarCodecs, name)
}

/** True if there is a built-in codec of this name. */
export function isCodecName(name: unknown): name is CodecName {
  return typeof name === 'string' && isScalarCodecName(name.replace(/\??\[\]$/, ''))
}

/** What is known of arrays, and of the codecs that a program defines. */
const others: CodecTraits = { mayBeLong: true, needsNoEscaping: false }

const traits: ReadonlyMap<unknown, CodecTraits> = new Map(Object.entries(scalarCodecs))

/** Returns what is true of the values of a codec, also of one that a program defines. */
export function traitsOf(codec: unknown): CodecTraits {
  return traits.get(codec) ?? others
}
