import { email, enumeration, text, url, uuid } from 'lapidary'
import { type KindValues, quoted, same } from './kind-case.ts'

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

/** What no string can be, as JSON. */
export const notStrings = [
  '5',
  '0',
  'true',
  '{}',
  '[]',
  '["a"]',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00x"',
]

const host = 'https://example.org'
const id = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'

/** What kinds that are told as texts take and refuse. */
export const kindsOfText = {
  text: {
    kind: text,
    accepts: same(...oddTexts),
    refuses: notStrings,
    expected: 'a string',
    notVals: notStrings,
    texts: oddTexts.map((text) => [text, JSON.stringify(text)]),
    notTexts: ['a\0b'],
  },
  email: {
    kind: email,
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
  url: {
    kind: url,
    accepts: same(
      host,
      `${host}/`,
      'HTTP://EXAMPLE.ORG:80/../a?b=c#d',
      'ftp://user:secret@example.org/x',
      'postgres://localhost:5432/database',
      'https://[::1]:8080/',
      'https://exämple.org/straße?q=ß#é',
      'x-y.z+1://host',
      `${host}/${'a'.repeat(2000)}`,
    ),
    refuses: [
      ...notStrings,
      ...quoted('', 'example.org', '/a/b', '//example.org/', 'https:', 'https://', 'https:/a'),
      ...quoted('https:///path', 'file:///etc/hosts', 'mailto:ada@example.org', 'urn:isbn:1'),
      ...quoted(` ${host}`, `${host} `, `${host}/a b`, `${host}/\n`, `${host}/\u0085`, '1a://host'),
      ...quoted(
        `${host}/\u2003`,
        'https://exa mple.org',
        'https://a:b',
        'https://[::1',
        'https://%',
      ),
    ],
    expected: 'an absolute URL, such as "https://example.org/"',
    asked: 'a string',
    // A query may ask for any part of a URL.
    notVals: notStrings,
    texts: [[host, JSON.stringify(host)]],
    notTexts: ['a\0b'],
  },
  uuid: {
    kind: uuid,
    accepts: [
      ...same(id, '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
      ['"F81D4FAE-7DEC-11D0-A765-00A0C91E6BF7"', '"f81d4fae-7dec-11d0-a765-00a0c91e6bf7"'],
      ['"017F22E2-79b0-7CC3-98C4-DC0C0C07398F"', '"017f22e2-79b0-7cc3-98c4-dc0c0c07398f"'],
    ],
    refuses: [
      ...notStrings,
      ...quoted('', id.slice(1), `${id}0`, ` ${id}`, `${id}\n`, id.replaceAll('-', ''), `{${id}}`),
      ...quoted(`urn:uuid:${id}`, id.replace('f', 'g'), id.replace('-', '_')),
    ],
    expected: 'a UUID, such as "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"',
    notVals: ['5', 'true', '{}', ...quoted('', 'x', id.slice(1))],
    texts: [
      [id, JSON.stringify(id)],
      [id.toUpperCase(), JSON.stringify(id)],
    ],
    notTexts: ['', 'null', `${id} `],
  },
  enumeration: {
    kind: enumeration(['open', 'closed', '', 'it’s "ok"']),
    accepts: same('open', 'closed', '', 'it’s "ok"'),
    refuses: [...notStrings, ...quoted('Open', 'opened', 'open ', 'toString', 'constructor', '5')],
    expected: 'one of "open", "closed", "", "it’s \\"ok\\""',
    sentences: [
      ['"opne"', 'one of "open", "closed", "", "it’s \\"ok\\"" (did you mean "open"?)'],
      ['"something else"', 'one of "open", "closed", "", "it’s \\"ok\\""'],
    ],
    notVals: [...quoted('Open', 'x'), '5', 'true', '{}'],
    texts: [
      ['open', '"open"'],
      ['', '""'],
    ],
    notTexts: ['Open', 'null', 'x'],
  },
} satisfies Record<string, KindValues>
