import * as fc from 'fast-check'
import { prototypeNames } from '../unusual-values.ts'
import type { RawRequest } from './malformed-request.ts'

const host = 'Host: 127.0.0.1'
const accept = 'Accept: application/vnd.api+json'

/** Requests that no HTTP library sends: random targets, methods, header fields and bytes. */
export function anyBadBytes(): fc.Arbitrary<RawRequest> {
  return fc.oneof(
    { weight: 5, arbitrary: anyTarget },
    { weight: 3, arbitrary: anyMethod },
    { weight: 3, arbitrary: anyHost },
    { weight: 2, arbitrary: anyDoubleHeader },
    { weight: 2, arbitrary: anyBrokenFrame },
    { weight: 2, arbitrary: anyNoise },
  )
}

/** Targets that an HTTP parser may reject. */
const impossibleTargets = [
  ...[
    '',
    'persons',
    '?x',
    '#',
    'http:',
    'http://',
    'http://[::1/persons',
    'ftp://x/persons',
    '\\persons',
  ],
  ...[
    '/persons\t',
    '/per\0sons',
    '/pers\u00f6ns',
    '/persons?\u00ff',
    '/\u0080',
    '/persons /1',
    '/\x7f',
    '/\x1b[31m',
  ],
]

/** Targets of printable ASCII that begin with a slash are valid HTTP. */
const anyTarget: fc.Arbitrary<RawRequest> = fc
  .oneof(
    { weight: 4, arbitrary: fc.constantFrom(...unusualTargets()) },
    {
      weight: 3,
      arbitrary: fc
        .array(fc.constantFrom(...segments()), { minLength: 1, maxLength: 5 })
        .map((parts) => `/${parts.join('/')}`),
    },
    {
      weight: 2,
      arbitrary: fc
        .array(fc.integer({ min: 0x21, max: 0x7e }), { maxLength: 30 })
        .map((codes) => `/${String.fromCharCode(...codes)}`),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...impossibleTargets),
    },
  )
  .map((target) => {
    const possible = /^(\/|\*$|https?:\/\/[\w.]+\/)[\x21-\x7e]*$/.test(target)
    return {
      method: target === '*' ? 'OPTIONS' : 'GET',
      target,
      bytes: head(target === '*' ? 'OPTIONS' : 'GET', target, [host, accept]),
      response: possible && target.length < 8000 ? 'document' : 'protocol',
      ends: false,
    }
  })

function unusualTargets(): string[] {
  return [
    ...[
      '/%',
      '/%zz',
      '/persons/%',
      '/persons/%ff',
      '/persons%00',
      '/persons%2f1',
      '/%2e%2e/persons',
    ],
    ...['/persons/1%00', '/persons/%c0%af', '/persons/%ed%a0%80', '/persons?%', '/persons?=%ff'],
    ...[
      '//',
      '//persons',
      '/persons//',
      '/persons//1',
      '/./persons',
      '/../../etc/passwd',
      '/persons/',
    ],
    ...[
      '/persons/.',
      '/persons/..',
      '/persons;x=1',
      '/persons#x',
      '/persons?a#b',
      '/persons??',
      '/?',
    ],
    ...[
      '/PERSONS',
      '/person',
      '/persons/1/',
      '/persons/1/owner',
      '/computers/1/computers',
      '/{id}',
    ],
    ...['*', 'http://x.example/persons', 'https://x.example/persons?x=1', 'http://x.example/'],
    ...prototypeNames.flatMap((name) => [`/${name}`, `/persons/${name}`, `/persons/1/${name}`]),
    ...prototypeNames.map((name) => `/persons/1/relationships/${name}`),
    ...['/persons/1/relationships', '/persons/1/relationships/', '/relationships/computers'],
    ...[4000, 7000, 20_000, 100_000].map((length) => `/${'x'.repeat(length)}`),
    ...[1000, 20_000].map((length) => `/persons/${'9'.repeat(length)}`),
    `/persons?${'a=1&'.repeat(1500)}`,
  ]
}

function segments(): string[] {
  return [
    ...[
      'persons',
      'computers',
      'relationships',
      'owner',
      '1',
      '2',
      '999999',
      '0',
      '-1',
      '+1',
      '01',
    ],
    ...['1.0', '1e0', '0x1', '9223372036854775807', '9223372036854775808', '18446744073709551616'],
    ...[
      '',
      '.',
      '..',
      '%31',
      '%20',
      '1%20',
      'NaN',
      'null',
      'abc',
      '%EF%BC%91',
      "1'--",
      '*',
      ...prototypeNames,
    ],
  ]
}

/** A method of HTTP gets a JSON:API document; an HTTP parser rejects other methods. */
const anyMethod: fc.Arbitrary<RawRequest> = fc
  .tuple(
    fc.constantFrom(
      ...['PUT', 'TRACE', 'PROPFIND', 'MKCOL', 'LOCK', 'SEARCH', 'PURGE', 'REPORT', 'LINK', 'COPY'],
      ...[
        'get',
        'Get',
        'FOO',
        'GETX',
        '',
        '__proto__',
        'CONNECT',
        'G\0ET',
        'POST',
        'OPTIONS',
        'HEAD',
      ],
    ),
    fc.constantFrom(
      '/persons',
      '/persons/1/relationships/computers',
      '/nowhere',
      '/',
      '/persons/x',
    ),
  )
  .map(([method, target]) => ({
    method,
    target,
    bytes: head(method, target, [
      host,
      accept,
      ...(method === 'POST' ? ['Content-Length: 0'] : []),
    ]),
    response:
      /^(PUT|[A-Z]{4,})$/.test(method) && !/^(GETX|CONNECT)$/.test(method)
        ? 'document'
        : 'protocol',
    ends: false,
  }))

