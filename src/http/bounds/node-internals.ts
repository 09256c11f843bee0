import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

// Undocumented state of Node's connections. To track it here would mean to hold the last request and response of every
// connection: the garbage collector would then copy them, which cost up to a tenth of a small request when measured.
// Invariant: the tests of pipelining and of stalled clients fail in a Node version that names these properties otherwise.

/** Returns the response that the server is preparing or sending, without pipelined ones behind it; `undefined` for none. */
export function getResponseInFlight(socket: Socket): ServerResponse | undefined {
  // Node sets this when a response may write to the socket, and removes it when the response is finished.
  return readProperty<ServerResponse>(socket, '_httpMessage')
}

/** Returns the latest request whose head was read, until its body is read to the end. */
export function getUnfinishedRequest(socket: Socket): IncomingMessage | undefined {
  const request = readProperty<IncomingMessage>(readProperty(socket, 'parser'), 'incoming')
  return request?.complete === false ? request : undefined
}

/** Returns the TCP connection under a socket with TLS; a socket without TLS itself. */
export function getTransport(socket: Socket): Socket {
  return readProperty<Socket>(socket, '_parent') ?? socket
}

/** Returns the bytes of a TCP connection that the operating system has accepted. Node's own timeouts use the same numbers. */
export function getAcceptedBytes(transport: Socket): number {
  const { bytesWritten, writeQueueSize } =
    readProperty<Record<'bytesWritten' | 'writeQueueSize', number>>(transport, '_handle') ?? closed
  return bytesWritten - writeQueueSize
}

const closed = { bytesWritten: 0, writeQueueSize: 0 }

function readProperty<Value extends object>(
  of: object | undefined,
  name: string,
): Value | undefined {
  const value: unknown = of === undefined ? undefined : Reflect.get(of, name)
  // The types are those of Node's source code.
  return typeof value === 'object' && value !== null ? (value as Value) : undefined
}
