import type { ParsedExchange } from './parse-exchange.ts'
import type { Violations } from './rule-violation.ts'
import { appendToken, checkMembers, isNonEmptyString, isObject } from './rule-violation.ts'

const topLevel = ['data', 'errors', 'meta', 'jsonapi', 'links', 'included']

/** Checks the top-level members of a document, and the names of all members. */
export function* checkDocument(parsed: ParsedExchange): Violations {
  const { body } = parsed
  yield* checkMembers(body, topLevel, { rule: 'DOC-4', pointer: '' })
  if (!('data' in body || 'errors' in body || 'meta' in body)) {
    yield { rule: 'DOC-2', pointer: '', message: 'one of data, errors and meta is required' }
  }
  if ('data' in body && 'errors' in body) {
    yield { rule: 'DOC-3', pointer: '/errors', message: 'data and errors must not appear together' }
  }
  if ('included' in body && !('data' in body)) {
    yield { rule: 'DOC-5', pointer: '/included', message: 'included must not appear without data' }
  }
  yield* checkVersion(parsed)
  yield* checkMeta(parsed)
  if (!hasValidNames(body)) yield* checkNames(body, '')
}

function* checkVersion({ body: { jsonapi }, isModern }: ParsedExchange): Violations {
  const pointer = '/jsonapi'
  if (jsonapi === undefined) {
    yield { rule: 'API-1', pointer, message: 'every body must contain it' }
  } else if (!isObject(jsonapi)) {
    yield { rule: 'API-2', pointer, message: 'it must be an object' }
  } else {
    if (jsonapi.version !== '1.0' && jsonapi.version !== '1.1') {
      yield { rule: 'API-3', pointer: '/jsonapi/version', message: 'it must be "1.0" or "1.1"' }
    }
    const uris = isModern ? ['ext', 'profile'] : []
    yield* checkMembers(jsonapi, ['version', ...uris], { rule: 'API-4', pointer })
    for (const name of uris) {
      const { [name]: list = [] } = jsonapi
      if (Array.isArray(list) && list.every(isNonEmptyString)) continue
      const message = 'it must be an array of URIs'
      yield { rule: 'API-4', pointer: appendToken(pointer, name), message }
    }
  }
}

function* checkMeta({ body, exchange, relationship }: ParsedExchange): Violations {
  const { data, meta } = body
  const members = isObject(meta) ? meta : {}
  if (meta !== undefined && !isObject(meta)) {
    yield { rule: 'MET-1', pointer: '/meta', message: 'it must be an object' }
  }
  if (Array.isArray(data) && relationship === undefined) {
    const { count } = members
    // A page between cursors may be without a count.
    const isUncounted = count === undefined && isObject(members.page)
    if (!isUncounted && (!Number.isInteger(count) || Number(count) < data.length)) {
      const message = `it must be the number of resources on all pages; this page has ${data.length}`
      yield { rule: 'MET-2', pointer: '/meta/count', message }
    }
  }
  const isAction = /\/actions\/[^/?]+(\?|$)/.test(exchange.url)
  const isWrite = exchange.method !== 'GET' && !isAction && !('data' in body) && !('errors' in body)
  if (isWrite && !isNonEmptyString(members.message)) {
    yield { rule: 'MET-2', pointer: '/meta/message', message: 'it must describe what was done' }
  }
}

const firstOrLast = /^[A-Za-z0-9\u0080-\u{10FFFF}]$/u
const allowed = /^[A-Za-z0-9\u0080-\u{10FFFF} _-]*$/u
const memberName =
  /^[A-Za-z0-9\u0080-\u{10FFFF}](?:[A-Za-z0-9\u0080-\u{10FFFF} _-]*[A-Za-z0-9\u0080-\u{10FFFF}])?$/u

/** True if every member name at every depth is valid. Most documents are, and this is faster than `checkNames`. */
function hasValidNames(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(hasValidNames)
  return Object.entries(value).every(([name, inner]) => isMemberName(name) && hasValidNames(inner))
}

/** Checks every member name at every depth, including those of attributes and `meta`. */
function* checkNames(value: unknown, pointer: string): Violations {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      yield* checkNames(item, appendToken(pointer, index))
  }
  if (!isObject(value)) return
  for (const [name, inner] of Object.entries(value)) {
    const memberPointer = appendToken(pointer, name)
    const [first = '', ...rest] = name
    if (name === '')
      yield { rule: 'NAM-2', pointer: memberPointer, message: 'a member name is empty' }
    else if (!allowed.test(name))
      yield { rule: 'NAM-3', pointer: memberPointer, message: 'not a member name' }
    else if (!firstOrLast.test(first) || !firstOrLast.test(rest.at(-1) ?? first)) {
      yield {
        rule: 'NAM-4',
        pointer: memberPointer,
        message: 'a member name starts and ends with a letter or digit',
      }
    }
    yield* checkNames(inner, memberPointer)
  }
}

/** True if a text can be the name of a member, a type or a field. */
export function isMemberName(name: unknown): name is string {
  return typeof name === 'string' && memberName.test(name)
}
