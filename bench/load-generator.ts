import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { findWorkload } from './find-workload.ts'
import type { WorkloadRequest } from './workloads.ts'

/** The load of one round. */
export interface LoadOptions {
  readonly port: number
  readonly workload: string
  readonly persons: number
  readonly connections: number
  /** The generator sends no new request later than this many milliseconds after the first. */
  readonly milliseconds: number
  /**
   * Whether the generator polls for responses without sleeping. A server has to wake a generator that sleeps. On a virtual
   * machine, waking another processor costs the server as much CPU time as a small response, and clients on other machines
   * do not cause this cost.
   */
  readonly busyPolling: boolean
  readonly maxRequests: number
}

/** The result of a round. Times are in milliseconds. */
export interface LoadResult {
  readonly requests: number
  /** From the first request to the last response. */
  readonly elapsed: number
  readonly p50: number
  readonly p99: number
  /** The size of all responses, header fields included. */
  readonly bytes: number
}

/** The number of different requests of a workload; they are then repeated. */
const differentRequests = 5000
/** The longest time that a response may take, in milliseconds. */
const responseTimeout = 120_000
const mediaType = 'application/vnd.api+json'

/**
 * Creates a load generator. It sends requests one after the other on each of several connections. It uses plain sockets and
 * parses as little of a response as possible, because the generator must cost less than the server.
 */
function createLoadGenerator(): (options: LoadOptions) => Promise<LoadResult> {
  const cache = new Map<string, readonly Buffer[]>()
  let position = 0
  return async (options) => {
    const requests = encodeRequests(options, cache)
    const times: number[] = []
    let bytes = 0
    const sockets = await Promise.all(
      Array.from({ length: options.connections }, () => openSocket(options.port)),
    )
    const stopPolling = options.busyPolling ? startBusyPolling() : () => {}
    const start = performance.now()
    let remaining = options.maxRequests
    const sendAll = async (socket: Socket) => {
      while (remaining > 0 && performance.now() - start < options.milliseconds) {
        remaining -= 1
        position = (position + 1) % differentRequests
        const sent = performance.now()
        // `bytes += await …` would lose what other connections add meanwhile.
        const received = await send(socket, requests[position] ?? Buffer.alloc(0))
        bytes += received
        times.push(performance.now() - sent)
      }
    }
    await Promise.all(sockets.map(sendAll))
    const elapsed = performance.now() - start
    stopPolling()
    for (const socket of sockets) socket.destroy()
    times.sort((left, right) => left - right)
    const percentile = (share: number) => times[Math.floor(times.length * share)] ?? 0
    return { requests: times.length, elapsed, bytes, p50: percentile(0.5), p99: percentile(0.99) }
  }
}

/** Encodes all requests of a workload before anything is timed. */
function encodeRequests(
  { workload, persons, port }: LoadOptions,
  cache: Map<string, readonly Buffer[]>,
): readonly Buffer[] {
  const key = `${workload} ${persons} ${port}`
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const { request } = findWorkload(workload)
  const requests = Array.from({ length: differentRequests }, (_, number) =>
    encodeRequest(request(number, persons), port),
  )
  cache.set(key, requests)
  return requests
}

function encodeRequest({ method, target, body, headers }: WorkloadRequest, port: number): Buffer {
  const fields = {
    host: `127.0.0.1:${port}`,
    accept: mediaType,
    ...(body !== undefined && {
      'content-type': mediaType,
      'content-length': String(Buffer.byteLength(body)),
    }),
    ...headers,
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`)
}

/** Keeps the event loop from sleeping. @returns a function that lets it sleep again */
function startBusyPolling(): () => void {
  let isPolling = true
  const poll = () => {
    if (isPolling) setImmediate(poll)
  }
  poll()
  return () => {
    isPolling = false
  }
}

function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
    socket.setTimeout(responseTimeout, () => socket.destroy(new Error('The response timed out.')))
  })
}

/** Sends a request and waits for the end of its response. @returns the size of the response */
function send(socket: Socket, request: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let head: Buffer = Buffer.alloc(0)
    let framing: Framing = 'unknown'
    let received = 0
    const finish = (error?: Error) => {
      socket.removeListener('data', onData)
      socket.removeListener('close', onClose)
      if (error) reject(error)
      else resolve(received)
    }
    const onClose = () => finish(new Error('The server closed the connection.'))
    const onData = (chunk: Buffer) => {
      received += chunk.length
      if (framing === 'unknown') {
        head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
        framing = readFraming(head)
      }
      if (framing === 'failed') finish(new Error(head.toString('latin1').slice(0, 400)))
      else if (framing === 'chunked' ? isLastChunk(chunk) : received === framing) finish()
    }
    socket.on('data', onData)
    socket.once('close', onClose)
    socket.write(request)
  })
}

/** How the end of a response is found: its size in bytes, or how its body is sent; `failed` if the status is neither 2xx nor 304. */
type Framing = number | 'unknown' | 'chunked' | 'failed'

function readFraming(received: Buffer): Framing {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return 'unknown'
  const head = received.toString('latin1', 0, end)
  if (/^(204|304)/.test(head.slice(9))) return end + 4
  if (head.charAt(9) !== '2') return 'failed'
  const length = /content-length: (\d+)/i.exec(head)?.[1]
  return length === undefined ? 'chunked' : end + 4 + Number(length)
}

function isLastChunk(chunk: Buffer): boolean {
  return chunk.subarray(-5).toString() === '0\r\n\r\n'
}

const generateLoad = createLoadGenerator()
process.on('message', (options: LoadOptions) => {
  generateLoad(options).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
