import type { Breaches, Members } from './breach.ts'
import { below, checkMembers, isFilled, isObject } from './breach.ts'
import type { Reading } from './reading.ts'

/** An error document: a list of errors that agree with the status, say where, and give nothing away. */
export function* checkFaults(reading: Reading): Breaches {
  const { body, success, exchange } = reading
  const { errors } = body
  if (success) {
    if (errors !== undefined) yield { rule: 'ERR-3', at: '/errors', why: 'the request succeeded' }
    return
  }
  if (!Array.isArray(errors) || errors.length === 0) {
    yield { rule: 'ERR-3', at: '/errors', why: 'at least one error must stand here' }
    return
  }
  for (const [index, fault] of errors.entries()) {
    const at = below('/errors', index)
    if (isObject(fault)) yield* checkFault(fault, at, reading)
    else yield { rule: 'ERR-3', at, why: 'an error is an object' }
  }
  const statuses = new Set(errors.filter(isObject).map(({ status }) => status))
  const expected = statuses.size === 1 ? [...statuses][0] : '400'
  if (String(exchange.status) !== expected) {
    const why = `these errors make the answer ${expected}, but it is ${exchange.status}`
    yield { rule: 'ERR-2', at: '/errors', why }
  }
}

const members = ['id', 'status', 'code', 'title', 'detail', 'source']

function* checkFault(fault: Members, at: string, reading: Reading): Breaches {
  yield* checkMembers(fault, members, { rule: 'ERR-4', at })
  for (const name of ['status', 'code', 'title', 'detail']) {
    if (isFilled(fault[name])) continue
    yield { rule: 'ERR-4', at: below(at, name), why: 'it must be a string that is not empty' }
  }
  if (isFilled(fault.status) && !/^[45]\d\d$/.test(fault.status)) {
    yield { rule: 'ERR-4', at: `${at}/status`, why: 'it must be an HTTP error status' }
  }
  if ('id' in fault ? !isFilled(fault.id) : fault.status === '500') {
    yield { rule: 'service.md#errors', at: `${at}/id`, why: 'our own faults are told by their id' }
  }
  yield* checkTitle(fault, at)
  if ('source' in fault) yield* checkSource(fault.source, `${at}/source`)
  yield* checkLeaks(fault, at, reading)
}

/** The title of each code, as first met: it must never vary. */
const titles = new Map<string, string>()

function* checkTitle({ code, title }: Members, at: string): Breaches {
  if (!isFilled(code) || !isFilled(title)) return
  const first = titles.get(code) ?? title
  titles.set(code, first)
  if (title !== first) {
    yield { rule: 'ERR-5', at: `${at}/title`, why: `elsewhere ${code} is titled "${first}"` }
  }
}

const rfc6901 = /^(?:\/(?:[^~/]|~[01])*)*$/

function* checkSource(source: unknown, at: string): Breaches {
  if (!isObject(source)) {
    yield { rule: 'ERR-6', at, why: 'it must be an object' }
    return
  }
  yield* checkMembers(source, ['pointer', 'parameter'], { rule: 'ERR-6', at })
  const { pointer, parameter } = source
  if (Object.keys(source).length !== 1) {
    yield { rule: 'ERR-6', at, why: 'it must hold either a pointer or a parameter' }
  }
  if (pointer !== undefined && !(typeof pointer === 'string' && rfc6901.test(pointer))) {
    yield { rule: 'ERR-6', at: `${at}/pointer`, why: 'it must be a JSON pointer (RFC 6901)' }
  }
  if (parameter !== undefined && typeof parameter !== 'string') {
    yield { rule: 'ERR-6', at: `${at}/parameter`, why: 'it must be a string' }
  }
}

/** What only we can know: SQL, files, stacks. */
const secrets: readonly RegExp[] = [
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

function* checkLeaks(fault: Members, at: string, { exchange, path, query }: Reading): Breaches {
  // A detail may repeat what the client itself has sent.
  const sent = [exchange.url, exchange.sent, path, ...query.flat()].join('\n')
  for (const name of ['title', 'detail']) {
    const text = String(fault[name])
    const leak = secrets.find((secret) => secret.test(text) && !secret.test(sent))
    if (leak) yield { rule: 'service.md#errors', at: below(at, name), why: `it gives away ${leak}` }
  }
}
