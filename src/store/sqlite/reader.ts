import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { HeaderError } from '../../errors/errors.ts'
import { queryTimeoutError } from '../query-timeout.ts'
import type { ReaderReply, ReaderRequest, SentRequest } from './reader-messages.ts'
import { work } from './statement-events.ts'

/** The program of a reader, in the same form as this file: as it was written, or built. */
const program = fileURLToPath(
  new URL(`./reader-process${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
)
/** A reader holds one result at a time; it must not take the memory of the machine, in MiB. */
const heap = 512

/** Who waits for a reply. */
interface Awaiting {
  readonly resolve: (reply: ReaderReply) => void
  readonly reject: (error: unknown) => void
}

/** When a reply has to be there, in milliseconds. */
export interface ReaderDeadline {
  /** From now on. */
  readonly left: number
  /** What the whole read was allowed. */
  readonly timeout: number
}

/** A reader process as the server sees it. */
export class SqliteReader {
  readonly #child: ChildProcess
  readonly #awaiting: Awaiting[] = []
  #isAlive = true
  #death: Error | undefined

  /** @param onExit - called once, however the process ended */
  constructor(path: string, onExit: () => void) {
    this.#child = fork(program, [path], {
      execArgv: [`--max-old-space-size=${heap}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#child.on('message', (reply: ReaderReply) => this.#awaiting.shift()?.resolve(reply))
    const end = () => {
      if (!this.#isAlive) return
      this.#isAlive = false
      onExit()
      for (const { reject } of this.#awaiting.splice(0)) reject(this.#ended())
    }
    this.#child.on('error', end)
    this.#child.on('exit', end)
    this.#child.on('disconnect', end)
    this.#rest()
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Asks for something that has no reply. */
  tell(request: ReaderRequest): void {
    // What cannot be sent is found out by the next request that waits for its reply.
    if (this.#isAlive) this.#child.send(request, () => {})
  }

  /**
   * Asks for something and waits for it.
   * @throws HeaderError `query_timeout` (503) after the deadline, when the process is killed; `unavailable` when the process ended
   */
  async ask(request: ReaderRequest, { left, timeout }: ReaderDeadline): Promise<ReaderReply> {
    if (!this.#isAlive) throw this.#ended()
    const { promise, resolve, reject } = Promise.withResolvers<ReaderReply>()
    this.#awaiting.push({ resolve, reject })
    this.#child.channel?.ref()
    const timer = setTimeout(() => this.kill(queryTimeoutError(timeout)), Math.max(left, 0))
    const sent: SentRequest = work.hasSubscribers ? { ...request, isMeasured: true } : request
    this.#child.send(sent, () => {})
    try {
      const reply = await promise
      if (reply.work) work.publish(reply.work)
      return reply
    } finally {
      clearTimeout(timer)
      if (this.#awaiting.length === 0) this.#rest()
    }
  }

  /** Waits for what is still under way; after so many milliseconds the process is killed. */
  async settle(patience: number): Promise<void> {
    if (this.#awaiting.length === 0 || !this.#isAlive) return
    const timer = setTimeout(() => this.kill(), patience)
    while (this.#awaiting.length > 0 && this.#isAlive) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#child.once('message', () => resolve())
      this.#child.once('exit', () => resolve())
      await promise
    }
    clearTimeout(timer)
  }

  /** Ends the process at once, in the middle of a statement too. @param reason - what those who wait are told */
  kill(reason?: Error): void {
    this.#death ??= reason
    this.#child.kill('SIGKILL')
  }

  #ended(): Error {
    return this.#death ?? lost()
  }

  /** A process that does nothing does not keep the server's from ending. */
  #rest(): void {
    this.#child.unref()
    this.#child.channel?.unref()
  }
}

/** A reader that ran out of memory, or that somebody else has killed. */
function lost(): HeaderError {
  const cause = new Error('A reader process ended in the middle of a read.')
  const headers = { 'retry-after': '1' }
  return new HeaderError('unavailable', 'The read was broken off; try again.', headers, { cause })
}
