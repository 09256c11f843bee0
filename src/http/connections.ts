import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { HeaderError } from '../errors/errors.ts'
import { closeWith, errorResponse, rawErrorResponse } from './raw-response.ts'

/** A client connection and what the server knows of it. */
export interface Connection {
  readonly socket: Socket
  /** Pipelined requests that have not begun; absent as long as there are none. */
  waiting: WaitingRequest[] | undefined
  /** True once the client has sent bytes that are not HTTP, or too many requests: no further request is taken. */
  isBroken: boolean
}

/** A request that waits for the earlier ones of its connection. */
export interface WaitingRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly handle: RequestListener
}

/** How many connections a server accepts. */
export interface ConnectionLimits {
  readonly maxConnections: number
  readonly maxConnectionsPerAddress: number
}

/** Refused connections that may be open at the same time, to read their response; more are destroyed at once. */
const mostLingering = 256

/** The open client connections of a server. */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #open = new Map<Socket, Connection>()
  readonly #perAddress = new Map<string, number>()
  readonly #refusal: string
  #lingering = 0

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
    const detail = 'The server has too many open connections; try again shortly.'
    const error = new HeaderError('overloaded', detail, { 'retry-after': '1' })
    this.#refusal = rawErrorResponse(errorResponse(error))
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
  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket)
  }

  /** Counts the connections of a server and refuses those beyond the limits before any HTTP is parsed. */
  guard(server: Server): void {
    const listeners = server.listeners('connection')
    server.removeAllListeners('connection')
    server.on('connection', (socket) => {
      if (!this.#accept(socket)) return
      for (const listener of listeners) Reflect.apply(listener, server, [socket])
    })
  }

  #accept(socket: Socket): boolean {
    const { maxConnections, maxConnectionsPerAddress } = this.#limits
    // There is no address on a Unix socket, nor when the client has already disconnected.
    const address = socket.remoteAddress ?? ''
    const fromAddress = this.#perAddress.get(address) ?? 0
    const isTooMany = address !== '' && fromAddress >= maxConnectionsPerAddress
    if (isTooMany || this.#open.size >= maxConnections) {
      this.#refuse(socket)
      return false
    }
    this.#perAddress.set(address, fromAddress + 1)
    this.#open.set(socket, { socket, waiting: undefined, isBroken: false })
    socket.once('close', () => {
      this.#open.delete(socket)
      const left = (this.#perAddress.get(address) ?? 0) - 1
      if (left > 0) this.#perAddress.set(address, left)
      else this.#perAddress.delete(address)
    })
    return true
  }

  #refuse(socket: Socket): void {
    socket.on('error', () => {})
    if (this.#lingering >= mostLingering) return void socket.destroy()
    this.#lingering += 1
    socket.once('close', () => {
      this.#lingering -= 1
    })
    closeWith(socket, this.#refusal)
    // What the client sends is read and discarded.
    socket.resume()
  }
}
