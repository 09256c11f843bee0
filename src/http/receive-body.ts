import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { BodyError, HttpError } from '../errors/errors.ts'
import type { ProcessBody } from './request.ts'

/** Large bodies may take so many bytes together until they are processed. */
const minLimit = 128 * 1024 * 1024
/** So many bodies of the greatest size are allowed at least. */
const minBodies = 16

/** A large body that is not processed yet. */
interface WaitingBody {
  /** The bytes that have arrived. */
  readonly size: number
  /** Stops receiving the body. */
  readonly onReject: (error: HttpError) => void
}

/**
 * Bounds the memory of the large bodies that are not processed yet. Beyond the limit it rejects the body that has waited longest
 * for its next block, so that clients which send slowly, or nothing, do not keep others out.
 */
class BodyMemory {
  readonly #limit: number
  /** The counted bytes of all bodies. */
  readonly #sizes = new Map<WaitingBody, number>()
  /** The bodies that have not arrived completely; the first one has waited longest. */
  readonly #arriving = new Set<WaitingBody>()
  #total = 0

  /** @param maxBody - the largest body, in bytes */
  constructor(maxBody: number) {
    this.#limit = Math.max(minLimit, minBodies * maxBody)
  }

  /** Counts a body that has received a further block. It may reject this body. */
  update(body: WaitingBody): void {
    this.#total += body.size - (this.#sizes.get(body) ?? 0)
    this.#sizes.set(body, body.size)
    this.#arriving.delete(body)
    this.#arriving.add(body)
    for (const slowest of this.#arriving) {
      if (this.#total <= this.#limit) return
      this.release(slowest)
      slowest.onReject(tooManyBytes())
    }
  }

  /** Keeps a body that has arrived completely from being rejected. */
  complete(body: WaitingBody): void {
    this.#arriving.delete(body)
  }

  /** Stops counting a body, because it is processed or rejected. */
  release(body: WaitingBody): void {
    this.#arriving.delete(body)
    this.#total -= this.#sizes.get(body) ?? 0
    this.#sizes.delete(body)
  }
}

function tooManyBytes(): HttpError {
  const detail =
    'The server receives too many large bodies, and this one arrived too slowly; try again shortly.'
  return new HttpError('overloaded', detail, { 'retry-after': '1', connection: 'close' })
}

/** After so many bytes of a body other requests are served. */
const blockSize = 64 * 1024
/** A chunk takes microseconds, whatever its size: a body may have so many that are smaller on average, in bytes. */
const maxSmallChunks = 1024
const smallChunk = 64

/** A body that is being received. */
class IncomingBody implements WaitingBody {
  readonly #maxBytes: number
  readonly #memory: BodyMemory
  // One buffer, because thousands of small chunks would take many times their size.
  #buffer = Buffer.alloc(0)
  #chunks = 0
  #blockStart = 0
  size = 0
  /** Stops receiving the body; set by its receiver. */
  onReject: (error: HttpError) => void = () => {}

  /** @param maxBytes - the size of the largest body */
  constructor(maxBytes: number, memory: BodyMemory) {
    this.#maxBytes = maxBytes
    this.#memory = memory
  }

