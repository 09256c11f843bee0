import { HeaderError } from '../errors/errors.ts'

/** Large bodies may take so many bytes together until they are processed. */
const minLimit = 128 * 1024 * 1024
/** So many bodies of the greatest size are allowed at least. */
const minBodies = 16

/** A large body that is not processed yet. */
export interface WaitingBody {
  /** The bytes that have arrived. */
  readonly size: number
  /** Stops receiving the body. */
  readonly onReject: (error: HeaderError) => void
}

/**
 * Bounds the memory of the large bodies that are not processed yet. Beyond the limit it rejects the body that has waited longest
 * for its next block, so that clients which send slowly, or nothing, do not keep others out.
 */
export class BodyMemory {
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

function tooManyBytes(): HeaderError {
  const detail =
    'The server receives too many large bodies, and this one arrived too slowly; try again shortly.'
  return new HeaderError('overloaded', detail, { 'retry-after': '1', connection: 'close' })
}
