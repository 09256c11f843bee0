import { email, enumeration, text, url, uuid } from 'lapidary'
import { asJson, type KindValues, unchanged } from './kind-case.ts'

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

/** JSON values that are not strings, and strings that no database can store. */
const notStrings = ['5', '0', 'true', '{}', '[]', '["a"]', '"a\\u0000b"', '"\\ud800"', '"\\udc00x"']

const host = 'https://example.org'
const id = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'

/** The values of kinds that are strings. */
export const kindsOfText = {
  text: {
    kind: text,
    accepts: unchanged(...oddTexts),
    rejects: notStrings,
    expected: 'a string',
    rejectedVals: notStrings,
    filterTexts: oddTexts.map((text) => [text, JSON.stringify(text)]),
    rejectedTexts: ['a\0b'],
  },
  email: {
    kind: email,
    accepts: unchanged(
      'ada@example.org',
      'ADA@Example.ORG',
      'a@b',
      'a.b+c_d@e-f.example.org',
      "!#$%&'*+/=?^_`{|}~-@example.org",
      `${'a'.repeat(242)}@example.org`,
    ),
    rejects: [
      ...notStrings,
      ...asJson('', 'ada', '@', 'ada@', '@example.org', 'a b@example.org', 'ada@exam ple.org'),
      ...asJson('ada@@example.org', 'ada@example..org', 'ada@-example.org', 'ada@example-.org'),
      ...asJson('ada@example.org\n', ' ada@example.org', 'ada@example.org.', 'ädä@example.org'),
      ...asJson('Ada <ada@example.org>', `${'a'.repeat(243)}@example.org`),
    ],
    expected: 'an e-mail address',
    expectedInFilters: 'a string',
    // A filter may contain any part of an address.
    rejectedVals: notStrings,
    filterTexts: [
      ['ada@example.org', '"ada@example.org"'],
      ['a@b', '"a@b"'],
    ],
    rejectedTexts: ['a\0b'],
  },
  url: {
    kind: url,
    accepts: unchanged(
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
    rejects: [
      ...notStrings,
      ...asJson('', 'example.org', '/a/b', '//example.org/', 'https:', 'https://', 'https:/a'),
      ...asJson('https:///path', 'file:///etc/hosts', 'mailto:ada@example.org', 'urn:isbn:1'),
      ...asJson(` ${host}`, `${host} `, `${host}/a b`, `${host}/\n`, `${host}/\u0085`, '1a://host'),
      ...asJson(
        `${host}/\u2003`,
        'https://exa mple.org',
        'https://a:b',
        'https://[::1',
        'https://%',
      ),
    ],
    expected: 'an absolute URL, such as "https://example.org/"',
    expectedInFilters: 'a string',
    // A filter may contain any part of a URL.
    rejectedVals: notStrings,
    filterTexts: [[host, JSON.stringify(host)]],
    rejectedTexts: ['a\0b'],
  },
  uuid: {
    kind: uuid,
    accepts: [
      ...unchanged(
        id,
        '00000000-0000-0000-0000-000000000000',
        'ffffffff-ffff-ffff-ffff-ffffffffffff',
      ),
      ['"F81D4FAE-7DEC-11D0-A765-00A0C91E6BF7"', '"f81d4fae-7dec-11d0-a765-00a0c91e6bf7"'],
      ['"017F22E2-79b0-7CC3-98C4-DC0C0C07398F"', '"017f22e2-79b0-7cc3-98c4-dc0c0c07398f"'],
    ],
    rejects: [
      ...notStrings,
      ...asJson('', id.slice(1), `${id}0`, ` ${id}`, `${id}\n`, id.replaceAll('-', ''), `{${id}}`),
      ...asJson(`urn:uuid:${id}`, id.replace('f', 'g'), id.replace('-', '_')),
    ],
    expected: 'a UUID, such as "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"',
    rejectedVals: ['5', 'true', '{}', ...asJson('', 'x', id.slice(1))],
    filterTexts: [
      [id, JSON.stringify(id)],
      [id.toUpperCase(), JSON.stringify(id)],
    ],
    rejectedTexts: ['', 'null', `${id} `],
  },
  enumeration: {
    kind: enumeration(['open', 'closed', '', 'it’s "ok"']),
    accepts: unchanged('open', 'closed', '', 'it’s "ok"'),
    rejects: [...notStrings, ...asJson('Open', 'opened', 'open ', 'toString', 'constructor', '5')],
    expected: 'one of "open", "closed", "", "it’s \\"ok\\""',
    details: [
      ['"opne"', 'one of "open", "closed", "", "it’s \\"ok\\"" (did you mean "open"?)'],
      ['"something else"', 'one of "open", "closed", "", "it’s \\"ok\\""'],
    ],
    rejectedVals: [...asJson('Open', 'x'), '5', 'true', '{}'],
    filterTexts: [
      ['open', '"open"'],
      ['', '""'],
    ],
    rejectedTexts: ['Open', 'null', 'x'],
  },
} satisfies Record<string, KindValues>
