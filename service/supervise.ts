import cluster, { type Worker } from 'node:cluster'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { listeningPort, reusesPort, workerEnvironment } from './worker.ts'

/** How long a worker must have lived for its successor to start at once, in milliseconds. */
const longEnough = 5000
/** How long the next one waits otherwise, in milliseconds: whatever ended it may pass. */
const restartDelay = 500
/** How long a worker may take to stop before it is killed, in milliseconds: longer than it gives itself. */
const workerLimit = 27_000
/** How long all of it may take, in milliseconds: less than the 30 s that service managers usually grant. */
export const supervisorLimit = 29_000

/** Where the workers listen, and how many there are. */
export interface WorkerOptions {
  readonly count: number
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
}

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
 * @returns when all of them accept connections
 * @throws Error when the address is taken, or when a worker ends before it ever listened; it has said why
 */
export async function superviseWorkers(options: WorkerOptions): Promise<Workers> {
  let isClosing = false
  if (!reusesPort) cluster.schedulingPolicy = cluster.SCHED_NONE
  await assertFree(options)
  const port = await startAll()
  return { port, close }

  /**
   * Where any port will do, the first worker finds one, and the others follow it. Workers that share a socket share it
   * by what they ask for: each asks for any port, and gets the same one.
   */
  async function startAll(): Promise<number> {
    const finders = options.port === 0 && reusesPort ? 1 : options.count
    const first = await started(finders, options.port)
    await started(options.count - finders, first)
    return first
  }

  async function started(count: number, port: number): Promise<number> {
    const all = await Promise.allSettled(Array.from({ length: count }, () => start(port)))
    if (all.every(({ status }) => status === 'fulfilled')) {
      const [first] = all
      return first?.status === 'fulfilled' ? first.value : port
    }
    await close()
    throw new Error('A worker ended before it listened.')
  }

  /** @returns the port that the worker listens on */
  function start(port: number): Promise<number> {
    const worker = cluster.fork(workerEnvironment(port))
    const born = Date.now()
    return new Promise((resolve, reject) => {
      let found: number | undefined
      worker.on('message', (message: unknown) => {
        found ??= listeningPort(message)
        if (found !== undefined) resolve(found)
      })
      worker.once('exit', (code, signal) => {
        reject(new Error(`A worker ended with ${signal ?? code}.`))
        if (found !== undefined) void replace(reusesPort ? found : port, Date.now() - born)
      })
    })
  }

  async function replace(port: number, lived: number): Promise<void> {
    for (let delay = lived < longEnough ? restartDelay : 0; !isClosing; delay = restartDelay) {
      await pause(delay)
      if (isClosing) return
      // One that never listened is followed by another one, until one does.
      const isListening = await start(port).then(
        () => true,
        () => false,
      )
      if (isListening) return
    }
  }

  async function close(): Promise<void> {
    isClosing = true
    await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && ended(worker)))
  }
}

/**
 * Workers that share a port by `SO_REUSEPORT` would share it with those of another service too.
 * @throws Error when another process listens there
 */
function assertFree({ host, port }: WorkerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host, port }, () => server.close(() => resolve()))
  })
}

/** Asks a worker to end, and waits until it has. */
function ended(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), workerLimit)
    worker.once('exit', () => {
      clearTimeout(timer)
      resolve()
    })
    worker.process.kill('SIGTERM')
  })
}
