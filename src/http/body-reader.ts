import type { Awaitable } from '../model/declare/hooks.ts'
import { BodyMemory } from './body-memory.ts'
import { IncomingBody } from './incoming-body.ts'

/** A larger body waits until it is processed, in bytes: to parse and plan it may take milliseconds. */
export const largeBody = 64 * 1024
/** In each iteration of the event loop so many bodies are received further. */
const maxReceiving = 16

/** Processes a body. A large one counts as processed until the returned promise is settled. */
export type ProcessBody<Result> = (body: Uint8Array) => Awaitable<Result>

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
