import type { IncomingMessage, ServerResponse } from 'node:http'
import { HeaderError } from '../errors/errors.ts'
import { resumeReading, stopReading } from './paused-socket.ts'

// The event loop reads as much of a connection as has arrived, and processes a body as soon as it is complete. So many large bodies
// at once would be received, parsed and planned before the next small request: each takes up to a tenth of a second. They wait for
// each other instead, and the event loop serves all other requests in between.

/** A larger body waits until it is processed, in bytes: to parse and plan it may take milliseconds. */
export const largeBody = 64 * 1024
/** Large bodies that are processed at the same time: parsed and planned, they take several times their size in memory. */
const maxProcessed = 16

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

/** After so many bytes of a body other requests are served. */
const maxReceived = 64 * 1024
/** A chunk of the transfer coding takes microseconds, whatever its size: a body may have so many that are smaller on average, in bytes. */
const maxSmallChunks = 1024
const smallChunk = 64
/** In each iteration of the event loop so many bodies are received further. */
const maxReceiving = 16

/** Reads the body of a request, as `createFairReader` says. */
export type FairReader = (
  request: IncomingMessage,
  response: ServerResponse,
) => AsyncGenerator<Uint8Array>

/**
 * Creates a reader of bodies that lets other requests be served in between. A large body waits for its place among those that are
 * processed. The connection stays open if a body is not read to the end.
 *
 * @returns a function whose chunks end with HeaderError `invalid_request` (400) for a body of too many small chunks
 */
export function createFairReader(): FairReader {
  const received = new IterationQueue(maxReceiving)
  const largeBodies = new LargeBodies()
  return async function* readFairly(request, response) {
    // Over HTTP/2 the window of the stream limits what is received.
    const socket = request.httpVersionMajor === 1 ? request.socket : undefined
    let size = 0
    let count = 0
    let yieldedAt = 0
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      count += 1
      if (count > maxSmallChunks && size < count * smallChunk) {
        // The rest has as many chunks. The response closes the connection.
        if (socket) stopReading(socket)
        throw tooManyChunks()
      }
      if (size - yieldedAt > maxReceived) {
        yieldedAt = size
        if (socket) stopReading(socket)
        await received.wait()
        if (socket) resumeReading(socket)
      }
      yield chunk
    }
    if (size > largeBody) await largeBodies.start(response)
  }
}

/** The large bodies that are complete. */
class LargeBodies {
  /** Those whose processing may begin. */
  readonly #started = new IterationQueue(1)
  readonly #waiting: (() => void)[] = []
  #processed = 0

  /** Waits until a body may be processed. It counts as processed until its response is written or its client has disconnected. */
  async start(response: ServerResponse): Promise<void> {
    let isRunning = false
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      if (isRunning) this.#end()
    }
    // Node emits `prefinish` when the response is complete, whether its client reads it or not.
    response.once('prefinish', end)
    response.once('close', end)
    if (this.#processed < maxProcessed) this.#processed += 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    isRunning = true
    if (isOver) this.#end()
    await this.#started.wait()
  }

  /** Begins with the next body when another one has been processed. */
  #end(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#processed -= 1
  }
}

function tooManyChunks(): HeaderError {
  const detail = `The body has more than ${maxSmallChunks} chunks of less than ${smallChunk} bytes on average; send larger chunks.`
  return new HeaderError('invalid_request', detail, { connection: 'close' })
}
