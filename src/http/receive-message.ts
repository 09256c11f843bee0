import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { ReceiveBody } from './body-reader.ts'

/**
 * Creates the function that receives the body of a request of Node. After an error it reads nothing more, and the connection stays
 * open for the response, which closes it.
 *
 * @param source - the request, or the stream that decodes its body
 */
export function receiveMessage(request: IncomingMessage, source: Readable): ReceiveBody {
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
