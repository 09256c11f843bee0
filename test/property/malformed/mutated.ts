import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import * as fc from 'fast-check'
import { mediaType } from '../../client.ts'
import { seed } from '../seed.ts'
import { anyBadBody } from './malformed-bodies.ts'
import { anyBadFilter, anyBadQuery } from './malformed-queries.ts'
import type { MalformedRequest } from './malformed-request.ts'

/** Connections, each with one request at a time. */
const connections = 16
/** How many requests are generated; each is sent many times, with other bytes changed. */
const generated = 2_000
/** Milliseconds after which a request counts as a hang. */
const timeout = 20_000

/** The bytes of a request that are changed: its target, or its body. */
interface Template {
  readonly method: string
  readonly target: Buffer
  readonly body: Buffer
}

/** How often the service responded with each status; 0 counts connections that it closed without a response. */
type Statuses = ReadonlyMap<number, number>

/**
 * Sends malformed requests with a few bytes of the target or the body replaced, inserted or removed, as fast as the service
 * responds. Responses are read as far as their status; `testMalformedRequests` checks them completely.
 *
 * @throws Error when the service does not respond in time
 */
export async function sendMutated(origin: string, requests: number): Promise<Statuses> {
  const templates = fc
    .sample(fc.oneof(anyBadQuery(), anyBadFilter(), anyBadBody()), { seed, numRuns: generated })
    .map(toTemplate)
  const statuses = new Map<number, number>()
  const random = createRandom(seed)
  let sent = 0
  const work = async () => {
    let socket: Socket | undefined
    while (sent < requests) {
      const template = templates[sent % templates.length]
      sent += 1
      if (template === undefined) continue
      if (socket === undefined || socket.destroyed) socket = await open(origin)
      const status = await send(socket, template.method, mutate(template, random))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    socket?.destroy()
  }
  await Promise.all(Array.from({ length: connections }, work))
  return statuses
}

function toTemplate({ method, path, query, body }: MalformedRequest): Template {
  const target = Buffer.from(query === undefined ? path : `${path}?${query}`)
  return { method, target, body: Buffer.from(body ?? '') }
}

/** Formats a request with one to three bytes of its target or its body changed. */
function mutate({ method, target, body }: Template, random: (below: number) => number): Buffer {
  const isInBody = body.length > 0 && random(2) === 0
  const changedTarget = isInBody ? target : changeBytes(target, random)
  const changedBody = isInBody ? changeBytes(body, random) : body
  const fields = [
    'Host: 127.0.0.1',
    `Accept: ${mediaType}`,
    `Content-Type: ${mediaType}`,
    `Content-Length: ${changedBody.length}`,
  ]
  const head = Buffer.from(` HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`)
  return Buffer.concat([Buffer.from(`${method} `), changedTarget, head, changedBody])
}

function changeBytes(bytes: Buffer, random: (below: number) => number): Buffer {
  let changed = bytes
  for (let left = 1 + random(3); left > 0; left -= 1) {
    // The first byte of a target stays `/`, so that the request stays HTTP.
    const at = 1 + random(Math.max(1, changed.length))
    const inserted = Buffer.of(
      ...([[], [random(256)], [random(256), random(256)]][random(3)] ?? []),
    )
    changed = Buffer.concat([changed.subarray(0, at), inserted, changed.subarray(at + random(2))])
  }
  return changed
}

async function open(origin: string): Promise<Socket> {
  const { hostname, port } = new URL(origin)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  socket.on('error', () => socket.destroy())
  return socket
}

/** @returns the status of the response, or 0 if the service closed the connection */
function send(socket: Socket, method: string, bytes: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let received = ''
    const finish = (status: number) => {
      clearTimeout(timer)
      socket.off('data', onData).off('close', onClose)
      resolve(status)
    }
    const onClose = () => finish(readStatus(received))
    const onData = (chunk: Buffer) => {
      received += chunk.toString('latin1')
      if (!isComplete(received, method)) return
      if (/\r\nconnection: close\r\n/i.test(received)) socket.destroy()
      finish(readStatus(received))
    }
    const timer = setTimeout(() => {
      reject(new Error(`no response in ${timeout} ms: ${bytes.toString('latin1')}`))
      socket.destroy()
    }, timeout)
    socket.on('data', onData).on('close', onClose).write(bytes)
  })
}

const readStatus = (received: string): number => Number(received.slice(9, 12)) || 0

function isComplete(received: string, method: string): boolean {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return false
  if (method === 'HEAD') return true
  const head = received.slice(0, end)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length !== undefined) return received.length >= end + 4 + Number(length)
  return /\r\ntransfer-encoding: chunked/i.test(head)
    ? received.endsWith('\r\n0\r\n\r\n')
    : head.startsWith('HTTP/1.1 204')
}

/** Creates a generator of numbers (mulberry32), which is faster than that of fast-check. */
function createRandom(start: number): (below: number) => number {
  let state = start
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
