import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'

/** A client that reads a long response. Times are in milliseconds. */
interface StreamReader {
  /** From the request to the first byte of the response. */
  readonly firstByte: number
  /** Stops reading; the connection stays open. */
  pause(): void
  /** Closes the connection. */
  disconnect(): void
  /** Resolves at the end of the response. */
  readonly completed: Promise<CompletedStream>
}

/** A response that was read to its end. */
interface CompletedStream {
  readonly elapsed: number
  /** The size, with header fields and chunk sizes. */
  readonly bytes: number
  /** The last characters of the response. */
  readonly tail: string
}

const lastChunk = '\r\n0\r\n\r\n'
/** The number of characters in `tail`. */
const tailLength = 300

/**
 * Requests a long response over a plain socket and discards its content.
 * @returns after the first byte
 */
export async function openStreamReader(port: number, target: string): Promise<StreamReader> {
  const socket = await openSocket(port)
  const sent = performance.now()
  const completed = readToEnd(socket, sent)
  // A reader that disconnects does not wait for the end.
  completed.catch(() => {})
  const firstData = new Promise<void>((resolve) => socket.once('data', () => resolve()))
  socket.write(
    `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: application/vnd.api+json\r\n\r\n`,
  )
  await Promise.race([firstData, completed])
  return {
    firstByte: performance.now() - sent,
    pause: () => void socket.pause(),
    disconnect: () => void socket.destroy(),
    completed,
  }
}

function readToEnd(socket: Socket, sent: number): Promise<CompletedStream> {
  return new Promise((resolve, reject) => {
    let bytes = 0
    let tail = ''
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      tail = (tail + chunk.subarray(-tailLength).toString('latin1')).slice(-tailLength)
      if (!tail.endsWith(lastChunk)) return
      socket.destroy()
      resolve({ elapsed: performance.now() - sent, bytes, tail })
    })
    socket.once('close', () => reject(new Error('The server closed the connection.')))
    socket.once('error', reject)
  })
}

function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => resolve(socket))
    socket.once('error', reject)
  })
}
