import { getHref } from './check-links.ts'
import type { ParsedExchange } from './parse-exchange.ts'
import type { Members, Violations } from './rule-violation.ts'
import { appendToken, checkMembers, isNonEmptyString, isObject } from './rule-violation.ts'

/** Checks an error document: the errors agree with the status, name their source and reveal no internal details. */
export function* checkErrors(parsed: ParsedExchange): Violations {
  const { body, isSuccess, exchange } = parsed
  const { errors } = body
  if (isSuccess) {
    if (errors !== undefined)
      yield {
        rule: 'ERR-3',
        pointer: '/errors',
        message: 'a successful response must not contain errors',
      }
    return
  }
  if (!Array.isArray(errors) || errors.length === 0) {
    yield { rule: 'ERR-3', pointer: '/errors', message: 'it must contain at least one error' }
    return
  }
  for (const [index, error] of errors.entries()) {
    const pointer = appendToken('/errors', index)
    if (isObject(error)) yield* checkError(error, pointer, parsed)
    else yield { rule: 'ERR-3', pointer, message: 'an error must be an object' }
  }
  const statuses = new Set(errors.filter(isObject).map(({ status }) => status))
  const expected = statuses.size === 1 ? [...statuses][0] : '400'
  if (String(exchange.status) !== expected) {
    const message = `the status must be ${expected} for these errors, but it is ${exchange.status}`
    yield { rule: 'ERR-2', pointer: '/errors', message }
  }
}

const errorMembers = ['id', 'status', 'code', 'title', 'detail', 'source', 'meta']

function* checkError(error: Members, pointer: string, parsed: ParsedExchange): Violations {
  const { isModern } = parsed
  const members = isModern ? [...errorMembers, 'links'] : errorMembers
  yield* checkMembers(error, members, { rule: 'ERR-4', pointer })
  if (isModern && 'links' in error) yield* checkTypeLink(error.links, `${pointer}/links`)
  for (const name of ['status', 'code', 'title', 'detail']) {
    if (isNonEmptyString(error[name])) continue
    yield {
      rule: 'ERR-4',
      pointer: appendToken(pointer, name),
      message: 'it must be a string that is not empty',
    }
  }
  if (isNonEmptyString(error.status) && !/^[45]\d\d$/.test(error.status)) {
    yield {
      rule: 'ERR-4',
      pointer: `${pointer}/status`,
      message: 'it must be an HTTP error status',
    }
  }
  if ('id' in error ? !isNonEmptyString(error.id) : error.status === '500') {
    yield {
      rule: 'service.md#errors',
      pointer: `${pointer}/id`,
      message: 'an internal error must have an id',
    }
  }
  yield* checkTitle(error, pointer, parsed)
  if ('source' in error) yield* checkSource(error.source, `${pointer}/source`, isModern)
  yield* checkLeaks(error, pointer, parsed)
}

/** Checks the link to the type of an error. @see https://jsonapi.org/format/1.1/#error-objects */
function* checkTypeLink(links: unknown, pointer: string): Violations {
  if (!isObject(links)) {
    yield { rule: 'ERR-4', pointer, message: 'it must be an object' }
    return
  }
  yield* checkMembers(links, ['about', 'type'], { rule: 'ERR-4', pointer })
  for (const [name, link] of Object.entries(links))
    if (!URL.canParse(String(getHref(link))))
      yield { rule: 'ERR-4', pointer: appendToken(pointer, name), message: 'it must be a URI' }
}

function* checkTitle(
  { code, title }: Members,
  pointer: string,
  { titleByCode }: ParsedExchange,
): Violations {
  if (!isNonEmptyString(code) || !isNonEmptyString(title)) return
  const first = titleByCode.get(code) ?? title
  titleByCode.set(code, first)
  if (title !== first) {
    yield {
      rule: 'ERR-5',
      pointer: `${pointer}/title`,
      message: `in another response the title of ${code} is "${first}"`,
    }
  }
}

const jsonPointer = /^(?:\/(?:[^~/]|~[01])*)*$/

function* checkSource(source: unknown, pointer: string, isModern: boolean): Violations {
  if (!isObject(source)) {
    yield { rule: 'ERR-6', pointer, message: 'it must be an object' }
    return
  }
  const members = ['pointer', 'parameter', ...(isModern ? ['header'] : [])]
  yield* checkMembers(source, members, { rule: 'ERR-6', pointer })
  if (Object.keys(source).length !== 1) {
    yield { rule: 'ERR-6', pointer, message: `it must hold one of ${members.join(', ')}` }
  }
  if ('pointer' in source && !isJsonPointer(source.pointer)) {
    const message = 'it must be a JSON pointer (RFC 6901)'
    yield { rule: 'ERR-6', pointer: `${pointer}/pointer`, message }
  }
  for (const name of ['parameter', 'header'])
    if (name in source && typeof source[name] !== 'string')
      yield { rule: 'ERR-6', pointer: `${pointer}/${name}`, message: 'it must be a string' }
}

function isJsonPointer(value: unknown): boolean {
  return typeof value === 'string' && jsonPointer.test(value)
}

/** Internal details that no error may reveal: SQL, file paths, stack traces. */
const internalDetails: readonly RegExp[] = [
  /sqlite/i,
  /\bselect /i,
  /\b(?:insert into|delete from|update) "?\w+"? (?:set|where|\()/i,
  /constraint failed/i,
  /no such (?:table|column)/i,
  /at file:/,
  /node_modules/,
  /node:internal/,
  /\.[cm]?[jt]s:\d+/,
  /\bat \S+ \(.+:\d+:\d+\)/,
]

function* checkLeaks(
  error: Members,
  pointer: string,
  { exchange, path, query }: ParsedExchange,
): Violations {
  // A detail may repeat values of the request.
  const isSent = (pattern: RegExp) =>
    [exchange.url, exchange.sent, path, ...query.flat()].some((text) => pattern.test(text))
  for (const name of ['title', 'detail']) {
    const text = String(error[name])
    const leak = internalDetails.find((pattern) => pattern.test(text) && !isSent(pattern))
    if (leak)
      yield {
        rule: 'service.md#errors',
        pointer: appendToken(pointer, name),
        message: `it reveals internal details (${leak})`,
      }
  }
}
