import * as fc from 'fast-check'

/** Texts that databases handle differently: case pairs, combining marks, wildcards of every dialect, quotes and spaces. */
const fragments = [
  ...['a', 'A', 'b', 'foo', 'Foo', 'BAR', '7', '10', '9'],
  ...['ß', 'ss', 'SS', 'ẞ', 'İ', 'i', 'ı', 'I', 'i\u0307', 'ς', 'σ', 'Σ', 'ﬁ', 'FI', 'ŉ', 'K', 'k'],
  ...['é', 'e\u0301', 'E\u0301', '\u0301', 'Å', 'å', 'µ', 'μ', 'ª', 'ſ', 'ǆ', 'ǅ', 'ᾳ'],
  ...[
    '%',
    '_',
    '\\',
    '*',
    '?',
    '[',
    ']',
    '[a-z]',
    '^',
    '\\%',
    "'",
    '"',
    '`',
    '--',
    ';',
    '$1',
    '?1',
  ],
  ...[
    ' ',
    '  ',
    '\t',
    '\n',
    '\u00a0',
    '-',
    '—',
    '…',
    '、',
    '，',
    '×',
    '\u007f',
    '\u200d',
    '\ufeff',
  ],
  ...['😀', '👩‍💻', '𝒳', '𐐀', '𐐨', '｡', '\ufffd', '\ufffe', '\uffff', '\u{10ffff}', '漢', 'ع', 'ก'],
] as const

const fragment = fc.constantFrom(...fragments)

/** Code points but U+0000 and halves of surrogate pairs. */
const codePoint = fc
  .integer({ min: 1, max: 0x10ffff - 0x800 })
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800))

/** Texts of any characters. `fc.string({ unit: 'binary' })` does the same after a second of preparation. */
export function anyCharacters(maxLength: number): fc.Arbitrary<string> {
  return fc.array(codePoint, { maxLength }).map((all) => all.join(''))
}

/** Texts of all lengths, without U+0000 and single surrogates. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: fc.array(fragment, { maxLength: 4 }).map((parts) => parts.join('')) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
  { weight: 2, arbitrary: anyCharacters(6) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fragment, fc.integer({ min: 30, max: 120 }))
      .map(([part, times]) => part.repeat(times)),
  },
)

/** E-mail addresses that every definition of the format accepts, with wildcards of `like`. */
export const anyEmail: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('ada', 'Ada', 'ADA', 'a_a', 'a%a', 'a-b', "o'hara", 'a+b', 'a.b', 'foo', '7'),
    fc.constantFrom('example.org', 'Example.org', 'foo.example', 'b.example.com'),
  )
  .map(([local, host]) => `${local}@${host}`)

/** Dates of the calendar, with leap days and the first and last day. */
export const anyDate: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('0001-01-01', '9999-12-31', '2000-02-29', '1900-02-28', '1815-12-10'),
  fc
    .tuple(
      fc.integer({ min: 1998, max: 2002 }),
      fc.constantFrom('01-01', '02-28', '06-15', '12-31'),
    )
    .map(([year, day]) => `${year}-${day}`),
)
