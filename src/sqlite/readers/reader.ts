import { type ChildProcess, fork } from 'node:child_process'
import { HttpError } from '../../errors/errors.ts'
import { queryTimeoutError } from '../../sql/errors.ts'
import type { ReaderCommand, ReaderMessage, ReaderReply, ReaderRequest } from './reader-messages.ts'
import { findReaderProgram } from './reader-program.ts'
import { workChannel } from './statement-work.ts'

/** The maximum size of a reader's JavaScript heap in MiB. It holds one result at a time. */
const maxHeapSize = 512
/** A process that has not started after this time is killed; in milliseconds. */
const startTimeout = 60_000

/** A command that waits for its reply. */
interface PendingCommand {
  readonly resolve: (reply: ReaderReply) => void
  readonly reject: (error: unknown) => void
}

/** The deadline of a reply, in milliseconds. */
interface ReplyDeadline {
  /** The time from now. */
  readonly remaining: number
  /** The time that the read was allowed in total. */
  readonly timeout: number
}

/** The options of a reader process. */
interface ReaderOptions {
  /** An `introspector` changes no file, not even those of the write-ahead log. Default `reader`. */
  readonly role?: 'reader' | 'introspector'
  /** The memory of the prepared statements, in bytes. Default 32 MiB. */
  readonly statementCache?: number
  /** The file that the path must lead to (`DatabaseFile.identity`); absent: any. */
  readonly identity?: string | undefined
}

/** A reader process, as the server sees it. */
export class Reader {
  readonly #child: ChildProcess
  /** In the order of the replies. */
  readonly #pending: PendingCommand[] = []
  /** The commands that wait until the process has started; `undefined` from then on. */
  #unsent: ReaderRequest[] | undefined = []
  readonly #start = Promise.withResolvers<void>()
  #isAlive = true
  #killReason: Error | undefined

  /**
   * @param onExit - called once, however the process ended
   */
  constructor(
    path: string,
    onExit: () => void,
    { role = 'reader', statementCache, identity = '' }: ReaderOptions,
  ) {
    const args = [path, role, String(statementCache ?? ''), identity]
    this.#child = fork(findReaderProgram(), args, {
      execArgv: [`--max-old-space-size=${maxHeapSize}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const startTimer = setTimeout(() => this.kill(), startTimeout)
    startTimer.unref()
    this.#child.on('message', (message: ReaderMessage) => {
      if (message.is !== 'started') return this.#pending.shift()?.resolve(message)
      clearTimeout(startTimer)
      this.#start.resolve()
      const unsent = this.#unsent ?? []
      this.#unsent = undefined
      for (const request of unsent) this.#write(request)
    })
    const handleEnd = () => {
      if (!this.#isAlive) return
      this.#isAlive = false
      clearTimeout(startTimer)
      this.#start.resolve()
      onExit()
      for (const { reject } of this.#pending.splice(0)) reject(this.#endError())
    }
    this.#child.on('error', handleEnd)
    this.#child.on('exit', handleEnd)
    this.#child.on('disconnect', handleEnd)
    this.#unref()
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Waits until the process has started, or ended. The server does not end meanwhile. */
  async waitForStart(): Promise<void> {
    this.#child.channel?.ref?.()
    await this.#start.promise
    if (this.#pending.length === 0) this.#unref()
  }

  /** Sends a command that has no reply. */
  send(command: ReaderCommand): void {
    if (this.#isAlive) this.#write(command)
  }

  #write(request: ReaderRequest): void {
    // If it cannot be sent, the process has ended, which the next command that has a reply reports.
    if (this.#unsent) this.#unsent.push(request)
    else this.#child.send(request, () => {})
  }

  /**
   * Sends a command and waits for the reply.
   * @throws HttpError `query_timeout` (503) after the deadline, when the read is stopped; `unavailable` (503) when the process
   *   ended
   */
  async request(
    command: ReaderCommand,
    { remaining, timeout }: ReplyDeadline,
  ): Promise<ReaderReply> {
    if (!this.#isAlive) throw this.#endError()
    const { promise, resolve, reject } = Promise.withResolvers<ReaderReply>()
    this.#pending.push({ resolve, reject })
    // Bun has no `ref` and `unref` of the channel, and needs none.
    this.#child.channel?.ref?.()
    const timer = setTimeout(() => this.stop(queryTimeoutError(timeout)), Math.max(remaining, 0))
    const request: ReaderRequest = workChannel.hasSubscribers
      ? { ...command, measuresWork: true }
      : command
    this.#write(request)
    try {
      const reply = await promise
      if (reply.work) workChannel.publish(reply.work)
      return reply
    } finally {
      clearTimeout(timer)
      if (this.#pending.length === 0) this.#unref()
    }
  }

  /** Waits for the replies to all commands. @param timeout - the process is killed after it, in milliseconds */
  async drain(timeout: number): Promise<void> {
    if (this.#pending.length === 0 || !this.#isAlive) return
    const timer = setTimeout(() => this.kill(), timeout)
    while (this.#pending.length > 0 && this.#isAlive) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#child.once('message', () => resolve())
      this.#child.once('exit', () => resolve())
      await promise
    }
    clearTimeout(timer)
  }

  /**
   * Stops the pending commands. The process is killed if it may execute one of them. If it has not started yet, it is left to
   * later reads: otherwise no read would ever be served where the start takes longer than the deadline.
   * @param reason - the error of the pending commands
   */
  stop(reason: Error): void {
    if (!this.#unsent) {
      this.kill(reason)
      return
    }
    this.#unsent = []
    for (const { reject } of this.#pending.splice(0)) reject(reason)
  }

  /** Kills the process, even in the middle of a statement. @param reason - the error of the pending commands */
  kill(reason?: Error): void {
    this.#killReason ??= reason
    this.#child.kill('SIGKILL')
  }

  #endError(): Error {
    return this.#killReason ?? lostError()
  }

  /** Lets the server end although the idle process is alive. */
  #unref(): void {
    this.#child.unref()
    this.#child.channel?.unref?.()
  }
}

/** The error of a read whose process ran out of memory or was killed from outside. */
function lostError(): HttpError {
  const cause = new Error('A reader process ended in the middle of a read.')
  const headers = { 'retry-after': '1' }
  return new HttpError('unavailable', 'The read was interrupted; try again.', headers, { cause })
}
