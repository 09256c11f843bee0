import cluster, { type Worker } from 'node:cluster'
import { setTimeout } from 'node:timers/promises'

/** How long a worker must have lived for its successor to start at once, in milliseconds. */
const longEnough = 5000
/** How long the next one waits otherwise, in milliseconds: whatever ended it may pass. */
const pause = 500

/** Processes that answer at one address. */
export interface Workers {
  /** The port they listen on. */
  readonly port: number
  /** Has every worker finish what is under way, and end. */
  close(): Promise<void>
}

/**
 * Starts copies of this program as workers that share one address, and replaces those that end.
 *
 * @returns when all of them listen
 * @throws Error when one ends before it ever listened; it has said why
 */
export async function superviseWorkers(count: number): Promise<Workers> {
  let isClosing = false
  const started = await Promise.allSettled(Array.from({ length: count }, () => start()))
  const ports = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const [port] = ports
  if (port === undefined || ports.length < count) {
    await close()
    throw new Error('A worker ended before it listened.')
  }
  return { port, close }

  /** @returns the port that the worker listens on */
  function start(): Promise<number> {
    const worker = cluster.fork()
    const born = Date.now()
    return new Promise((resolve, reject) => {
      let hasListened = false
      worker.once('listening', ({ port }) => {
        hasListened = true
        resolve(port)
      })
      worker.once('exit', (code, signal) => {
        reject(new Error(`A worker ended with ${signal ?? code}.`))
        if (hasListened) void replace(Date.now() - born)
      })
    })
  }

  async function replace(lived: number): Promise<void> {
    for (let rest = lived < longEnough ? pause : 0; !isClosing; rest = pause) {
      await setTimeout(rest)
      if (isClosing) return
      // One that never listened is followed by another one, until one does.
      const isThere = await start().then(
        () => true,
        () => false,
      )
      if (isThere) return
    }
  }

  async function close(): Promise<void> {
    isClosing = true
    await Promise.all(workersOf().map(ended))
  }
}

function workersOf(): Worker[] {
  return Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? [])
}

/** Asks a worker to end, and waits until it has. */
function ended(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve())
    worker.process.kill('SIGTERM')
  })
}
