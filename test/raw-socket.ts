import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'

/** Milliseconds after which what a test waits for counts as never coming. */
const timeout = 20_000

/** One connection to a server, byte for byte. */
export interface RawSocket {
  readonly socket: Socket
  /** Closes the TCP connection with a reset; over TLS without the end of TLS. */
  reset(): void
  /** Everything that was received, bytes as characters. */
  received(): string
  send(bytes: string | Buffer): void
  /** Waits until what was received matches; the whole of it. */
  until(pattern: RegExp): Promise<string>
  /** Waits until the connection is closed; everything that was received. */
  closed(): Promise<string>
}

/** Opens a connection that reads what comes; `reads: false` leaves it unread. Over TLS the certificate is not verified. */
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

/** Waits until something is so. */
export async function eventually(what: string, isSo: () => boolean): Promise<void> {
  const end = performance.now() + timeout
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`it never came: ${what}`)
    await pause(5)
  }
}

/** A request as bytes; a body is given its length. */
export function request(method: string, path: string, fields: readonly string[] = [], body = '') {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  const type = body === '' ? [] : ['Content-Type: application/vnd.api+json']
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: test', ...type, ...length, ...fields]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** The statuses of the responses among received bytes, in order. */
export function statuses(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}
