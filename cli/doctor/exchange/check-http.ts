import { type Exchange, mediaType, type ParsedExchange } from './parse-exchange.ts'
import type { Violations } from './rule-violation.ts'
import { isObject } from './rule-violation.ts'

/** Checks the status and the headers of a response, and whether it may have a body. @param body - the parsed text */
export function* checkHttp({ method, status, headers, text }: Exchange, body: unknown): Violations {
  const hasNoBody = method === 'HEAD' || status === 204 || status === 304
  const pointer = ''
  if (hasNoBody && text !== '')
    yield { rule: 'GEN-2', pointer, message: 'the response must have no body' }
  if (!hasNoBody && text === '')
    yield { rule: 'DOC-2', pointer, message: 'the response must have a body' }
  const expected = getMediaType(body)
  if (status !== 204 && status !== 304 && headers['content-type'] !== expected) {
    const message = `Content-Type is ${headers['content-type']}, not exactly ${expected}`
    yield { rule: 'NEG-1', pointer, message }
  }
  const vary = splitHeader(headers.vary)
  if (!vary.includes('accept'))
    yield { rule: 'service.md#content-negotiation', pointer, message: 'Vary must name Accept' }
  if (headers['x-content-type-options'] !== 'nosniff') {
    yield { rule: 'limits.md', pointer, message: 'X-Content-Type-Options must be nosniff' }
  }
  yield* checkAllow(method, status, headers.allow)
}

/** The media type of a document, which has the profiles that its member `jsonapi` names. */
function getMediaType(body: unknown): string {
  const { profile } = isObject(body) && isObject(body.jsonapi) ? body.jsonapi : {}
  return Array.isArray(profile) ? `${mediaType};profile="${profile.join(' ')}"` : mediaType
}

function* checkAllow(method: string, status: number, allow: string | undefined): Violations {
  const pointer = ''
  if (allow === undefined && (status === 405 || (method === 'OPTIONS' && status < 300))) {
    yield { rule: 'GEN-2', pointer, message: 'Allow is missing' }
  }
  if (status === 405 && splitHeader(allow).includes(method.toLowerCase())) {
    yield { rule: 'GEN-2', pointer, message: `Allow lists ${method}, which the response rejects` }
  }
}

/** Checks that `Location` of a 201 response equals the self link of the created resource. */
export function* checkLocation({ body, exchange }: ParsedExchange): Violations {
  if (exchange.status !== 201) return
  const { data } = body
  if (!isObject(data)) {
    yield { rule: 'CRE-8', pointer: '/data', message: 'it must be the created resource' }
    return
  }
  const self = isObject(data.links) ? data.links.self : undefined
  const { location } = exchange.headers
  if (location === undefined) {
    yield { rule: 'CRE-7', pointer: '', message: 'Location is missing' }
  } else if (location !== self) {
    yield { rule: 'CRE-9', pointer: '/data/links/self', message: `Location is ${location}` }
  }
}

function splitHeader(header: string | undefined): string[] {
  return (header ?? '').split(',').map((name) => name.trim().toLowerCase())
}
