import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'

/** Milliseconds after which a wait fails. */
const timeout = 20_000

/** A connection to a server, on which tests send and receive bytes. */
export interface RawSocket {
  readonly socket: Socket
  /** Closes the TCP connection with a reset; over TLS without the end of TLS. */
  reset(): void
  /** Everything that was received, bytes as characters. */
  received(): string
  send(bytes: string | Buffer): void
  /** Waits until the received text matches. @returns the complete text */
  until(pattern: RegExp): Promise<string>
  /** Waits until the connection is closed. @returns everything that was received */
  closed(): Promise<string>
}

/** Opens a connection that reads; with `reads: false` it does not read. Over TLS it does not verify the certificate. */
export async function openSocket(origin: string, { reads = true } = {}): Promise<RawSocket> {
  const { protocol, hostname, port } = new URL(origin)
  const address = { host: hostname.replace(/[[\]]/g, ''), port: Number(port) }
  const isSecure = protocol === 'https:'
  const transport = connect(address)
  const socket = isSecure ? connectTls({ socket: transport, rejectUnauthorized: false }) : transport
  let text = ''
  let isClosed = false
  socket.on('error', () => {})
  socket.on('close', () => {
    isClosed = true
  })
  if (reads)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
  await once(socket, isSecure ? 'secureConnect' : 'connect')
  return {
    socket,
    // After a reset below TLS, the process of Node.js would never end.
    reset: () => void (isSecure ? transport.destroy() : transport.resetAndDestroy()),
    received: () => text,
    send: (bytes) => void socket.write(bytes),
    until: async (pattern) => {
      await eventually(`bytes that match ${pattern}`, () => pattern.test(text))
      return text
    },
    closed: async () => {
      await eventually('the end of the connection', () => isClosed)
      return text
    },
  }
}

/** Waits until a condition holds. */
export async function eventually(what: string, isSo: () => boolean): Promise<void> {
  const end = performance.now() + timeout
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`it never came: ${what}`)
    await pause(5)
  }
}

/** Formats a request as bytes, with the length of its body. */
export function request(method: string, path: string, fields: readonly string[] = [], body = '') {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  const type = body === '' ? [] : ['Content-Type: application/vnd.api+json']
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...type, ...length, ...fields]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** The statuses of the responses among received bytes, in order. */
export function statuses(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}
