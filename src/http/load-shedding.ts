/** With fewer open connections than this, requests wait however long it takes. */
const fewConnections = 32

/**
 * Decides which requests have waited too long. Reads on SQLite are synchronous, so while one runs the others wait in
 * the kernel, where nobody sees since when. All requests that one iteration of the event loop brings up were there when
 * it began: a request that comes up later than `queueTimeout` after the first has waited at least that long.
 *
 * @param queueTimeout - in milliseconds
 * @param openConnections - how many clients there are now; a few never make an overload
 * @returns whether to refuse the request that has come up now
 */
export function loadShedding(queueTimeout: number, openConnections: () => number): () => boolean {
  let iterationBegan: number | undefined
  const endIteration = () => {
    iterationBegan = undefined
  }
  return () => {
    if (openConnections() < fewConnections) return false
    const now = performance.now()
    if (iterationBegan === undefined) {
      iterationBegan = now
      setImmediate(endIteration)
      return false
    }
    return now - iterationBegan > queueTimeout
  }
}
