import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { assertServiceConforms } from '../checker/check-served.ts'
import type { TestService } from '../service-suite.ts'
import { sendBytes } from './bare-connection.ts'
import type { BareGarbage, Garbage } from './garbage.ts'
import { anyBadBody, anyHugeBody } from './garbage-bodies.ts'
import { anyBadBytes } from './garbage-bytes.ts'
import { anyBadHeader } from './garbage-headers.ts'
import { anyBadFilter, anyBadQuery } from './garbage-queries.ts'
import { seed } from './seed.ts'

/** How many are under way at once. */
const workers = 32

/** Milliseconds after which a request counts as a hang. */
const timeout = 20_000

/** What a storm of malformed requests came to. */
interface StormStats {
  sent: number
  rejected: number
  /** Persons and computers created by requests that turned out harmless. */
  persons: number
  computers: number
  /** How often each failure occurred, with the first request it was about. */
  readonly failures: Map<string, { times: number; first: string }>
}

/** A service that is attacked. */
export type Target = Pick<TestService, 'url' | 'call'>

/** The stats of a storm that is to come, on a service with so many persons and computers. */
export function createStormStats(persons: number, computers: number): StormStats {
  return { sent: 0, rejected: 0, persons, computers, failures: new Map() }
}

/**
 * Sends malformed requests of every kind, all kinds mixed, and waits for the last response.
 * @param requests - how many
 * @param round - another one sends others
 */
export async function storm(
  target: Target,
  stats: StormStats,
  requests: number,
  round = 0,
): Promise<void> {
  const attacks = fc.sample(
    fc.oneof(
      { weight: 160, arbitrary: fc.oneof(anyBadQuery(), anyBadFilter()).map(attackBy) },
      { weight: 130, arbitrary: anyBadBody().map(attackBy) },
      { weight: 50, arbitrary: anyBadHeader().map(attackBy) },
      { weight: 50, arbitrary: anyBadBytes().map(attackByBytes) },
      { weight: 1, arbitrary: anyHugeBody().map(attackBy) },
    ),
    { seed: seed + round, numRuns: requests },
  )
  const next = attacks.values()
  const work = async () => {
    for (const attack of next) await attack(target, stats)
  }
  await Promise.all(Array.from({ length: workers }, work))
}

type Attack = (target: Target, stats: StormStats) => Promise<void>

/** Sends a request that is HTTP; the app checks the response. */
function attackBy(garbage: Garbage): Attack {
  const { method, path, query, headers, body, hopeless } = garbage
  return async (app, stats) => {
    stats.sent += 1
    try {
      const call = app.call(method, path, { query, headers, raw: body })
      const { status, body: document, text } = await inTime(call)
      if (isOverloaded(status, text)) return
      assert.ok(status < 500, `it was answered with ${status}`)
      assert.ok(status >= 400 || !hopeless, `it was not rejected, but answered with ${status}`)
      if (status >= 400) stats.rejected += 1
      if (status !== 201 || Array.isArray(document.data)) return
      if (document.data?.type === 'person') stats.persons += 1
      else stats.computers += 1
    } catch (error) {
      if (isCutOff(error) && (body?.length ?? 0) > 2 ** 20) return
      note(stats, garbage, error)
    }
  }
}

/** Sends bytes; a response with a body is checked as any other. */
function attackByBytes(garbage: BareGarbage): Attack {
  const { method, target, bytes, response, ends } = garbage
  return async ({ url }, stats) => {
    stats.sent += 1
    try {
      const got = await sendBytes(url, bytes, { method, ends, timeout })
      if (got !== undefined && isOverloaded(got.status, got.text)) return
      // 501 is the response to a transfer coding other than chunked.
      if (got !== undefined && got.status !== 501)
        // 501 is the response to a transfer coding other than chunked.
        assert.ok(got.status < 500 || got.status === 501, `it was answered with ${got.status}`)
      if (got !== undefined && got.status >= 400) stats.rejected += 1
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
      note(stats, bytes, error)
    }
  }
}

/** On a busy machine a request may have waited for longer than the service lets it. */
function isOverloaded(status: number, text: string): boolean {
  return status === 503 && text.includes('"overloaded"')
}

/** A target may be a whole URL; what follows a `#` is nothing to a server. */
function urlOf(origin: string, target: string): string {
  const [address = ''] = target.split('#')
  return /^https?:/.test(address) ? address : origin + address
}

function note(stats: StormStats, request: unknown, error: unknown): void {
  const failure = brief(error)
    .split('\n', 1)
    .join()
    .replaceAll(/\d+|"[^"]*"/g, '…')
  const known = stats.failures.get(failure)
  if (known) known.times += 1
  else stats.failures.set(failure, { times: 1, first: `${brief(request)}\n${brief(error)}` })
}

function inTime<T>(promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no response in ${timeout} ms`)), timeout)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** A server may close the connection on a body that it will not read. */
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

/** Fails with the first of each kind of failure. */
export function assertNoFailures({ failures }: StormStats): void {
  const each = Array.from(failures.values(), ({ times, first }) => `${times}× ${first}`)
  assert.equal(each.length, 0, `with PROPERTY_SEED=${seed}:\n${each.slice(0, 20).join('\n\n')}`)
}
