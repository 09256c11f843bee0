import type { Breaches, Members } from './breach.ts'
import { below, checkMembers, isFilled, isObject } from './breach.ts'
import type { Reading } from './reading.ts'

const topLevel = ['data', 'errors', 'meta', 'jsonapi', 'links', 'included']

/** The members at the top of a document, and the names of all members. */
export function* checkDocument(reading: Reading): Breaches {
  const { body } = reading
  yield* checkMembers(body, topLevel, { rule: 'DOC-4', at: '' })
  if (!('data' in body || 'errors' in body || 'meta' in body)) {
    yield { rule: 'DOC-2', at: '', why: 'one of data, errors and meta must stand here' }
  }
  if ('data' in body && 'errors' in body) {
    yield { rule: 'DOC-3', at: '/errors', why: 'data stands beside it' }
  }
  if ('included' in body && !('data' in body)) {
    yield { rule: 'DOC-5', at: '/included', why: 'there is no data' }
  }
  yield* checkVersion(body)
  yield* checkMeta(reading)
  yield* checkNames(body, '')
}

function* checkVersion({ jsonapi }: Members): Breaches {
  const at = '/jsonapi'
  if (jsonapi === undefined) {
    yield { rule: 'API-1', at, why: 'it must stand in every body' }
  } else if (!isObject(jsonapi)) {
    yield { rule: 'API-2', at, why: 'it must be an object' }
  } else {
    if (jsonapi.version !== '1.0') {
      yield { rule: 'API-3', at: '/jsonapi/version', why: 'it must be "1.0"' }
    }
    yield* checkMembers(jsonapi, ['version'], { rule: 'API-4', at })
  }
}

function* checkMeta({ body, exchange, relationship }: Reading): Breaches {
  const { data, meta } = body
  const members = isObject(meta) ? meta : {}
  if (meta !== undefined && !isObject(meta)) {
    yield { rule: 'MET-1', at: '/meta', why: 'it must be an object' }
  }
  if (Array.isArray(data) && relationship === undefined) {
    const { count } = members
    if (!Number.isInteger(count) || Number(count) < data.length) {
      const why = `it must count the matches over all pages, ${data.length} of them here`
      yield { rule: 'MET-2', at: '/meta/count', why }
    }
  }
  const write = exchange.method !== 'GET' && !('data' in body) && !('errors' in body)
  if (write && !isFilled(members.message)) {
    yield { rule: 'MET-2', at: '/meta/message', why: 'it must say what was done' }
  }
}

const edge = /^[A-Za-z0-9\u0080-\u{10FFFF}]$/u
const inside = /^[A-Za-z0-9\u0080-\u{10FFFF} _-]*$/u

/** Every member name at every depth, those of attributes and `meta` too. */
function* checkNames(value: unknown, at: string): Breaches {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* checkNames(item, below(at, index))
  }
  if (!isObject(value)) return
  for (const [name, inner] of Object.entries(value)) {
    const place = below(at, name)
    const [first = '', ...rest] = name
    if (name === '') yield { rule: 'NAM-2', at: place, why: 'a member name is empty' }
    else if (!inside.test(name)) yield { rule: 'NAM-3', at: place, why: 'not a member name' }
    else if (!edge.test(first) || !edge.test(rest.at(-1) ?? first)) {
      yield {
        rule: 'NAM-4',
        at: place,
        why: 'a member name starts and ends with a letter or digit',
      }
    }
    yield* checkNames(inner, place)
  }
}

/** Whether a text may name a member, a type or a field. */
export function isMemberName(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && [...checkNames({ [name]: 0 }, '')].length === 0
}
