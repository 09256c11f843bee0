import * as fc from 'fast-check'
import { kinds } from '../reference/reference-kinds.ts'
import type { AttributeDescription, JsonValue, Kind, Value } from '../schema.ts'
import { anyDate, anyEmail, anyText } from './random-texts.ts'

const smallest64 = -(2n ** 63n)
const largest64 = 2n ** 63n - 1n

/** Similar URLs that contain wildcards of `like`. */
const anyUrl = fc
  .tuple(
    fc.constantFrom('https://', 'HTTPS://', 'ftp://', 'a+b://'),
    fc.constantFrom('a.example', 'A.example', 'b.example:8080', 'u@c.example'),
    fc.constantFrom('', '/', '/%25', '/_', "/it's", '/?a=%20&b[]=[x]', '/é#ß', '/foo'),
  )
  .map((parts) => parts.join(''))

const anyInteger = fc.oneof(
  fc.constantFrom(0, 1, -1, 2, 7, 10, 2 ** 31, 2 ** 53 - 1, 1 - 2 ** 53),
  fc.integer({ min: -1000, max: 1000 }),
)

const anyInteger64 = fc.oneof(
  { weight: 1, arbitrary: fc.integer({ min: -10, max: 10 }).map(BigInt) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...[2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 62n, 2n ** 62n + 1n],
      ...[largest64, largest64 - 1n, smallest64, smallest64 + 1n],
    ),
  },
)

const anyNumber = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...[0, -0, 1, 2, 7, 0.1, 0.1 + 0.2, 0.3, -1.5, 1e-7, 1e21, -1e21, 1e22, 5e-324, 1.5e308],
      ...[2 ** 53, 2 ** 53 + 2, 2 ** 62, 2 ** 63, -(2 ** 63), 2 ** 64, 1e15, 123456789012345680],
    ),
  },
  { weight: 1, arbitrary: fc.integer({ min: -10, max: 10 }) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
)

/** Numbers of any size; some are one number in two spellings. */
const anyDecimal = fc.oneof(
  fc.constantFrom(
    ...['0', '-0', '0.0', '-0.000', '1', '1.0', '10', '0.1', '0.10', '-0.1', '9', '-9', '-10'],
    ...['0.1000000000000000000000000000000000001', '0.1000000000000000000000000000000000002'],
    ...['9007199254740992', '9007199254740993', '9007199254740992.0000000000000000000001'],
    ...['-123456789012345678901234567890.5', '-123456789012345678901234567890.50'],
    ...['123456789012345678901234567890', '99999999999999999999999999999999999999999'],
  ),
  fc.integer({ min: -999, max: 999 }).map((number) => String(number / 100)),
)

const anyAmount = fc.oneof(
  fc.constantFrom('0', '-0.00', '0.01', '-0.01', '0.1', '0.10', '9999999999.99', '-9999999999.99'),
  fc.constantFrom('9999999999.9', '10', '9', '0.3', '1.1', '2.2', '123456789.12'),
  fc.integer({ min: -999, max: 999 }).map((number) => String(number / 100)),
)

const anyInstant = fc.oneof(
  fc.constantFrom(
    ...['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
    ...['2000-02-29T12:00:00Z', '2000-02-29T12:00:00.5Z', '2000-02-29T12:00:00.500001Z'],
  ),
  fc
    .tuple(anyDate, fc.constantFrom('00:00:00', '12:30:00', '23:59:59.9'))
    .map(([day, clock]) => `${day}T${clock}Z`),
)

const anyTime = fc.constantFrom(
  ...['00:00:00', '00:00:00.000001', '12:00:00', '12:00:00.1', '12:00:00.10', '12:00:00.5'],
  ...['12:00:01', '23:59:59', '23:59:59.9', '23:59:59.999999'],
)

/** Few, so that rows have equal ones. */
const anyUuid = fc
  .tuple(fc.constantFrom('0', '9', 'a', 'F'), fc.constantFrom('1', 'e', 'E'))
  .map(([first, last]) => `${first}81d4fae-7dec-11d0-a765-00a0c91e6bf${last}`)

const anyJson: fc.Arbitrary<JsonValue> = fc.constantFrom<JsonValue>(
  ...[{}, [], [null], { a: { b: [1, 'é😀', { 'c d': false }] }, 漢: "'%_\\\n" }],
  ...[[0, 1e21, 1e-7, 0.1, -1.5], [2n ** 53n + 1n, -(2n ** 70n)], { null: null, '0': [[[]]] }],
)

const anyBytes = fc
  .uint8Array({ maxLength: 6 })
  .map((bytes) => Buffer.from(bytes).toString('base64'))

/** Ids of two columns; some differ in one column only. */
export const keys = [
  ...['100,', '100,a', '100,a~1b', '100,~00', '101,a', '101,/', '101,.~0', '102,a b', '102,%2C'],
  ...['103,é', "103,it's", '999,"'],
] as const

const byKind: Readonly<Record<Exclude<Kind, 'enumeration'>, fc.Arbitrary<JsonValue>>> = {
  id: fc.constantFrom('0', String(largest64)),
  key: fc.constantFrom(...keys),
  text: anyText,
  email: anyEmail,
  url: anyUrl,
  integer: anyInteger,
  integer64: anyInteger64,
  decimal: anyDecimal,
  number: anyNumber,
  boolean: fc.boolean(),
  date: anyDate,
  datetime: anyInstant,
  time: anyTime,
  uuid: anyUuid,
  json: anyJson,
  bytes: anyBytes,
}

/** Values of an attribute in a body; often those at the limits of its kind. */
export function anyValueOf({
  kind,
  scale,
  range,
  values = [],
}: AttributeDescription): fc.Arbitrary<JsonValue> {
  if (range !== undefined) return fc.integer({ min: -range, max: range })
  if (kind === 'enumeration') return fc.constantFrom(...values)
  return kind === 'decimal' && scale !== undefined ? anyAmount : byKind[kind]
}

/** All spellings of a value that clients may send, most often the one of responses. */
export function spellingsOf(kind: Kind, value: Value): fc.Arbitrary<JsonValue> {
  const serialized = kinds[kind].serialize(value, { kind })
  return fc.constantFrom(serialized, serialized, ...otherSpellings(kind, value, String(serialized)))
}

function otherSpellings(kind: Kind, value: Value, serialized: string): JsonValue[] {
  switch (kind) {
    case 'id':
      return Number.isSafeInteger(Number(serialized)) ? [Number(serialized)] : []
    case 'decimal':
      return [serialized.includes('.') ? `${serialized}00` : `${serialized}.000`]
    case 'datetime':
      return ['+02:00', '-05:30', '+14:00', '-00:00'].flatMap((zone) =>
        inZone(value, zone, serialized),
      )
    case 'time':
      return [serialized.includes('.') ? `${serialized.padEnd(15, '0')}0` : `${serialized}.0`]
    case 'uuid':
      return [serialized.toUpperCase()]
    default:
      return []
  }
}

/** The same instant as clocks of a zone show it, where they show a year of four digits. */
function inZone(value: Value, zone: string, serialized: string): string[] {
  const minutes = BigInt(zone.slice(1, 3)) * 60n + BigInt(zone.slice(4))
  const ahead = zone.startsWith('-') ? -minutes : minutes
  const shifted = BigInt(String(value)) + ahead * 60_000_000n
  const isNear = serialized.startsWith('0001-01-01') || serialized.startsWith('9999-12-31')
  if (isNear) return [serialized.toLowerCase()]
  return [String(kinds.datetime.serialize(shifted, { kind: 'datetime' })).replace('Z', zone)]
}
