import type { KindName } from '../../src/model/kinds.ts'

/** The kinds an attribute can be of; ids are of a kind of their own. */
export type AttributeKind = Exclude<KindName, 'id'>

/** What attributes of one kind take and refuse. Values are JSON texts, so that `-0` and `1e400` can be written down. */
export interface KindValues {
  /** How the test's table declares the column. */
  readonly column: string
  /** What bodies and filters take; beside it what is told of it, where that is written otherwise. */
  readonly accepts: readonly (readonly [sent: string, told?: string])[]
  /** What bodies refuse. */
  readonly refuses: readonly string[]
  /** What a body's value must be, in the words of the refusal. */
  readonly expected: string
  /** What a filter's value must be, where that is something else. */
  readonly asked?: string
  /** What a JSON filter refuses. */
  readonly notVals: readonly string[]
  /** Texts of `filter[x]=text` and the value each is read as. */
  readonly texts: readonly (readonly [text: string, told: string])[]
  /** Texts that `filter[x]=text` refuses. */
  readonly notTexts: readonly string[]
}

const quoted = (...texts: readonly string[]) => texts.map((text) => JSON.stringify(text))
const same = (...texts: readonly string[]) => texts.map((text) => [JSON.stringify(text)] as const)

const oddTexts = [
  '',
  ' a  b ',
  'null',
  'o\'clock"; drop table thing; --',
  '%_*?[a]\\',
  '\u0001\t\r\n\u007f\u2028\u2029\ufeff\uffff',
  'e\u0301 \u00e9 ﬁ ß ς İ',
  '𝒳👩‍👩‍👧',
  'x'.repeat(2000),
]

const notStrings = ['5', '0', 'true', '{}', '[]', '["a"]', '"a\\u0000b"', '"\\ud800"', '"\\udc00x"']

/** Every kind, with what it takes and refuses. */
export const kindValues: Readonly<Record<AttributeKind, KindValues>> = {
  text: {
    column: 'text',
    accepts: same(...oddTexts),
    refuses: notStrings,
    expected: 'a string',
    notVals: notStrings,
    texts: oddTexts.map((text) => [text, JSON.stringify(text)]),
    notTexts: ['a\0b'],
  },
  email: {
    column: 'text',
    accepts: same(
      'ada@example.org',
      'ADA@Example.ORG',
      'a@b',
      'a.b+c_d@e-f.example.org',
      "!#$%&'*+/=?^_`{|}~-@example.org",
      `${'a'.repeat(242)}@example.org`,
    ),
    refuses: [
      ...notStrings,
      ...quoted('', 'ada', '@', 'ada@', '@example.org', 'a b@example.org', 'ada@exam ple.org'),
      ...quoted('ada@@example.org', 'ada@example..org', 'ada@-example.org', 'ada@example-.org'),
      ...quoted('ada@example.org\n', ' ada@example.org', 'ada@example.org.', 'ädä@example.org'),
      ...quoted('Ada <ada@example.org>', `${'a'.repeat(243)}@example.org`),
    ],
    expected: 'an e-mail address',
    asked: 'a string',
    // A query may ask for any part of an address.
    notVals: notStrings,
    texts: [
      ['ada@example.org', '"ada@example.org"'],
      ['a@b', '"a@b"'],
    ],
    notTexts: ['a\0b'],
  },
  integer: {
    column: 'integer',
    // biome-ignore format: a table, one spelling a cell
    accepts: [
      ['0'], ['-0', '0'], ['5'], ['-5'], ['7.0', '7'], ['1e2', '100'], ['2147483648'],
      ['9007199254740991'], ['-9007199254740991'],
    ],
    // biome-ignore format: a table, one value a cell
    refuses: [
      '1.5', '1e-2', '9007199254740992', '-9007199254740992', '9007199254740993', '9223372036854775807',
      '18446744073709551616', '1e20', '1e400', '"5"', '""', 'true', '{}', '[]', '[5]',
    ],
    expected: 'a whole number',
    notVals: ['1.5', '9007199254740993', '1e400', '"5"', 'true', '{}', '[5]'],
    texts: [
      ['5', '5'],
      ['-5', '-5'],
      ['-0', '0'],
      ['7.0', '7'],
      ['1e2', '100'],
      ['9007199254740991', '9007199254740991'],
    ],
    notTexts: [
      '',
      ' 5',
      '5 ',
      '+5',
      '05',
      '5.',
      '.5',
      '0x5',
      '5n',
      '1_0',
      '1.5',
      '٥',
      'null',
      '1e400',
    ],
  },
  number: {
    column: 'real',
    // biome-ignore format: a table, one spelling a cell
    accepts: [
      ['0'], ['-0', '0'], ['5'], ['-5.25'], ['0.1'], ['1e2', '100'], ['1E+2', '100'], ['1e308', '1e+308'],
      ['-1.7976931348623157e308', '-1.7976931348623157e+308'], ['5e-324'], ['0.30000000000000004'],
      ['9007199254740993', '9007199254740992'], ['12345678901234567890', '12345678901234567000'],
      ['1e-400', '0'],
    ],
    refuses: ['1e400', '-1e400', `1${'0'.repeat(400)}`, '"5"', '""', 'true', '{}', '[]', '[5]'],
    expected: 'a number',
    notVals: ['1e400', '"5"', 'true', '{}', '[5]'],
    texts: [
      ['-5.25', '-5.25'],
      ['0.1', '0.1'],
      ['1E+2', '100'],
      ['1e308', '1e+308'],
      ['-0', '0'],
    ],
    notTexts: ['', ' 5', '+5', '05', '5.', '.5', '0x5', 'Infinity', 'NaN', '1e400', '1,5', 'null'],
  },
  boolean: {
    column: 'integer',
    accepts: [['true'], ['false']],
    refuses: ['0', '1', '"true"', '""', '{}', '[]', '[true]'],
    expected: 'true or false',
    notVals: ['0', '1', '"true"', '{}', '[true]'],
    texts: [
      ['true', 'true'],
      ['false', 'false'],
    ],
    notTexts: ['', 'True', 'TRUE', 'yes', '1', '0', ' true', 'null'],
  },
  date: {
    column: 'text',
    accepts: same('1815-12-10', '2000-02-29', '2024-02-29', '0001-01-01', '9999-12-31'),
    refuses: [
      ...quoted(
        '',
        '1900-02-29',
        '2023-02-29',
        '2023-02-30',
        '2023-04-31',
        '2023-13-01',
        '2023-00-01',
      ),
      ...quoted('2023-01-00', '2023-1-1', '0000-01-01', '10000-01-01', '-0001-01-01', '20230101'),
      ...quoted(
        '2023-01-01T00:00:00Z',
        '2023-01-01 ',
        '2023-01-01\n',
        '01.02.2023',
        '２０２３-01-01',
      ),
      ...['20230101', 'true', '{}', '[]'],
    ],
    expected: 'a date of the calendar, written YYYY-MM-DD',
    notVals: [...quoted('', '2023-02-29', '2023', '2023-1-1'), '20230101', 'true', '{}'],
    texts: [['1815-12-10', '"1815-12-10"']],
    notTexts: ['', '2023-02-29', '1815-12-10 ', '1815', 'null'],
  },
}
