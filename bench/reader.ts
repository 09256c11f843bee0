import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'

/** Who reads a long answer, as fast as it comes, or not at all. Times are in milliseconds. */
export interface Reader {
  /** From the request to the first byte of the answer. */
  readonly firstByte: number
  /** Stops reading. */
  pause(): void
  /** Goes away in the middle. */
  leave(): void
  /** Settles when all is read. */
  readonly all: Promise<Read>
}

/** What came to the end. */
export interface Read {
  readonly elapsed: number
  /** With the head, and the lengths of chunks. */
  readonly bytes: number
  /** What the answer ends with. */
  readonly end: string
}

/** What ends an answer of chunks. */
const last = '\r\n0\r\n\r\n'
/** How much of the end is kept. */
const kept = 300

/**
 * Asks for a long answer by a plain socket, and keeps none of it.
 * @returns when its first byte is here
 */
export async function startReading(port: number, target: string): Promise<Reader> {
  const socket = await connected(port)
  const sent = performance.now()
  const all = readAll(socket, sent)
  // Whoever leaves does not wait for the rest.
  all.catch(() => {})
  const first = new Promise<void>((resolve) => socket.once('data', () => resolve()))
  socket.write(
    `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: application/vnd.api+json\r\n\r\n`,
  )
  await Promise.race([first, all])
  return {
    firstByte: performance.now() - sent,
    pause: () => void socket.pause(),
    leave: () => void socket.destroy(),
    all,
  }
}

function readAll(socket: Socket, sent: number): Promise<Read> {
  return new Promise((resolve, reject) => {
    let bytes = 0
    let end = ''
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      end = (end + chunk.subarray(-kept).toString('latin1')).slice(-kept)
      if (!end.endsWith(last)) return
      socket.destroy()
      resolve({ elapsed: performance.now() - sent, bytes, end })
    })
    socket.once('close', () => reject(new Error('The server closed the connection.')))
    socket.once('error', reject)
  })
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => resolve(socket))
    socket.once('error', reject)
  })
}
