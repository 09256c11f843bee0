import type { Socket } from 'node:net'
import type { Connections } from './connections.ts'
import { queuedBytes } from './node-internals.ts'

/** How far a socket with unsent data has come, and since when it has not come further. */
interface Progress {
  /** Bytes that were passed to the operating system, up to a constant. */
  readonly written: number
  /** Bytes of the write under way that the operating system has not accepted. */
  readonly queued: number
  readonly since: number
}

/**
 * Closes connections that accept no data. Their responses, and the database connections of streams, are held for as
 * long as they are open.
 *
 * @param timeout - milliseconds without progress
 * @returns what stops the watch
 */
export function closeStalledClients(connections: Connections, timeout: number): () => void {
  let known = new Map<Socket, Progress>()
  const look = () => {
    const now = performance.now()
    const next = new Map<Socket, Progress>()
    for (const { socket } of connections.all()) {
      if (socket.writableLength === 0) continue
      const progress = progressOf(socket, known.get(socket), now)
      if (now - progress.since > timeout) socket.destroy()
      else next.set(socket, progress)
    }
    known = next
  }
  const interval = setInterval(look, Math.min(1000, Math.max(1, timeout / 8))).unref()
  return () => clearInterval(interval)
}

function progressOf(socket: Socket, before: Progress | undefined, now: number): Progress {
  const written = socket.bytesWritten - socket.writableLength
  const queued = queuedBytes(socket)
  return before?.written === written && before.queued === queued
    ? before
    : { written, queued, since: now }
}
