import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { assertServiceConforms } from '../../checker/check-served.ts'
import type { TestService } from '../../service-suite.ts'
import { seed } from '../seed.ts'
import { anyBadBody, anyHugeBody } from './malformed-bodies.ts'
import { anyBadBytes } from './malformed-bytes.ts'
import { anyBadHeader } from './malformed-headers.ts'
import { anyBadFilter, anyBadQuery } from './malformed-queries.ts'
import type { MalformedRequest, RawRequest } from './malformed-request.ts'
import { sendBytes } from './raw-connection.ts'

/** The number of concurrent requests. */
const workers = 32

/** Milliseconds after which a request counts as a hang. */
const timeout = 20_000

/** What malformed requests have caused so far. */
interface MalformedStats {
  sent: number
  rejected: number
  /** The persons and computers that exist, with those that valid requests have created. */
  persons: number
  computers: number
  /** How often each failure occurred, with its first request. */
  readonly failures: Map<string, { times: number; first: string }>
}

/** The service that gets the requests. */
export type Target = Pick<TestService, 'url' | 'call'>

/** Creates the statistics of a service with so many persons and computers, before the first request. */
export function createStats(persons: number, computers: number): MalformedStats {
  return { sent: 0, rejected: 0, persons, computers, failures: new Map() }
}

/**
 * Sends malformed requests of all kinds in random order, and waits for the last response.
 * @param requests - their number
 * @param round - a number; each sends other requests
 */
export async function sendMalformed(
  target: Target,
  stats: MalformedStats,
  requests: number,
  round = 0,
): Promise<void> {
  const generated = fc.sample(
    fc.oneof(
      { weight: 160, arbitrary: fc.oneof(anyBadQuery(), anyBadFilter()).map(sendRequest) },
      { weight: 130, arbitrary: anyBadBody().map(sendRequest) },
      { weight: 50, arbitrary: anyBadHeader().map(sendRequest) },
      { weight: 50, arbitrary: anyBadBytes().map(sendRaw) },
      { weight: 1, arbitrary: anyHugeBody().map(sendRequest) },
    ),
    { seed: seed + round, numRuns: requests },
  )
  const next = generated.values()
  const work = async () => {
    for (const send of next) await send(target, stats)
  }
  await Promise.all(Array.from({ length: workers }, work))
}

type Send = (target: Target, stats: MalformedStats) => Promise<void>

/** Sends a request that is valid HTTP. The call checks the response. */
function sendRequest(request: MalformedRequest): Send {
  const { method, path, query, headers, body, isInvalid } = request
  return async (app, stats) => {
    stats.sent += 1
    try {
      const call = app.call(method, path, { query, headers, raw: body })
      const { status, body: document, text } = await inTime(call)
      if (isOverloaded(status, text)) return
      assert.ok(status < 500, `the status is ${status}`)
      assert.ok(status >= 400 || !isInvalid, `it was not rejected: the status is ${status}`)
      if (status >= 400) stats.rejected += 1
      if (status !== 201 || Array.isArray(document.data)) return
      if (document.data?.type === 'person') stats.persons += 1
      else stats.computers += 1
    } catch (error) {
      if (isCutOff(error) && (body?.length ?? 0) > 2 ** 20) return
      recordFailure(stats, request, error)
    }
  }
}

/** Sends bytes, and checks a response with a body like any other. */
function sendRaw(request: RawRequest): Send {
  const { method, target, bytes, response, ends } = request
  return async ({ url }, stats) => {
    stats.sent += 1
    try {
      const got = await sendBytes(url, bytes, { method, ends, timeout })
      if (got !== undefined && isOverloaded(got.status, got.text)) return
      // 501 is the response to a transfer coding other than chunked.
      if (got) assert.ok(got.status < 500 || got.status === 501, `the status is ${got.status}`)
      if (got && got.status >= 400) stats.rejected += 1
      if (response === 'protocol' && (got === undefined || got.text === '')) return
      assert.ok(got, 'the connection was closed without a response')
      assertServiceConforms({
        isRandom: true,
        method,
        url: urlOf(url, target),
        sent: bytes.toString('latin1'),
        ...got,
      })
    } catch (error) {
      recordFailure(stats, bytes, error)
    }
  }
}

/** On a busy machine a request may have waited for longer than the service lets it. */
function isOverloaded(status: number, text: string): boolean {
  return status === 503 && text.includes('"overloaded"')
}

/** A target may be a URL with scheme and host. A server ignores a fragment. */
function urlOf(origin: string, target: string): string {
  const [address = ''] = target.split('#')
  return /^https?:/.test(address) ? address : origin + address
}

function recordFailure(stats: MalformedStats, request: unknown, error: unknown): void {
  const failure = brief(error)
    .split('\n', 1)
    .join()
    .replaceAll(/\d+|"[^"]*"/g, '…')
  const recorded = stats.failures.get(failure)
  if (recorded) recorded.times += 1
  else stats.failures.set(failure, { times: 1, first: `${brief(request)}\n${brief(error)}` })
}

function inTime<T>(promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no response in ${timeout} ms`)), timeout)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** A server may close the connection if it does not read the body. */
function isCutOff(error: unknown): boolean {
  return error instanceof Error && /ECONNRESET|EPIPE|socket hang up/.test(error.message)
}

function brief(thing: unknown): string {
  const text = thing instanceof Error ? thing.message : formatValue(thing)
  return text.length > 1000 ? `${text.slice(0, 700)} … ${text.slice(-300)}` : text
}

function formatValue(thing: unknown): string {
  if (Buffer.isBuffer(thing)) return JSON.stringify(thing.toString('latin1'))
  if (typeof thing !== 'object' || thing === null) return JSON.stringify(thing) ?? ''
  return Object.entries(thing)
    .map(
      ([name, value]) =>
        `${name}: ${Buffer.isBuffer(value) ? formatValue(value) : JSON.stringify(value)}`,
    )
    .join(', ')
}

/** Fails if there are failures, with the first request of each. */
export function assertNoFailures({ failures }: MalformedStats): void {
  const each = Array.from(failures.values(), ({ times, first }) => `${times}× ${first}`)
  assert.equal(each.length, 0, `with PROPERTY_SEED=${seed}:\n${each.slice(0, 20).join('\n\n')}`)
}
