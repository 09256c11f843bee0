import { performance } from 'node:perf_hooks'

/** With fewer open connections, the server never rejects a request for its waiting time. */
const minConnections = 32

/** How many iterations of the event loop are timed within one `queueTimeout`. */
const samplesPerTimeout = 10

/**
 * Creates the check whether a request has waited too long. Reads on SQLite are synchronous: while one runs, other
 * requests wait in the kernel, which records no arrival time. All requests that one iteration of the event loop delivers
 * had arrived when the iteration began. A request delivered more than `queueTimeout` after the first one of its
 * iteration has therefore waited at least that long. To time every iteration would cost 2 % of a request, so the next one is
 * timed after a tenth of the timeout: the server rejects a request at most that much later.
 *
 * @param queueTimeout - in milliseconds
 * @param connections - the open connections; a few cannot overload the server
 * @returns a function that returns true if the server should reject the request that was delivered now
 */
export function createLoadShedder(
  queueTimeout: number,
  connections: Readonly<{ size: number }>,
): () => boolean {
  let iterationBegan: number | undefined
  let nextSample = 0
  const endIteration = () => {
    iterationBegan = undefined
  }
  return () => {
    if (connections.size < minConnections) return false
    const now = performance.now()
    if (iterationBegan !== undefined) return now - iterationBegan > queueTimeout
    if (now < nextSample) return false
    nextSample = now + queueTimeout / samplesPerTimeout
    iterationBegan = now
    setImmediate(endIteration)
    return false
  }
}
