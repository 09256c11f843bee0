import { connect, type Socket } from 'node:net'

/** A response, as it was received. */
interface RawResponse {
  readonly status: number
  /** By name in lower case; repeated ones are joined by `, `. */
  readonly headers: Record<string, string>
  readonly text: string
}

/**
 * Sends bytes over a new connection, and reads the first final response.
 *
 * @param method - the response to HEAD has no body
 * @param ends - whether to stop sending after the bytes
 * @returns `undefined` when the connection was closed without a response
 * @throws Error when the response is not HTTP, is incomplete, or is not complete after `timeout` milliseconds
 */
export async function sendBytes(
  origin: string,
  bytes: Buffer,
  { method, ends, timeout }: { method: string; ends: boolean; timeout: number },
): Promise<RawResponse | undefined> {
  const { hostname, port } = new URL(origin)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const timer = setTimeout(() => socket.destroy(new Error(`no response in ${timeout} ms`)), timeout)
  try {
    if (ends) socket.end(bytes)
    else socket.write(bytes)
    return await readResponse(socket, method)
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}

async function readResponse(socket: Socket, method: string): Promise<RawResponse | undefined> {
  let received = Buffer.alloc(0)
  try {
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk])
      const response = parse(received, method, false)
      if (response !== undefined) return response
    }
  } catch (error) {
    // A server may close the connection before it has read all bytes.
    const closed = error instanceof Error && /ECONNRESET|EPIPE/.test(error.message)
    if (!closed) throw error
  }
  if (received.length === 0) return undefined
  const response = parse(received, method, true)
  if (response === undefined)
    throw new Error(`the response is incomplete: ${received.toString('latin1')}`)
  return response
}

/** Reads a response; `undefined` while it is incomplete. */
function parse(received: Buffer, method: string, ended: boolean): RawResponse | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [start = '', ...lines] = received.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(start)?.[1])
  if (Number.isNaN(status)) throw new Error(`the response is not HTTP: ${start}`)
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
