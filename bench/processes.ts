import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { Load, Round } from './load.ts'
import type { Usage } from './serve.ts'
import type { Watched } from './watch.ts'

/** A process of ours that answers each message with one message. */
class Worker {
  readonly #child: ChildProcess

  /** @param through - a program that runs Node, with its options; Node itself when empty */
  constructor(file: string, words: readonly string[], through: readonly string[] = []) {
    const [execPath = process.execPath, ...execArgv] = [...through, process.execPath]
    this.#child = fork(join(import.meta.dirname, file), [...words], {
      execPath,
      execArgv,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Waits for the next message. */
  next(): Promise<Message> {
    return new Promise((resolve, reject) => {
      const gone = () => reject(new Error('A process of the benchmark has ended too early.'))
      this.#child.once('exit', gone)
      this.#child.once('message', (message: Message) => {
        this.#child.removeListener('exit', gone)
        if (message.error === undefined) resolve(message)
        else reject(new Error(message.error))
      })
    })
  }

  ask(question: object): Promise<Message> {
    const answer = this.next()
    this.#child.send(question)
    return answer
  }

  /** Ends this very process and waits for its end. */
  end(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#child.exitCode !== null) return resolve()
      this.#child.once('exit', () => resolve())
      this.#child.kill('SIGTERM')
    })
  }
}

/** What the processes say. */
interface Message {
  readonly error?: string
  readonly port?: number
  readonly usage?: Usage
  readonly watched?: Watched
  readonly result?: Load
}

/** A server in a process of its own. */
export interface Served {
  /** Who it is. */
  readonly subject: string
  readonly pid: number
  readonly port: number
  /** Whether no other process works for it, so that of two processors one is left for who asks. */
  readonly isAlone: boolean
  usage(): Promise<Usage>
  /** Begins to look at its event loop and its memory. */
  watch(): Promise<void>
  /** What was seen since; ends that. */
  watched(): Promise<Watched>
  /** Begins to sample where CPU time goes. */
  beginProfile(): Promise<void>
  /** Writes what was sampled to a file that Chromium's tools and `bench/profile.ts` read. */
  endProfile(path: string): Promise<void>
  end(): Promise<void>
}

/**
 * Starts a server and waits until it listens.
 * @param subject - who: `service`, `floor` or a peer's name
 * @param through - a program that runs Node, with its options
 */
export async function serve(
  subject: string,
  database: string,
  through?: readonly string[],
): Promise<Served> {
  const worker = new Worker('serve.ts', [subject, database], through)
  const { port } = await worker.next()
  return {
    subject,
    pid: said(worker.pid),
    port: said(port),
    isAlone: database.startsWith('sqlite:'),
    usage: async () => said((await worker.ask({ is: 'usage' })).usage),
    watch: async () => void (await worker.ask({ is: 'watch' })),
    watched: async () => said((await worker.ask({ is: 'watched' })).watched),
    beginProfile: async () => void (await worker.ask({ is: 'profile' })),
    endProfile: async (path) => void (await worker.ask({ is: 'profiled', path })),
    end: () => worker.end(),
  }
}

/** The load generator in a process of its own. */
export interface Generator {
  run(round: Round): Promise<Load>
  end(): Promise<void>
}

/** Starts the load generator. */
export function startGenerator(): Generator {
  const worker = new Worker('load.ts', [])
  return {
    run: async (round) => said((await worker.ask(round)).result),
    end: () => worker.end(),
  }
}

function said<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('A process of the benchmark said something else.')
  return value
}
