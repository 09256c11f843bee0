import type { Awaitable } from '../model/hooks.ts'
import { BodyMemory } from './body-memory.ts'
import { IterationQueue, LargeBodies } from './fair-bodies.ts'
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
