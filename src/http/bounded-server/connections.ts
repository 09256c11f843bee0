import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { HeaderError } from '../../errors/errors.ts'
import { Admission, type ConnectionLimits } from './admission.ts'
import { closeWith, formatErrorResponse, toErrorResponse } from './raw-response.ts'

/** An open client connection and its pipelined requests. */
export interface Connection {
  readonly socket: Socket
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

/** The open client connections of a server. */
export class Connections {
  readonly #admission: Admission
  readonly #open = new Map<Socket, Connection>()
  readonly #rejection: string
  #lingering = 0

  constructor(limits: ConnectionLimits) {
    this.#admission = new Admission(limits)
    const detail = 'The server has too many open connections; try again shortly.'
    const error = new HeaderError('overloaded', detail, { 'retry-after': '1' })
    this.#rejection = formatErrorResponse(toErrorResponse(error))
  }

  /** The number of open connections. */
  get size(): number {
    return this.#open.size
  }

  /** All open connections. */
  all(): Iterable<Connection> {
    return this.#open.values()
  }

  /** The connection of a socket; `undefined` when it is closed. */
  get(socket: Socket): Connection | undefined {
    return this.#open.get(socket)
  }

  /** Counts the connections of a server and rejects those beyond the limits before it parses any HTTP. */
  guard(server: Server): void {
    const event = getConnectionEvent(server)
    const listeners = server.listeners(event)
    server.removeAllListeners(event)
    server.on(event, (socket: Socket) => {
      if (!this.#accept(socket)) return
      for (const listener of listeners) Reflect.apply(listener, server, [socket])
    })
  }

  #accept(socket: Socket): boolean {
    const address = socket.remoteAddress ?? ''
    if (!this.#admission.enter(address)) {
      this.#reject(socket)
      return false
    }
    this.#open.set(socket, { socket, waiting: undefined, isBroken: false })
    socket.once('close', () => {
      this.#open.delete(socket)
      this.#admission.leave(address)
    })
    return true
  }

  #reject(socket: Socket): void {
    socket.on('error', () => {})
    if (this.#lingering >= maxLingering) return void socket.destroy()
    this.#lingering += 1
    socket.once('close', () => {
      this.#lingering -= 1
    })
    closeWith(socket, this.#rejection)
    // Reads and discards what the client sends.
    socket.resume()
  }
}
