import { BodyError, HeaderError } from '../errors/errors.ts'
import type { BodyMemory, WaitingBody } from './body-memory.ts'

/** After so many bytes of a body other requests are served. */
const blockSize = 64 * 1024
/** A chunk takes microseconds, whatever its size: a body may have so many that are smaller on average, in bytes. */
const maxSmallChunks = 1024
const smallChunk = 64

/** A body that is being received. */
export class IncomingBody implements WaitingBody {
  readonly #maxBytes: number
  readonly #memory: BodyMemory
  // One buffer, because thousands of small chunks would take many times their size.
  #buffer = Buffer.alloc(0)
  #chunks = 0
  #blockStart = 0
  size = 0
  /** Stops receiving the body; set by its receiver. */
  onReject: (error: HeaderError) => void = () => {}

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
   * @throws BodyError `body_too_large` (413); HeaderError `invalid_request` (400) for too many small chunks
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

function tooManyChunks(): HeaderError {
  const detail = `The body has more than ${maxSmallChunks} chunks of less than ${smallChunk} bytes on average; send larger chunks.`
  return new HeaderError('invalid_request', detail, { connection: 'close' })
}
