import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { LoadOptions, LoadResult } from './load-generator.ts'
import type { MonitorResult } from './process-monitor.ts'
import type { ServerCommand, Usage } from './server-process.ts'

/** A child process that replies to each message with one message. */
class Worker {
  readonly #child: ChildProcess

  /** @param wrapper - a program that runs Node.js, with its arguments; empty to run Node.js directly */
  constructor(file: string, parameters: readonly string[], wrapper: readonly string[] = []) {
    const [execPath = process.execPath, ...execArgv] = [...wrapper, process.execPath]
    this.#child = fork(join(import.meta.dirname, file), [...parameters], {
      execPath,
      execArgv,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Waits for the next message. */
  receive(): Promise<Message> {
    return new Promise((resolve, reject) => {
      const onExit = () => reject(new Error('A process of the benchmark exited too early.'))
      this.#child.once('exit', onExit)
      this.#child.once('message', (message: Message) => {
        this.#child.removeListener('exit', onExit)
        if (message.error === undefined) resolve(message)
        else reject(new Error(message.error))
      })
    })
  }

  /** Sends a message and waits for the reply. */
  call(message: object): Promise<Message> {
    const reply = this.receive()
    this.#child.send(message)
    return reply
  }

  /** Sends SIGTERM and waits for the exit. */
  stop(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#child.exitCode !== null) return resolve()
      this.#child.once('exit', () => resolve())
      this.#child.kill('SIGTERM')
    })
  }
}

/** A message of a child process. */
interface Message {
  readonly error?: string
  readonly port?: number
  readonly usage?: Usage
  readonly descriptors?: number
  readonly monitored?: MonitorResult
  readonly result?: LoadResult
}

/** A server in its own process. */
export interface ServerProcess {
  readonly name: string
  readonly pid: number
  readonly port: number
  /** True if no database process works for the server. Of two processors one is then free for the load generator. */
  readonly isSingleProcess: boolean
  readUsage(): Promise<Usage>
  /** Counts the open file descriptors; `undefined` where the operating system does not list them. */
  countDescriptors(): Promise<number | undefined>
  /** Starts to monitor the event loop and the memory. */
  startMonitor(): Promise<void>
  stopMonitor(): Promise<MonitorResult>
  /** Starts a CPU profile. */
  startProfile(): Promise<void>
  /** Writes the CPU profile to a file that Chromium's DevTools and `bench/profile.ts` read. */
  stopProfile(path: string): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a server and waits until it listens.
 * @param name - as for `startServer`
 * @param wrapper - a program that runs Node.js, with its arguments
 */
export async function startServerProcess(
  name: string,
  database: string,
  wrapper?: readonly string[],
): Promise<ServerProcess> {
  const worker = new Worker('server-process.ts', [name, database], wrapper)
  const { port } = await worker.receive()
  const call = (command: ServerCommand) => worker.call(command)
  return {
    name,
    pid: expectValue(worker.pid),
    port: expectValue(port),
    isSingleProcess: database.startsWith('sqlite:'),
    readUsage: async () => expectValue((await call({ is: 'read-usage' })).usage),
    countDescriptors: async () => (await call({ is: 'count-descriptors' })).descriptors,
    startMonitor: async () => void (await call({ is: 'start-monitor' })),
    stopMonitor: async () => expectValue((await call({ is: 'stop-monitor' })).monitored),
    startProfile: async () => void (await call({ is: 'start-profile' })),
    stopProfile: async (path) => void (await call({ is: 'stop-profile', path })),
    stop: () => worker.stop(),
  }
}

/** The load generator in its own process. */
export interface LoadGenerator {
  run(options: LoadOptions): Promise<LoadResult>
  stop(): Promise<void>
}

/** Starts the load generator. */
export function startLoadGenerator(): LoadGenerator {
  const worker = new Worker('load-generator.ts', [])
  return {
    run: async (options) => expectValue((await worker.call(options)).result),
    stop: () => worker.stop(),
  }
}

function expectValue<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('A process of the benchmark sent an unexpected message.')
  return value
}
