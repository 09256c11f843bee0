import { boolean, decimal, integer, integer64, number } from 'lapidary'
import { asJson, type KindValues } from './kind-case.ts'

const range = 'a whole number between -9223372036854775808 and 9223372036854775807'

// biome-ignore format: a table, one value a cell
const rejectedIntegers = [
  '1.5', '1e-2', '9223372036854775808', '-9223372036854775809', '18446744073709551616', '1e20', '1e18',
  '9007199254740993.0', '9007199254740992.0', '1e400', 'true', '{}', '[]', '[5]', '""', '"x"', '" 5"', '"05"', '"+5"',
  '"5.0"', '"1e2"', '"9223372036854775808"', '"-0"',
]
const integer64Texts = [
  ['5', '5'],
  ['-0', '0'],
  ['7.0', '7'],
  ['1e2', '100'],
  ['9007199254740991', '9007199254740991'],
] as const
const rejectedIntegerTexts = [
  '',
  ' 5',
  '+5',
  '05',
  '0x5',
  '5n',
  '1.5',
  '9223372036854775808',
  '1e18',
]

const tooLong = `1${'0'.repeat(1000)}`
const longest = `-${'9'.repeat(500)}.${'1'.repeat(500)}`
const rejectedDecimals = [
  ...['5', '12.5', '0', '-0', 'true', '{}', '[]', '["1"]'],
  ...asJson('', '+1', '007', '00', '-', '.5', '5.', '-.5', '1e2', '1E2', '1,5', ' 1', '1 ', '1\n'),
  ...asJson('Infinity', 'NaN', '0x1', '1_0', '٥', '--1', '1.2.3', '$1'),
]

