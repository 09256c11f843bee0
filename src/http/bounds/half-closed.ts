import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { getResponseInFlight } from './node-internals.ts'

/** The time between two interim responses, in milliseconds. */
const interval = 250

/**
 * Makes a server respond to clients that have closed their sending side after a request: they may still read (RFC 9293 §3.6). Node's own
 * server closes such a connection at once. It closes it after the last response with this property, which its documentation lacks.
 */
export function allowHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true })
}

/**
 * Finds out whether the client of a connection still reads once it has closed its sending side: a client that is gone looks the same
 * until something is sent to it. While a response is prepared, the client gets interim responses (102, RFC 9110 §15.2, which every client
 * of HTTP/1.1 ignores): the operating system of a client that is gone rejects the first, and then the connection closes.
 */
export function probeWhenHalfClosed(socket: Socket): void {
  socket.once('end', () => {
    const timer = setInterval(() => {
      const response = getResponseInFlight(socket)
      const isAwaited = response?.headersSent === false && response.req.httpVersion === '1.1'
      if (isAwaited) response.writeProcessing()
    }, interval).unref()
    socket.once('close', () => clearInterval(timer))
  })
}
