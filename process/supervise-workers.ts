import cluster, { type Worker } from 'node:cluster'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { describeListenError } from './describe-listen-error.ts'
import { listeningPort, reusesPort, workerEnvironment } from './worker.ts'

/** A worker that ran at least this long, in milliseconds, is replaced without delay. */
const minimumLifetime = 5000
/** The delay before another worker is replaced, in milliseconds: its cause may be temporary. */
const restartDelay = 500
/** The time after which a stopping worker is killed, in milliseconds. Longer than the worker's own limit. */
const workerLimit = 27_000
/** The maximum duration of the supervisor's shutdown, in milliseconds: below the usual 30 s of service managers. */
export const supervisorLimit = 29_000

/** The address and the number of workers. */
interface WorkerOptions {
  readonly count: number
  readonly host: string
  /** 0 chooses a free port. */
  readonly port: number
  /** The random secret that the workers share; `undefined` if a setting has one. */
  readonly secret: string | undefined
}

/** Running worker processes that share one address. */
interface Workers {
  /** The port they listen on. */
  readonly port: number
  /** Stops all workers. Each finishes its pending requests first. */
  close(): Promise<void>
}

/**
 * Starts copies of this program as workers that share one address. Replaces workers that exit. No connection passes through the
 * supervisor, as it does by default in Node's `cluster`: sockets in transit would be lost when a worker is killed, and their clients
 * would wait forever.
 *
 * @returns when all workers accept connections
 * @throws Error when the port is in use, or when a worker exits before it listens; the worker has printed the reason
 */
export async function superviseWorkers(options: WorkerOptions): Promise<Workers> {
  if (!reusesPort) cluster.schedulingPolicy = cluster.SCHED_NONE
  await assertPortIsFree(options)
  const supervisor = new Supervisor(options.secret)
  const port = await supervisor.start(options)
  return { port, close: () => supervisor.close() }
}

/** Starts workers, replaces those that exit, and stops all of them. */
class Supervisor {
  readonly #secret: string | undefined
  #isClosing = false

  constructor(secret: string | undefined) {
    this.#secret = secret
  }

  /**
   * Given port 0 and `SO_REUSEPORT`, the first worker chooses a free port and the others use it. Without `SO_REUSEPORT`
   * all workers request port 0, and Node gives them the same socket.
   * @returns the port that they listen on
   */
  async start({ count, port }: WorkerOptions): Promise<number> {
    const firstCount = port === 0 && reusesPort ? 1 : count
    const listeningOn = await this.#startWorkers(firstCount, port)
    await this.#startWorkers(count - firstCount, listeningOn)
    return listeningOn
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.all(
      Object.values(cluster.workers ?? {}).map((worker) => worker && stopWorker(worker)),
    )
  }

  async #startWorkers(count: number, port: number): Promise<number> {
    const starts = Array.from({ length: count }, () => this.#startWorker(port))
    const results = await Promise.allSettled(starts)
    if (results.every(({ status }) => status === 'fulfilled')) {
      const [first] = results
      return first?.status === 'fulfilled' ? first.value : port
    }
    await this.close()
    throw new Error('a worker exited before it listened')
  }

  /** @returns the port that the worker listens on */
  #startWorker(port: number): Promise<number> {
    const worker = cluster.fork(workerEnvironment(port, this.#secret))
    const startedAt = Date.now()
    return new Promise((resolve, reject) => {
      let listeningOn: number | undefined
      worker.on('message', (message: unknown) => {
        listeningOn ??= listeningPort(message)
        if (listeningOn !== undefined) resolve(listeningOn)
      })
      worker.once('exit', (code, signal) => {
        reject(new Error(`a worker exited with ${signal ?? code}`))
        if (listeningOn !== undefined)
          void this.#replaceWorker(reusesPort ? listeningOn : port, Date.now() - startedAt)
      })
    })
  }

  async #replaceWorker(port: number, lifetime: number): Promise<void> {
    let delay = lifetime < minimumLifetime ? restartDelay : 0
    while (!this.#isClosing) {
      await pause(delay)
      if (this.#isClosing) return
      // If the new worker exits before it listens, start another one.
      const isListening = await this.#startWorker(port).then(
        () => true,
        () => false,
      )
      if (isListening) return
      delay = restartDelay
    }
  }
}

/**
 * Checks that no other process listens on the port: with `SO_REUSEPORT`, workers could share it with another service.
 * @throws Error when the port is in use
 */
function assertPortIsFree({ host, port }: WorkerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error) => reject(describeListenError(error, { host, port })))
    server.listen({ host, port }, () => server.close(() => resolve()))
  })
}

/** Kills all workers: a process that hangs would outlive the supervisor. */
export function killWorkers(): void {
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL')
}

/** Stops a worker and waits until it has exited. */
function stopWorker(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), workerLimit)
    worker.once('exit', () => {
      clearTimeout(timer)
      resolve()
    })
    worker.process.kill('SIGTERM')
  })
}
