import { Session } from 'node:inspector/promises'
import { setTimeout } from 'node:timers/promises'

/**
 * Frees the memory that only the start of a server needed: sources, compiled declarations, and the space that V8 reserved for them. V8
 * itself would keep it for as long as the server is idle: a quarter of its memory (bench/RESULTS.md). The collection blocks the event
 * loop for some 50 ms, so it does not delay the start.
 *
 * @param delay - the time from now to the collection, in milliseconds. It does not keep the process running
 */
export async function collectStartGarbage(delay = 1000): Promise<void> {
  await setTimeout(delay, undefined, { ref: false })
  const session = new Session()
  session.connect()
  try {
    await session.post('HeapProfiler.collectGarbage')
  } finally {
    session.disconnect()
  }
}
