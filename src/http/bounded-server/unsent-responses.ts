import type { Http2Session, ServerHttp2Stream } from 'node:http2'

/** Responses over HTTP/2 that their clients do not read may take so many bytes together. */
const maxTotal = 128 * 1024 * 1024
/** Smaller responses are not counted: they are bounded by the number of requests. */
const minSize = 16 * 1024
/** Error code of RFC 9113 §7. */
const cancel = 8

/** The counted responses of one connection. */
interface Unsent {
  readonly sizes: Map<ServerHttp2Stream, number>
  total: number
}

/**
 * Bounds the memory of complete responses over HTTP/2 that are not sent yet: a client that opens no flow control window makes the
 * server keep 100 of them for each connection. Beyond the limit it resets the oldest request of the connection with the most bytes.
 */
export class UnsentResponses {
  readonly #bySession = new Map<Http2Session, Unsent>()
  #total = 0

  /**
   * Counts a response until its stream is closed. It may reset this one, or others.
   *
   * @param size - its bytes; NaN for a streamed response, which waits for its client
   */
  add(stream: ServerHttp2Stream, size: number): void {
    const { session } = stream
    if (session === undefined || !(size >= minSize)) return
    const unsent = this.#bySession.get(session) ?? { sizes: new Map(), total: 0 }
    this.#bySession.set(session, unsent)
    unsent.sizes.set(stream, size)
    unsent.total += size
    this.#total += size
    stream.once('close', () => this.#remove(session, stream))
    while (this.#total > maxTotal) this.#resetOne()
  }

  #resetOne(): void {
    let largest: readonly [Http2Session, Unsent] | undefined
    for (const entry of this.#bySession)
      if (largest === undefined || entry[1].total > largest[1].total) largest = entry
    if (largest === undefined) return
    const [session, { sizes }] = largest
    const [oldest] = sizes.keys()
    if (oldest === undefined) return
    this.#remove(session, oldest)
    oldest.close(cancel)
  }

  #remove(session: Http2Session, stream: ServerHttp2Stream): void {
    const unsent = this.#bySession.get(session)
    const size = unsent?.sizes.get(stream)
    if (unsent === undefined || size === undefined) return
    unsent.sizes.delete(stream)
    unsent.total -= size
    this.#total -= size
    if (unsent.sizes.size === 0) this.#bySession.delete(session)
  }
}
