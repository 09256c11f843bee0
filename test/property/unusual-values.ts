import * as fc from 'fast-check'

/** Names that every JavaScript object has, so that a lookup without care finds a member. */
export const prototypeNames = [
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'valueOf',
  '__defineGetter__',
  'isPrototypeOf',
  'toJSON',
  'then',
  'length',
] as const

/** Names that no type, field, operator or parameter has. */
const unknownNames = [
  ...prototypeNames,
  'password',
  'person_id',
  'Name',
  'nam',
  '',
  ' name',
  'name ',
  'naïve',
  'name\n',
  '*',
  '1',
  '"; --',
  '😀',
  'x'.repeat(300),
] as const

/** A name that does not exist. */
export const unknownName: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...prototypeNames) },
  { weight: 2, arbitrary: fc.constantFrom(...unknownNames) },
)

/** JSON texts of values on which parsers and databases fail often; half of them are values of no field. */
export const unusualJson: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('null', 'true', 'false', '{}', '[]', '""', '0') },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...[
        '18446744073709551616',
        '9223372036854775808',
        '-9223372036854775809',
        '9007199254740993',
      ],
      ...[
        '-0',
        '1.5',
        '1e999',
        '-1e999',
        '1e-999',
        '0.1e1',
        '1E400',
        '123456789012345678901234567890',
      ],
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...['"\\ud800"', '"\\udc00x"', '"a\\u0000b"', '"\\u0000"', '"\\uffff"', '"\\ud83d\\ude00"'],
      ...['"2020-02-30"', '"0000-01-01"', '"1e3"', '"-1"', '"__proto__"', '"1"', '"999999"'],
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...['[[]]', '[null]', '[{}]', '{"":""}', '{"__proto__":{}}', '{"constructor":{"name":1}}'],
      ...['{"length":1}', '{"toString":null}', '{"valueOf":1,"toString":2}', '{"toJSON":1}'],
    ),
  },
  { weight: 2, arbitrary: fc.json({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.integer({ min: 90, max: 2000 }).map(nested) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1000, max: 4000 }).map((length) => `"${'x'.repeat(length)}"`),
  },
)

/** Texts that are not JSON. */
export const brokenJson: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...[
      '{',
      '[',
      '"',
      "{'a':1}",
      '[1,]',
      '{"a":1,}',
      '{a:1}',
      'undefined',
      'NaN',
      'Infinity',
      '01',
    ],
    ...[
      '+1',
      '.5',
      '1.',
      '0x10',
      '"\t"',
      '"\\x41"',
      '"\\u12"',
      '/**/1',
      '[]]',
      '{}{}',
      'tru',
      'nul',
    ],
  ),
  fc
    .constantFrom('[', '{"a":', '[{"not":')
    .chain((open) =>
      fc.integer({ min: 1, max: 1000 }).map((times) => open.repeat(times).slice(0, 4000)),
    ),
)

/** Nested arrays around a number that only an exact parser reads without loss. */
export function nested(depth: number): string {
  return `${'['.repeat(depth)}18446744073709551616${']'.repeat(depth)}`
}
