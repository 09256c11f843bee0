import { connect, type Socket } from 'node:net'

/** What came back on a bare connection. */
interface BareAnswer {
  readonly status: number
  /** By lower-case name; repeated ones joined by `, `. */
  readonly headers: Record<string, string>
  readonly text: string
}

/**
 * Sends bytes over a connection of their own and reads the first response that is not an interim one.
 *
 * @param method - HEAD says that no body follows
 * @param ends - whether to stop sending after the bytes
 * @returns `undefined` when the connection was closed without a response
 * @throws Error when the response is no HTTP, breaks off, or does not come within `timeout` milliseconds
 */
export async function sendBytes(
  origin: string,
  bytes: Buffer,
  { method, ends, timeout }: { method: string; ends: boolean; timeout: number },
): Promise<BareAnswer | undefined> {
  const { hostname, port } = new URL(origin)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const timer = setTimeout(() => socket.destroy(new Error(`no response in ${timeout} ms`)), timeout)
  try {
    if (ends) socket.end(bytes)
    else socket.write(bytes)
    return await firstAnswer(socket, method)
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}

async function firstAnswer(socket: Socket, method: string): Promise<BareAnswer | undefined> {
  let received = Buffer.alloc(0)
  try {
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk])
      const response = parse(received, method, false)
      if (response !== undefined) return response
    }
  } catch (error) {
    // A server that rejects to read on may close so fast that the client's bytes meet a closed door.
    const closed = error instanceof Error && /ECONNRESET|EPIPE/.test(error.message)
    if (!closed) throw error
  }
  if (received.length === 0) return undefined
  const response = parse(received, method, true)
  if (response === undefined)
    throw new Error(`the response breaks off: ${received.toString('latin1')}`)
  return response
}

/** Reads a response, or `undefined` while some of it is missing. */
function parse(received: Buffer, method: string, ended: boolean): BareAnswer | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [start = '', ...lines] = received.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(start)?.[1])
  if (Number.isNaN(status)) throw new Error(`the response is no HTTP: ${start}`)
  const rest = received.subarray(end + 4)
  if (status < 200) return parse(rest, method, ended)
  const headers = headersOf(lines)
  const bodiless = method === 'HEAD' || status === 204 || status === 304
  const body = bodiless ? Buffer.alloc(0) : bodyOf(rest, headers, ended)
  if (body === undefined) return undefined
  return { status, headers, text: new TextDecoder('utf-8', { fatal: true }).decode(body) }
}

function headersOf(lines: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]+):\s*(.*?)\s*$/.exec(line) ?? []
    const before = headers.get(name.toLowerCase())
    headers.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(headers)
}

function bodyOf(rest: Buffer, headers: Record<string, string>, ended: boolean): Buffer | undefined {
  if (headers['transfer-encoding'] === 'chunked') return unchunked(rest)
  const length = headers['content-length']
  if (length === undefined) return ended ? rest : undefined
  return rest.length >= Number(length) ? rest.subarray(0, Number(length)) : undefined
}

function unchunked(rest: Buffer): Buffer | undefined {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const end = rest.indexOf('\r\n', at)
    if (end < 0) return undefined
    const size = Number.parseInt(rest.toString('latin1', at, end), 16)
    if (size === 0) return Buffer.concat(chunks)
    if (rest.length < end + 2 + size + 2) return undefined
    chunks.push(rest.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
}
