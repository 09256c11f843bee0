import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { HeaderError } from '../errors/errors.ts'
import { createBodyReader, largeBody, type ProcessBody, type ReceiveBody } from './body-reader.ts'

/** Reads the body of a request of Node and processes it. @param source - the request, or the stream that decodes its body */
type MessageReader = <Result>(
  request: IncomingMessage,
  source: Readable,
  process: ProcessBody<Result>,
) => Promise<Result>

/** Creates the reader of bodies of a mount. @param maxBody - the largest body, in bytes */
export function createMessageReader(maxBody: number): MessageReader {
  const read = createBodyReader(maxBody)
  const maxSmall = Math.min(largeBody, maxBody)
  return async (request, source, process) => {
    const size = Number(request.headers['content-length'])
    const isAsReceived = source === request && request.readableEncoding === null
    // Nearly every body is small and one chunk.
    if (size <= maxSmall && isAsReceived && !request.destroyed)
      return process(await receiveSmall(request, size))
    try {
      return await read(receiveMessage(request, source), process)
    } catch (error) {
      // An error of the stream that decodes the body is one of the request.
      if (source !== request && error instanceof Error && error === source.errored)
        Object.assign(error, { statusCode: Reflect.get(error, 'statusCode') ?? 400 })
      throw error
    }
  }
}

function receiveSmall(request: IncomingMessage, size: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let received = 0
    let body: Uint8Array = new Uint8Array()
    request.on('data', (chunk: Uint8Array) => {
      const start = received
      received += chunk.length
      if (chunk.length === size) body = chunk
      else if (received <= size) {
        if (start === 0) body = Buffer.allocUnsafe(size)
        body.set(chunk, start)
      }
    })
    request.on('end', () => (received === size ? resolve(body) : reject(createLengthError())))
    request.on('error', reject)
  })
}

/** Creates the error of a body that is shorter or longer than announced. Only a client in the process can send one. */
export function createLengthError(): HeaderError {
  return new HeaderError('invalid_request', 'The body does not have the length in Content-Length.')
}

/**
 * Creates the function that receives the body of a request of Node. After an error it reads nothing more, and the connection stays
 * open for the response, which closes it.
 *
 * @param source - the request, or the stream that decodes its body
 */
function receiveMessage(request: IncomingMessage, source: Readable): ReceiveBody {
  return (body, nextTurn) =>
    new Promise((resolve, reject) => {
      body.expect(Number(request.headers['content-length']))
      if (source.readableEnded) return resolve()
      if (source.destroyed) return reject(source.errored ?? createDisconnectError())
      const abandon = (error: unknown) => {
        source.off('data', receive).pause()
        reject(error)
      }
      const receive = (chunk: Uint8Array | string) => {
        try {
          if (!body.append(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)) return
          source.pause()
          void nextTurn().then(() => source.resume())
        } catch (error) {
          abandon(error)
        }
      }
      body.onReject = abandon
      source.on('data', receive).on('end', resolve).on('error', reject)
      for (const stream of new Set([source, request]))
        stream.on('close', () => {
          if (!stream.readableEnded) reject(createDisconnectError())
        })
    })
}

/** The error that Node reports to a request whose client disconnects. */
function createDisconnectError(): Error {
  return Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
}
