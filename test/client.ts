import assert from 'node:assert/strict'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent, request } from 'node:http'

/** The media type of JSON:API. */
export const mediaType = 'application/vnd.api+json'

/** A query by decoded names; texts are sent as they are, everything else as JSON. */
export type Query = Record<string, unknown>

/** The parts of a request besides its method and path. */
export interface Call {
  /** A record is percent-encoded; a text (without `?`) is sent as it is. */
  query?: Query | string | undefined
  /** Added to the default header fields; `undefined` removes a default. */
  headers?: Record<string, string | undefined> | undefined
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, instead of `body`. */
  raw?: string | Buffer | undefined
}

/** A response as it was received, with its request. */
export interface Exchange {
  readonly method: string
  /** The absolute URL of the request, spelled as it was sent. */
  readonly url: string
  /** The body that was sent; empty when there was none. */
  readonly sent: string
  readonly status: number
  /** By lower-case name. */
  readonly headers: Record<string, string>
  readonly text: string
  /** True if the request is random. Then the description need not allow the request, but it must describe the response. */
  readonly isRandom?: boolean
}

/** A connection to one origin. */
export interface Client {
  send(method: string, path: string, call?: Call): Promise<Exchange>
  close(): void
}

/** Milliseconds after which a request without a response counts as a hang. */
const timeout = 30_000

/** Sends HTTP requests to one origin. Unlike `fetch`, it does not change brackets, quotes, methods and header fields. */
export function connect(origin: string): Client {
  const agent = new Agent({ keepAlive: true })
  const { protocol, hostname, port } = new URL(origin)
  assert.equal(protocol, 'http:')
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return {
    send: async (method, path, call = {}) => {
      const target = withQuery(path.replace(/^https?:\/\/[^/?]+/, ''), call.query)
      const payload = bytes(call)
      const headers = headersOf(method, call, payload)
      // Bytes beyond ASCII are sent as raw UTF-8: Node writes one byte for each character of a path.
      const wirePath = Buffer.from(target).toString('latin1')
      const outgoing = request({ agent, host, port, method, path: wirePath, headers })
      const response = await sendAndReceive(outgoing, payload)
      return { method, url: origin + target, sent: payload?.toString() ?? '', ...response }
    },
    close: () => agent.destroy(),
  }
}

function withQuery(path: string, query: Query | string | undefined): string {
  const text = typeof query === 'string' ? query : encodeQuery(query ?? {})
  if (query === undefined || (text === '' && typeof query !== 'string')) return path
  return `${path}${path.includes('?') ? '&' : '?'}${text}`
}

function encodeQuery(query: Query): string {
  return Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
    .map((pair) => pair.map((part) => encodeURIComponent(part ?? '')).join('='))
    .join('&')
}

function bytes(call: Call): Buffer | undefined {
  if (call.raw !== undefined) return Buffer.from(call.raw)
  return call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body))
}

/** A POST and a PATCH have the media type also without a body. */
function headersOf(
  method: string,
  call: Call,
  payload: Buffer | undefined,
): Record<string, string> {
  const merged = new Map<string, readonly [string, string]>()
  merged.set('accept', ['Accept', mediaType])
  if (payload !== undefined || method === 'POST' || method === 'PATCH')
    merged.set('content-type', ['Content-Type', mediaType])
  if (payload !== undefined)
    merged.set('content-length', ['Content-Length', String(payload.length)])
  for (const [name, value] of Object.entries(call.headers ?? {})) {
    if (value === undefined) merged.delete(name.toLowerCase())
    else merged.set(name.toLowerCase(), [name, value])
  }
  if (merged.has('transfer-encoding')) merged.delete('content-length')
  return Object.fromEntries(merged.values())
}

type Received = Pick<Exchange, 'status' | 'headers' | 'text'>

function sendAndReceive(outgoing: ClientRequest, payload: Buffer | undefined): Promise<Received> {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => received(incoming).then(resolve, reject))
    outgoing.setTimeout(timeout, () => {
      outgoing.destroy(new Error(`${outgoing.method} ${outgoing.path}: no response`))
    })
    outgoing.end(payload)
  })
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

async function received(incoming: IncomingMessage): Promise<Received> {
  const body = await bodyOf(incoming)
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value ?? '')
  return { status: incoming.statusCode ?? 0, headers, text: utf8.decode(body) }
}

/** Reads a body by events, which take less time than `for await` in the tens of thousands of requests of a run. */
function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.once('error', reject)
    incoming.once('end', () => resolve(Buffer.concat(chunks)))
  })
}
