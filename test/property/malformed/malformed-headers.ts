import * as fc from 'fast-check'
import { type MalformedRequest, validPaths } from './malformed-request.ts'

const json = 'application/vnd.api+json'
const person = JSON.stringify({ data: { type: 'person', attributes: { name: 'Ada' } } })

/** Requests with invalid headers that any HTTP client can send. */
export function anyBadHeader(): fc.Arbitrary<MalformedRequest> {
  const get = (headers: MalformedRequest['headers'], isInvalid: boolean) =>
    fc.constantFrom(...validPaths).map(
      (path): MalformedRequest => ({
        method: 'GET',
        path,
        isInvalid,
        ...(headers && { headers }),
      }),
    )
  const post = (headers: MalformedRequest['headers'], isInvalid: boolean) =>
    fc.constant<MalformedRequest>({
      method: 'POST',
      path: '/persons',
      body: person,
      isInvalid,
      ...(headers && { headers }),
    })
  return fc.oneof(
    parameter.chain((text) => get({ accept: `${json};${text}` }, true)),
    fc
      .tuple(parameter, parameter)
      .chain(([one, other]) => get({ accept: `${json};${one}, ${json} ; ${other}, */*` }, true)),
    parameter.chain((text) => get({ 'content-type': `${json};${text}` }, true)),
    parameter.chain((text) => post({ 'content-type': `${json}; ${text}` }, true)),
    otherType.chain((type) => post({ 'content-type': type }, true)),
    unusualValue.chain((value) => get({ accept: value }, false)),
    unusualValue.chain((value) => get({ 'content-type': value }, false)),
    unusualValue.chain((value) => post({ accept: value }, false)),
    fc.tuple(unusualName, unusualValue).chain(([name, value]) => get({ [name]: value }, false)),
    fc.tuple(unusualName, unusualValue).chain(([name, value]) => post({ [name]: value }, false)),
  )
}

/** Parameters of a media type; none of them is `q`. */
const parameter = fc.constantFrom(
  ...['charset=utf-8', 'charset="utf-8"', 'profile="https://x.example/y"', 'ext="a,b"', 'a=b;q=1'],
  ...['version=1', 'x="\\""', '__proto__=1', 'a=""', 'Q2=1', 'x="a;b,c"', 'CHARSET=UTF-8'],
)

const otherType = fc.constantFrom(
  ...['application/json', 'text/plain', 'text/html', 'multipart/form-data; boundary=x', '*/*'],
  ...['application/x-www-form-urlencoded', 'application/vnd.api', 'application/vnd.api+jsonx'],
  ...['vnd.api+json', 'application', '/', ',', '""', 'application/octet-stream', 'é/é'],
)

const unusualName = fc.constantFrom(
  ...['accept', 'content-type', 'accept-encoding', 'content-encoding', 'if-match', 'range', 'te'],
  ...[
    'if-none-match',
    'if-modified-since',
    'prefer',
    'origin',
    'cookie',
    'authorization',
    'forwarded',
  ],
  ...[
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-http-method-override',
    '__proto__',
    'constructor',
  ],
  ...['access-control-request-method', 'upgrade', 'accept-charset', 'x-request-id', 'traceparent'],
)

const unusualValue = fc.oneof(
  fc.constantFrom(
    ...['', ' ', ',', ';', ';;', '/', '*', '*/*;q=0', `${json};q=0`, `${json};q=x`, `${json};`],
    ...[
      `${json},${json}`,
      `${json}, ${json};a=b`,
      `"${json}"`,
      `${json}; =`,
      'gzip',
      'identity;q=0',
    ],
    ...[
      'bytes=0-1',
      'javascript:alert(1)',
      '{"$ne":1}',
      '"',
      '\\',
      'é',
      'http://evil.example/?a b',
    ],
    ...[
      `${json};profile="`,
      `${json};a="\\`,
      `${json} ;q=1`,
      'APPLICATION/VND.API+JSON',
      '__proto__',
    ],
  ),
  fc.integer({ min: 100, max: 6000 }).map((length) => 'a/b,'.repeat(length / 4)),
  fc.string({ unit: 'grapheme-ascii', maxLength: 40 }).map((text) => text.trim()),
)
