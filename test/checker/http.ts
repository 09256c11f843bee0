import type { Exchange } from '../client.ts'
import { mediaType } from '../client.ts'
import type { Breaches } from './breach.ts'
import { isObject } from './breach.ts'
import type { Reading } from './reading.ts'

/** What every answer owes HTTP, whatever stands in its body. */
export function* checkHttp({ method, status, headers, text }: Exchange): Breaches {
  const bodiless = method === 'HEAD' || status === 204
  const at = ''
  if (bodiless && text !== '') yield { rule: 'GEN-2', at, why: 'there must be no body' }
  if (!bodiless && text === '') yield { rule: 'DOC-2', at, why: 'there must be a document' }
  if (status !== 204 && headers['content-type'] !== mediaType) {
    const why = `Content-Type is ${headers['content-type']}, not exactly ${mediaType}`
    yield { rule: 'NEG-1', at, why }
  }
  const vary = listed(headers.vary)
  if (!vary.includes('accept'))
    yield { rule: 'service.md#content-negotiation', at, why: 'Vary must name Accept' }
  if (headers['x-content-type-options'] !== 'nosniff') {
    yield { rule: 'limits', at, why: 'X-Content-Type-Options must be nosniff' }
  }
  yield* checkAllow(method, status, headers.allow)
}

function* checkAllow(method: string, status: number, allow: string | undefined): Breaches {
  const at = ''
  if (allow === undefined && (status === 405 || (method === 'OPTIONS' && status < 300))) {
    yield { rule: 'GEN-2', at, why: 'Allow is missing' }
  }
  if (status === 405 && listed(allow).includes(method.toLowerCase())) {
    yield { rule: 'GEN-2', at, why: `Allow lists ${method}, which was refused` }
  }
}

/** A 201 says where the new resource is, in the very words of the resource. */
export function* checkLocation({ body, exchange }: Reading): Breaches {
  if (exchange.status !== 201) return
  const { data } = body
  if (!isObject(data)) {
    yield { rule: 'CRE-8', at: '/data', why: 'the created resource must stand here' }
    return
  }
  const self = isObject(data.links) ? data.links.self : undefined
  const { location } = exchange.headers
  if (location === undefined) {
    yield { rule: 'CRE-7', at: '', why: 'Location is missing' }
  } else if (location !== self) {
    yield { rule: 'CRE-9', at: '/data/links/self', why: `Location is ${location}` }
  }
}

function listed(header: string | undefined): string[] {
  return (header ?? '').split(',').map((name) => name.trim().toLowerCase())
}
