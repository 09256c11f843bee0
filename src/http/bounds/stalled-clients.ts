import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection, Connections } from './connections.ts'
import { getAcceptedBytes, getResponseInFlight } from './node-internals.ts'

/** Bytes of a response that a client must accept within the timeout. */
const minProgress = 65_536

/** The response that a connection sends, and its bytes when the client had last accepted `minProgress` more of them. */
interface Progress {
  readonly response: ServerResponse | undefined
  /** Bytes of the connection that the operating system had accepted. */
  readonly accepted: number
  readonly since: number
}

/**
 * Closes connections that accept no data, or too little. As long as they are open, they hold their responses in memory, and a
 * streamed response holds a database connection.
 *
 * @param timeout - milliseconds, in which the server could send and a client must accept `minProgress`, or the rest of a response
 * @returns a function that stops the checks
 */
export function closeStalledClients(connections: Connections, timeout: number): () => void {
  let previous = new Map<Socket, Progress>()
  return scheduleChecks(timeout, (now) => {
    const next = new Map<Socket, Progress>()
    for (const connection of connections.open.values()) {
      const { socket } = connection
      if (socket.writableLength === 0) continue
      const progress = measureProgress(connection, previous.get(socket), now)
      if (now - progress.since > timeout) socket.destroy()
      else next.set(socket, progress)
    }
    previous = next
  })
}

function measureProgress(
  { socket, transport }: Connection,
  before: Progress | undefined,
  now: number,
): Progress {
  const response = getResponseInFlight(socket)
  const accepted = getAcceptedBytes(transport)
  const isSame = before !== undefined && before.response === response
  return isSame && accepted - before.accepted < minProgress
    ? before
    : { response, accepted, since: now }
}

/** The checks within a timeout. */
const checksPerTimeout = 8
/** The longest time between two checks, in milliseconds. */
const maxInterval = 1000

/**
 * Calls a check regularly until it is stopped. The time that it is given advances by one interval with each check, however long the
 * event loop was blocked in between: a client cannot make progress while the server does something else, so that time does not count.
 *
 * @param timeout - milliseconds that the check measures
 * @param check - is given the present time in milliseconds, on a clock of its own
 * @returns a function that stops the checks
 */
function scheduleChecks(timeout: number, check: (now: number) => void): () => void {
  const interval = Math.min(maxInterval, Math.max(1, timeout / checksPerTimeout))
  let now = 0
  const timer = setInterval(() => {
    now += interval
    check(now)
  }, interval).unref()
  return () => clearInterval(timer)
}