/** The values of numeric kinds and of boolean. */
export const kindsOfNumber = {
  integer: {
    kind: integer,
    // biome-ignore format: a table, one spelling a cell
    accepts: [
      ['0'], ['-0', '0'], ['5'], ['-5'], ['7.0', '7'], ['1e2', '100'], ['2147483648'],
      ['9007199254740991'], ['-9007199254740991'],
    ],
    // biome-ignore format: a table, one value a cell
    rejects: [
      '1.5', '1e-2', '9007199254740992', '-9007199254740992', '9007199254740993', '9223372036854775807',
      '18446744073709551616', '1e20', '1e400', '"5"', '""', 'true', '{}', '[]', '[5]',
    ],
    expected: 'a whole number',
    rejectedVals: ['1.5', '9007199254740993', '1e400', '"5"', 'true', '{}', '[5]'],
    filterTexts: [
      ['5', '5'],
      ['-5', '-5'],
      ['-0', '0'],
      ['7.0', '7'],
      ['1e2', '100'],
      ['9007199254740991', '9007199254740991'],
    ],
    rejectedTexts: [
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
  integer64: {
    kind: integer64(),
    // biome-ignore format: a table, one spelling a cell
    accepts: [
      ['0'], ['-0', '0'], ['5'], ['-5'], ['7.0', '7'], ['1e2', '100'], ['9007199254740991'], ['9007199254740992'],
      ['9007199254740993'], ['-9007199254740993'], ['9223372036854775807'], ['-9223372036854775808'],
    ],
    rejects: [...rejectedIntegers, '"5"'],
    expected: `${range}, written with digits alone`,
    rejectedVals: ['1.5', '9223372036854775808', '1e18', '"5"', 'true', '{}'],
    filterTexts: [...integer64Texts, ['9007199254740993', '9007199254740993']],
    rejectedTexts: rejectedIntegerTexts,
  },
  integer64text: {
    kind: integer64({ largeValuesAs: 'string' }),
    // biome-ignore format: a table, one spelling a cell
    accepts: [
      ['0'], ['-5'], ['"6"', '6'], ['"-6"', '-6'], ['9007199254740991'], ['9007199254740992', '"9007199254740992"'],
      ['-9007199254740993', '"-9007199254740993"'], ['"9223372036854775807"'], ['"-9223372036854775808"'],
    ],
    rejects: rejectedIntegers,
    expected: `${range}, a number or a string, written with digits alone`,
    rejectedVals: ['1.5', '9223372036854775808', '"x"', 'true', '{}'],
    filterTexts: [...integer64Texts, ['9007199254740993', '"9007199254740993"']],
    rejectedTexts: rejectedIntegerTexts,
  },
  number: {
    kind: number,
    // biome-ignore format: a table, one spelling a cell
    accepts: [
      ['0'], ['-0', '0'], ['5'], ['-5.25'], ['0.1'], ['1e2', '100'], ['1E+2', '100'], ['1e308', '1e+308'],
      ['-1.7976931348623157e308', '-1.7976931348623157e+308'], ['5e-324'], ['0.30000000000000004'],
      ['9007199254740993', '9007199254740992'], ['12345678901234567890', '12345678901234567000'],
      ['1e-400', '0'],
    ],
    rejects: ['1e400', '-1e400', `1${'0'.repeat(400)}`, '"5"', '""', 'true', '{}', '[]', '[5]'],
    expected: 'a number',
    rejectedVals: ['1e400', '"5"', 'true', '{}', '[5]'],
    filterTexts: [
      ['-5.25', '-5.25'],
      ['0.1', '0.1'],
      ['1E+2', '100'],
      ['1e308', '1e+308'],
      ['-0', '0'],
    ],
    rejectedTexts: [
      '',
      ' 5',
      '+5',
      '05',
      '5.',
      '.5',
      '0x5',
      'Infinity',
      'NaN',
      '1e400',
      '1,5',
      'null',
    ],
  },
  decimal: {
    kind: decimal(),
    // biome-ignore format: a table, one spelling a cell
    accepts: [
      ['"0"'], ['"-0"', '"0"'], ['"-0.00"', '"0"'], ['"12"'], ['"12.50"', '"12.5"'], ['"-12.05"'], ['"100"'], ['"0.1"'],
      ['"0.30000000000000004"'], ['"12345678901234567890.123456789"'], ['"0.000000000000000000000001"'], [`"${longest}"`],
    ],
    rejects: [...rejectedDecimals, `"${tooLong}"`, `"0.${'0'.repeat(1000)}1"`],
    expected: 'a decimal number in a string, such as "12.5", with at most 1000 digits',
    rejectedVals: [...rejectedDecimals, `"${tooLong}"`],
    filterTexts: [
      ['12.50', '"12.5"'],
      ['-0', '"0"'],
    ],
    rejectedTexts: ['', ' 5', '+5', '05', '5.', '.5', '1e2', 'null', tooLong],
  },
  money: {
    kind: decimal({ precision: 6, scale: 2 }),
    column: 'double precision',
    // biome-ignore format: a table, one spelling a cell
    accepts: [
      ['"0"', '"0.00"'], ['"-0"', '"0.00"'], ['"12"', '"12.00"'], ['"12.5"', '"12.50"'], ['"-9999.99"'], ['"0.01"'],
      ['"100"', '"100.00"'],
    ],
    rejects: [...rejectedDecimals, ...asJson('10000', '12345.6', '0.001', '12.500', '-10000.00')],
    expected:
      'a decimal number in a string, such as "12.5", with at most 4 digits before the point and 2 after it',
    expectedInFilters: 'a decimal number in a string, such as "12.5", with at most 1000 digits',
    rejectedVals: rejectedDecimals,
    filterTexts: [['12.500', '"12.50"']],
    rejectedTexts: ['', '+5', '1e2', 'null'],
  },
  fraction: {
    kind: decimal({ scale: 3, precision: 3 }),
    accepts: [['"0"', '"0.000"'], ['"0.5"', '"0.500"'], ['"-0.999"'], ['"0.001"']],
    rejects: [...rejectedDecimals, ...asJson('1', '1.5', '0.0001')],
    expected:
      'a decimal number in a string, such as "12.5", with at most 0 digits before the point and 3 after it',
    expectedInFilters: 'a decimal number in a string, such as "12.5", with at most 1000 digits',
    rejectedVals: rejectedDecimals,
    filterTexts: [['0.5', '"0.500"']],
    rejectedTexts: ['x'],
  },
  figures: {
    kind: decimal({ precision: 3 }),
    accepts: [['"0"'], ['"999"'], ['"-1.25"'], ['"0.125"'], ['"12.0"', '"12"']],
    rejects: [...rejectedDecimals, ...asJson('1000', '1.125', '0.0001', '100.0')],
    expected: 'a decimal number in a string, such as "12.5", with at most 3 digits',
    expectedInFilters: 'a decimal number in a string, such as "12.5", with at most 1000 digits',
    rejectedVals: rejectedDecimals,
    filterTexts: [['0.125', '"0.125"']],
    rejectedTexts: ['x'],
  },
  digits: {
    kind: decimal({ precision: 20, scale: 0 }),
    accepts: [['"0"'], ['"-99999999999999999999"'], ['"12"']],
    rejects: [...rejectedDecimals, ...asJson('100000000000000000000', '1.0', '1.5')],
    expected:
      'a decimal number in a string, such as "12.5", with at most 20 digits before the point and 0 after it',
    expectedInFilters: 'a decimal number in a string, such as "12.5", with at most 1000 digits',
    rejectedVals: rejectedDecimals,
    filterTexts: [['12.0', '"12"']],
    rejectedTexts: ['x'],
  },
  boolean: {
    kind: boolean,
    accepts: [['true'], ['false']],
    rejects: ['0', '1', '"true"', '""', '{}', '[]', '[true]'],
    expected: 'true or false',
    rejectedVals: ['0', '1', '"true"', '{}', '[true]'],
    filterTexts: [
      ['true', 'true'],
      ['false', 'false'],
    ],
    rejectedTexts: ['', 'True', 'TRUE', 'yes', '1', '0', ' true', 'null'],
  },
} satisfies Record<string, KindValues>
