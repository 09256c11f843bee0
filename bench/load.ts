import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { workloadNamed } from './wishes.ts'
import type { Wish } from './workloads.ts'

/** What the generator is told to do: one round. */
export interface Round {
  readonly port: number
  readonly workload: string
  readonly persons: number
  readonly connections: number
  /** No request is begun later than this many milliseconds after the first. */
  readonly milliseconds: number
  /**
   * Whether the generator looks for answers without a pause. One that sleeps has to be woken by the server, and on a virtual
   * machine waking another processor costs the server as much as a small answer does: that is nothing a server can help, and
   * clients that live elsewhere do not ask it.
   */
  readonly isAwake: boolean
  /** The most requests of the round. */
  readonly most: number
}

/** What a round came to. Times are in milliseconds. */
export interface Load {
  readonly requests: number
  /** From the first request to the last answer. */
  readonly elapsed: number
  readonly p50: number
  readonly p99: number
  /** The bytes of all answers, heads included. */
  readonly bytes: number
}

/** How many different requests a workload has before it begins again. */
const variety = 5000
/** How long an answer may take, in milliseconds. */
const patience = 120_000

/** The bytes of every request of a workload, written before anything is timed. */
const written = new Map<string, readonly Buffer[]>()

function requestsOf({ workload, persons, port }: Round): readonly Buffer[] {
  const key = `${workload} ${persons} ${port}`
  const known = written.get(key)
  if (known !== undefined) return known
  const { wish } = workloadNamed(workload)
  const fresh = Array.from({ length: variety }, (_, number) => bytesOf(wish(number, persons), port))
  written.set(key, fresh)
  return fresh
}

function bytesOf({ method, target, body }: Wish, port: number): Buffer {
  const type = 'application/vnd.api+json'
  const sent =
    body === undefined
      ? ''
      : `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  const head = `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: ${type}\r\n${sent}\r\n`
  return Buffer.from(head + (body ?? ''))
}

let at = 0

/**
 * Loads a server with one request after the other on each of several connections. Plain sockets and the least reading of
 * answers there can be: what measures has to cost less than what is measured.
 */
export async function load(round: Round): Promise<Load> {
  const requests = requestsOf(round)
  const times: number[] = []
  let bytes = 0
  const sockets = await Promise.all(
    Array.from({ length: round.connections }, () => connected(round.port)),
  )
  const rest = round.isAwake ? stayAwake() : () => {}
  const begun = performance.now()
  let left = round.most
  await Promise.all(
    sockets.map(async (socket) => {
      while (left > 0 && performance.now() - begun < round.milliseconds) {
        left -= 1
        at = (at + 1) % variety
        const sent = performance.now()
        bytes += await exchange(socket, requests[at] ?? Buffer.alloc(0))
        times.push(performance.now() - sent)
      }
    }),
  )
  const elapsed = performance.now() - begun
  rest()
  for (const socket of sockets) socket.destroy()
  times.sort((one, other) => one - other)
  const percentile = (share: number) => times[Math.floor(times.length * share)] ?? 0
  return { requests: times.length, elapsed, bytes, p50: percentile(0.5), p99: percentile(0.99) }
}

/** Keeps the event loop from waiting for anything, until what is returned is called. */
function stayAwake(): () => void {
  let isAwake = true
  const turn = () => {
    if (isAwake) setImmediate(turn)
  }
  turn()
  return () => {
    isAwake = false
  }
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
    socket.setTimeout(patience, () => socket.destroy(new Error('An answer takes too long.')))
  })
}

/** Sends a request and waits for all of its answer. @returns how many bytes the answer has */
function exchange(socket: Socket, request: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0)
    let whole = -1
    let length = 0
    const end = (error?: Error) => {
      socket.removeListener('data', take)
      socket.removeListener('close', closed)
      if (error) reject(error)
      else resolve(length)
    }
    const closed = () => end(new Error('The server closed the connection.'))
    const take = (chunk: Buffer) => {
      length += chunk.length
      if (whole === -1) {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
        whole = lengthOf(received)
        if (whole === -2) return end(new Error(received.toString('latin1').slice(0, 400)))
      }
      if (whole === 0 ? chunk.subarray(-5).toString() === '0\r\n\r\n' : length === whole) end()
    }
    socket.on('data', take)
    socket.once('close', closed)
    socket.write(request)
  })
}

/** How long the answer will be with its head; 0: until its last chunk; −1: not known yet; −2: it is no success. */
function lengthOf(received: Buffer): number {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return -1
  const head = received.toString('latin1', 0, end)
  if (head.charAt(9) !== '2') return -2
  if (head.startsWith('204', 9)) return end + 4
  const length = /content-length: (\d+)/i.exec(head)?.[1]
  return length === undefined ? 0 : end + 4 + Number(length)
}

process.on('message', (round: Round) => {
  load(round).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
