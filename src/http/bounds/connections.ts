import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { HttpError } from '../../errors/errors.ts'
import { probeWhenHalfClosed } from './half-closed.ts'
import { getTransport } from './node-internals.ts'
import {
  closeWith,
  type ErrorDocuments,
  formatErrorResponse,
  publishRejection,
  type Rejection,
  toErrorResponse,
} from './raw-response.ts'

/** An open client connection and its pipelined requests. */
export interface Connection {
  /** Carries HTTP: with TLS, the decrypted data. */
  readonly socket: Socket
  /** The TCP connection: without TLS, the same socket. */
  readonly transport: Socket
  /** Pipelined requests that the server has not begun to process; `undefined` when there are none. */
  waiting: WaitingRequest[] | undefined
  /** True once the client has sent bytes that are not HTTP, or too many requests: the server ignores further requests. */
  isBroken: boolean
}

/** A pipelined request that waits for the earlier requests of its connection. */
export interface WaitingRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly handle: RequestListener
}

/** Returns the event of a server for a connection that can carry HTTP: with TLS, after the handshake. */
export function getConnectionEvent(server: Server): 'connection' | 'secureConnection' {
  return 'getTicketKeys' in server ? 'secureConnection' : 'connection'
}

/** Rejected connections that may stay open to read their response; the server destroys more at once. */
const maxLingering = 256

/** How long the server waits for the request of a rejected connection: the response to HEAD has no body. In milliseconds. */
const maxSilence = 100

/** The open client connections of a server. */
export class Connections {
  /** What the errors of the server are like. */
  readonly documents: ErrorDocuments
  readonly #maxConnections: number
  /** The TCP connections that count. */
  #counted = 0
  readonly #open = new Map<Socket, Connection>()
  /** All open connections. */
  readonly open: ReadonlyMap<Socket, Connection> = this.#open
  readonly #rejection: Rejection
  readonly #rejected = new WeakSet<Socket>()
  #lingering = 0

  constructor({
    maxConnections,
    documents,
  }: Readonly<{ maxConnections: number; documents: ErrorDocuments }>) {
    this.#maxConnections = maxConnections
    this.documents = documents
    const detail = 'The server has too many open connections; try again shortly.'
    const error = new HttpError('overloaded', detail, { 'retry-after': '1' })
    this.#rejection = toErrorResponse(error, documents)
  }

  /**
   * Counts the connections of a server and rejects those beyond the limit before it parses any HTTP. With TLS it counts them before
   * the handshake, which a client may not begin.
   */
  guard(server: Server): void {
    filterConnections(server, getConnectionEvent(server), (socket) => this.#accept(socket))
    filterConnections(server, 'connection', (transport) => this.#admit(transport))
  }

  /** Counts a connection. Beyond the limit it is rejected once it can carry HTTP, or destroyed. */
  #admit(transport: Socket): boolean {
    if (this.#counted < this.#maxConnections) {
      this.#counted += 1
      transport.once('close', () => {
        this.#counted -= 1
      })
      return true
    }
    if (this.#lingering >= maxLingering) {
      transport.destroy()
      return false
    }
    this.#lingering += 1
    this.#rejected.add(transport)
    transport.once('close', () => {
      this.#lingering -= 1
    })
    return true
  }

  #accept(socket: Socket): boolean {
    const transport = getTransport(socket)
    if (this.#rejected.has(transport)) {
      this.#reject(socket)
      return false
    }
    this.#open.set(socket, { socket, transport, waiting: undefined, isBroken: false })
    socket.once('close', () => this.#open.delete(socket))
    probeWhenHalfClosed(socket)
    return true
  }

  #reject(socket: Socket): void {
    socket.on('error', () => {})
    const respond = (chunk?: Buffer) => {
      clearTimeout(timer)
      const isHead = chunk?.toString('latin1', 0, 5) === 'HEAD '
      publishRejection(this.#rejection)
      closeWith(socket, formatErrorResponse(this.#rejection, isHead))
    }
    const timer = setTimeout(respond, maxSilence).unref()
    socket.once('data', respond).once('close', () => clearTimeout(timer))
    // Reads and discards what the client sends.
    socket.resume()
  }
}

/** Makes a server process only the connections that a filter accepts, at an event that has a connection. */
function filterConnections(
  server: Server,
  event: 'connection' | 'secureConnection',
  accepts: (socket: Socket) => boolean,
): void {
  const listeners = server.listeners(event)
  server.removeAllListeners(event)
  server.on(event, (socket: Socket) => {
    if (!accepts(socket)) return
    for (const listener of listeners) Reflect.apply(listener, server, [socket])
  })
}
