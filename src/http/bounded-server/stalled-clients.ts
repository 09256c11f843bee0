import type { Socket } from 'node:net'
import type { Connections } from './connections.ts'
import { getQueuedBytes } from './node-internals.ts'
import { scheduleChecks } from './schedule-checks.ts'

/** The sending progress of a socket with unsent data, and the time of its last progress. */
interface Progress {
  /** Bytes passed to the operating system, plus a constant. */
  readonly written: number
  /** Bytes of the current write that the operating system has not accepted. */
  readonly queued: number
  readonly since: number
}

/**
 * Closes connections that accept no data. As long as they are open, they hold their responses in memory, and a streamed
 * response holds a database connection.
 *
 * @param timeout - milliseconds without progress, in which the server could send
 * @returns a function that stops the checks
 */
export function closeStalledClients(connections: Connections, timeout: number): () => void {
  let previous = new Map<Socket, Progress>()
  return scheduleChecks(timeout, (now) => {
    const next = new Map<Socket, Progress>()
    for (const { socket } of connections.all()) {
      if (socket.writableLength === 0) continue
      const progress = measureProgress(socket, previous.get(socket), now)
      if (now - progress.since > timeout) socket.destroy()
      else next.set(socket, progress)
    }
    previous = next
  })
}

function measureProgress(socket: Socket, before: Progress | undefined, now: number): Progress {
  const written = socket.bytesWritten - socket.writableLength
  const queued = getQueuedBytes(socket)
  return before?.written === written && before.queued === queued
    ? before
    : { written, queued, since: now }
}
