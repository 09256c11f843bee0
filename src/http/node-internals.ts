import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

// What Node knows of a connection and does not document. Keeping it ourselves would mean to hold the last request and
// response of every connection: the garbage collector then copies them, which cost up to a tenth of a small request.

/** The response that is being made or sent; `undefined` between requests. Pipelined ones behind it are not seen. */
export function responseInFlight(socket: Socket): ServerResponse | undefined {
  // Node sets it when a response may write to the socket, and takes it away when the response is finished.
  return property<ServerResponse>(socket, '_httpMessage')
}

/** The latest request whose head was read, while its body has not been read to its end. */
export function unfinishedRequest(socket: Socket): IncomingMessage | undefined {
  const request = property<IncomingMessage>(property(socket, 'parser'), 'incoming')
  return request?.complete === false ? request : undefined
}

/** Bytes of the write under way that the operating system has not accepted; Node's own timeouts look at it too. */
export function queuedBytes(socket: Socket): number {
  const size: unknown = Reflect.get(property(socket, '_handle') ?? {}, 'writeQueueSize')
  return typeof size === 'number' ? size : 0
}

function property<Value extends object>(of: object | undefined, name: string): Value | undefined {
  const value: unknown = of === undefined ? undefined : Reflect.get(of, name)
  // The types are Node's: the tests of pipelining and of stalled clients fail where a version has others.
  return typeof value === 'object' && value !== null ? (value as Value) : undefined
}