  /** The bytes that have arrived. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.size)
  }

  /**
   * Checks that the body may have so many bytes, by its `Content-Length` before anything is received.
   * @param size - NaN if it is not known
   * @throws BodyError `body_too_large` (413)
   */
  expect(size: number): void {
    if (size > this.#maxBytes) throw createBodyTooLarge(this.#maxBytes)
  }

  /**
   * Adds a chunk. It may reject this body.
   *
   * @returns true if other requests should be served before the next chunk
   * @throws BodyError `body_too_large` (413); HttpError `invalid_request` (400) for too many small chunks
   */
  append(chunk: Uint8Array): boolean {
    const size = this.size + chunk.length
    this.expect(size)
    this.#chunks += 1
    if (this.#chunks > maxSmallChunks && size < this.#chunks * smallChunk) throw tooManyChunks()
    if (size > this.#buffer.length) this.#grow(size)
    this.#buffer.set(chunk, this.size)
    this.size = size
    if (size - this.#blockStart <= blockSize) return false
    this.#blockStart = size
    this.#memory.update(this)
    return true
  }

  #grow(size: number): void {
    const larger = Math.max(size, Math.min(2 * this.#buffer.length, this.#maxBytes))
    const before = this.bytes
    this.#buffer = Buffer.allocUnsafe(larger)
    this.#buffer.set(before)
  }
}

/** Creates the error of a body that is larger than `maxBody`. @param maxBytes - the limit */
export function createBodyTooLarge(maxBytes: number): BodyError {
  return new BodyError('body_too_large', '', `A body may have at most ${maxBytes} bytes.`)
}

function tooManyChunks(): HttpError {
  const detail = `The body has more than ${maxSmallChunks} chunks of less than ${smallChunk} bytes on average; send larger chunks.`
  return new HttpError('invalid_request', detail, { connection: 'close' })
}

/** A larger body waits until it is processed, in bytes: to parse and plan it may take milliseconds. */
const largeBody = 64 * 1024
/** In each iteration of the event loop so many bodies are received further. */
const maxReceiving = 16

/**
 * Receives a body to its end, by `append`. After each block it awaits `nextTurn`, so that other requests are served in between.
 * @throws what `append` throws, and the error with which the body is rejected
 */
export type ReceiveBody = (body: IncomingBody, nextTurn: () => Promise<void>) => Promise<void>

/** Receives a body, waits for the turn of a large one, and processes it. */
type BodyReader = <Result>(receive: ReceiveBody, process: ProcessBody<Result>) => Promise<Result>

/** Creates a reader of bodies that bounds their memory. @param maxBody - the largest body, in bytes */
export function createBodyReader(maxBody: number): BodyReader {
  const memory = new BodyMemory(maxBody)
  const received = new IterationQueue(maxReceiving)
  const largeBodies = new LargeBodies()
  const nextTurn = () => received.wait()
  return async (receive, process) => {
    const body = new IncomingBody(maxBody, memory)
    try {
      await receive(body, nextTurn)
      if (body.size <= largeBody) return await process(body.bytes)
      memory.complete(body)
      await largeBodies.start()
    } finally {
      memory.release(body)
    }
    try {
      return await process(body.bytes)
    } finally {
      largeBodies.end()
    }
  }
}

// The event loop reads as much of a connection as has arrived, and processes a body as soon as it is complete. So many large bodies
// at once would be received, parsed and planned before the next small request: each takes up to a tenth of a second. They wait for
// each other instead, and the event loop serves all other requests in between.

/** Continues waiting work, at most so much of it in each iteration of the event loop. */
class IterationQueue {
  readonly #perIteration: number
  readonly #waiting: (() => void)[] = []

  constructor(perIteration: number) {
    this.#perIteration = perIteration
  }

  /** Resolves in one of the next iterations, in the order of the calls. */
  wait(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    if (this.#waiting.length === 1) setImmediate(this.#continue)
    return promise
  }

  readonly #continue = (): void => {
    const next = this.#waiting.splice(0, this.#perIteration)
    // A callback that is added here runs in the next iteration.
    if (this.#waiting.length > 0) setImmediate(this.#continue)
    for (const resolve of next) resolve()
  }
}

/**
 * Large bodies that are processed at the same time. Parsed and planned, they take several times their size in memory, and their
 * writes may occupy as many connections to the database.
 */
const maxProcessed = 4

/** The large bodies that are complete. */
class LargeBodies {
  /** Those whose processing may begin. */
  readonly #started = new IterationQueue(1)
  readonly #waiting: (() => void)[] = []
  #processed = 0

  /** Waits until a body may be processed. Then it counts as processed until `end` is called. */
  async start(): Promise<void> {
    if (this.#processed < maxProcessed) this.#processed += 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    await this.#started.wait()
  }

  /** Begins with the next body when another one has been processed. */
  end(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#processed -= 1
  }
}

/** Reads the body of a request of Node and processes it. @param source - the request, or the stream that decodes its body */
type MessageReader = <Result>(
  request: IncomingMessage,
  source: Readable,
  process: ProcessBody<Result>,
) => Promise<Result>

/** Creates the reader of bodies of a mount. @param maxBody - the largest body, in bytes */
export function createMessageReader(maxBody: number): MessageReader {
  const read = createBodyReader(maxBody)
  const maxSmall = Math.min(largeBody, maxBody)
  return async (request, source, process) => {
    const size = Number(request.headers['content-length'])
    const isAsReceived = source === request && request.readableEncoding === null
    // Nearly every body is small and one chunk.
    if (size <= maxSmall && isAsReceived && !request.destroyed)
      return process(await receiveSmall(request, size))
    try {
      return await read(receiveMessage(request, source), process)
    } catch (error) {
      // An error of the stream that decodes the body is one of the request.
      if (source !== request && error instanceof Error && error === source.errored)
        Object.assign(error, { statusCode: Reflect.get(error, 'statusCode') ?? 400 })
      throw error
    }
  }
}

function receiveSmall(request: IncomingMessage, size: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let received = 0
    let body: Uint8Array = new Uint8Array()
    request.on('data', (chunk: Uint8Array) => {
      const start = received
      received += chunk.length
      if (chunk.length === size) body = chunk
      else if (received <= size) {
        if (start === 0) body = Buffer.allocUnsafe(size)
        body.set(chunk, start)
      }
    })
    request.on('end', () => (received === size ? resolve(body) : reject(createLengthError())))
    request.on('error', reject)
  })
}

/** Creates the error of a body that is shorter or longer than announced. Only a client in the process can send one. */
export function createLengthError(): HttpError {
  return new HttpError('invalid_request', 'The body does not have the length in Content-Length.')
}

/**
 * Creates the function that receives the body of a request of Node. After an error it reads nothing more, and the connection stays
 * open for the response, which closes it.
 *
 * @param source - the request, or the stream that decodes its body
 */
function receiveMessage(request: IncomingMessage, source: Readable): ReceiveBody {
  return (body, nextTurn) =>
    new Promise((resolve, reject) => {
      body.expect(Number(request.headers['content-length']))
      if (source.readableEnded) return resolve()
      if (source.destroyed) return reject(source.errored ?? createDisconnectError())
      const abandon = (error: unknown) => {
        source.off('data', receive).pause()
        reject(error)
      }
      const receive = (chunk: Uint8Array | string) => {
        try {
          if (!body.append(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)) return
          source.pause()
          void nextTurn().then(() => source.resume())
        } catch (error) {
          abandon(error)
        }
      }
      body.onReject = abandon
      source.on('data', receive).on('end', resolve).on('error', reject)
      for (const stream of new Set([source, request]))
        stream.on('close', () => {
          if (!stream.readableEnded) reject(createDisconnectError())
        })
    })
}

/** The error that Node reports to a request whose client disconnects. */
function createDisconnectError(): Error {
  return Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
}