const anyHost: fc.Arbitrary<RawRequest> = fc
  .tuple(
    fc.constantFrom(
      ...[
        'a b',
        '"><script>',
        'x.example:99999999',
        'x.example/path',
        'x?y',
        'u:p@x.example',
        '[::1',
        '[::1]',
      ],
      ...[
        '%00',
        '..',
        'x,y',
        '\u00e9',
        '127.0.0.1:',
        ':',
        '[',
        'x#y',
        'x\\y',
        '__proto__',
        'a'.repeat(3000),
      ],
    ),
    fc.constantFrom('/persons', '/computers?page[size]=1', '/persons/1', '/nowhere'),
  )
  .map(([name, target]) => ({
    method: 'GET',
    target,
    bytes: head('GET', target, [`Host: ${name}`, accept]),
    response: 'document',
    ends: false,
  }))

/** Repeated, too many or too long header fields, or no host. Only some of these requests are valid HTTP. */
const anyDoubleHeader: fc.Arbitrary<RawRequest> = fc
  .tuple(
    fc.constantFrom<readonly [RawRequest['response'], ...string[]]>(
      ['protocol', accept],
      ['protocol', 'Host:', accept],
      ['protocol', host, host, accept],
      ['protocol', host, 'Content-Length: 0', 'Content-Length: 0'],
      ['protocol', host, `X-Long: ${'x'.repeat(20_000)}`],
      ['protocol', host, ...Array.from({ length: 3000 }, (_, index) => `X-${index}: 1`)],
      ['document', host],
      ['document', host, accept, accept],
      ['document', host, accept, 'Accept: text/html;a=b', 'Accept: */*'],
      ['document', host, 'Content-Type: text/plain', 'Content-Type: application/vnd.api+json'],
      ['document', host, `X-Long: ${'x'.repeat(12_000)}`],
      ['document', host, 'Expect: 200-ok'],
      ['document', host, 'Connection: Upgrade', 'Upgrade: websocket'],
      ['document', host, 'Connection: __proto__, close', 'Keep-Alive: timeout=-1'],
    ),
    fc.constantFrom('/persons', '/persons/1', '/nowhere'),
  )
  .map(([[response, ...headers], target]) => ({
    method: 'GET',
    target,
    bytes: head('GET', target, headers),
    response,
    ends: false,
  }))

/** Bodies whose length or chunks are wrong. */
const anyBrokenFrame: fc.Arbitrary<RawRequest> = fc
  .tuple(
    fc.constantFrom<readonly string[]>(
      ['Content-Length: -1'],
      ['Content-Length: abc'],
      ['Content-Length: 1e3'],
      ['Content-Length: 18446744073709551616'],
      ['Content-Length: 2', 'Content-Length: 3'],
      ['Content-Length: 1000'],
      ['Transfer-Encoding: chunked'],
      ['Transfer-Encoding: chunked', 'Content-Length: 3'],
      ['Transfer-Encoding: gzip'],
      ['Transfer-Encoding: chunked, chunked'],
      [' Folded: 1'],
      ['No colon'],
      ['Bad name: 1'],
      ['X: a\0b'],
      ['X: a\rb'],
    ),
    fc.constantFrom(
      '',
      '{}',
      'zz\r\n{}\r\n0\r\n\r\n',
      '-1\r\n',
      'ffffffffffffffffff\r\n',
      '5\r\n{}',
    ),
  )
  .map(([headers, body]) => {
    const type = 'Content-Type: application/vnd.api+json'
    return {
      method: 'POST',
      target: '/persons',
      bytes: Buffer.concat([
        head('POST', '/persons', [host, accept, type, ...headers]),
        Buffer.from(body, 'latin1'),
      ]),
      response: 'protocol',
      ends: true,
    }
  })

/** Bytes of other protocols, and of none. */
const anyNoise: fc.Arbitrary<RawRequest> = fc
  .oneof(
    fc
      .constantFrom(
        ...['\r\n\r\n', '\n', '\0\0\0\0', 'GET', 'GET /persons', 'GET /persons\r\n\r\n'],
        ...[
          'GET /persons HTTP/9.9\r\n\r\n',
          'GET /persons HTTP/1.1 x\r\n\r\n',
          'HTTP/1.1 200 OK\r\n\r\n',
        ],
        ...['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
        ...['GET /persons HTTP/1.1\nHost: x\n\n', 'SSH-2.0-x\r\n', '{"jsonrpc":"2.0"}\r\n\r\n'],
      )
      .map((text) => Buffer.from(text, 'latin1')),
    fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  )
  .map((bytes) => ({ method: 'GET', target: '/', bytes, response: 'protocol', ends: true }))

function head(method: string, target: string, headers: readonly string[]): Buffer {
  return Buffer.from([`${method} ${target} HTTP/1.1`, ...headers, '', ''].join('\r\n'), 'latin1')
}
