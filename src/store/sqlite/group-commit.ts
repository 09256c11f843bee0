import { setImmediate } from 'node:timers/promises'
import type { Mutex } from '../mutex.ts'
import { overloadedError } from '../semaphore.ts'
import type { SqliteConnection } from './connection.ts'
import type { DatabaseFile } from './database-file.ts'
import { endOfPatience, patiently } from './errors.ts'
import { inTransaction } from './transaction.ts'

/** The most transactions that one commit is for. */
const most = 100
/** How long after the first of them another may begin, in milliseconds: those before it wait to be told. */
const longest = 20

/** Tells the one who waits for a transaction how it ended. */
type Tell = () => void

/** A transaction that waits for its turn. */
interface Waiting {
  /** When to give up, on the clock of `performance.now`. */
  readonly deadline: number
  /** Does the work; when it throws, the work is to be undone. */
  readonly run: () => Promise<Tell>
  readonly refused: (error: unknown) => Tell
}

/** What commits are shared by. */
export interface CommitOptions {
  /** Of all who use the connection. */
  readonly turns: Mutex
  readonly file: DatabaseFile
  /** How many transactions may wait. Default 1000. */
  readonly queueSize?: number | undefined
}

/**
 * Runs transactions one after the other and makes those that wait durable together, because a commit waits for the disk
 * and the rest of a write does not. Until then nobody is told anything, not even a refusal: its reason may be a row that
 * another has written. Where a common commit fails, nothing has been written, and each runs again alone.
 */
export class SharedCommits {
  readonly #writer: SqliteConnection
  readonly #turns: Mutex
  readonly #file: DatabaseFile
  readonly #queueSize: number
  #waiting: Waiting[] = []

  constructor(writer: SqliteConnection, { turns, file, queueSize = 1000 }: CommitOptions) {
    this.#writer = writer
    this.#turns = turns
    this.#file = file
    this.#queueSize = queueSize
  }

  /** Runs work that writes: all of it or, when it throws, nothing. @returns its result, once that is durable */
  transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#waiting.length >= this.#queueSize) return Promise.reject(overloadedError())
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    this.#waiting.push({
      deadline: endOfPatience(),
      run: async () => {
        const result = await work()
        return () => resolve(result)
      },
      refused: (error) => () => reject(error),
    })
    // Whose turn comes first takes the others along; their own turns find nobody waiting.
    this.#turns.run(() => this.#serve())
    return promise
  }

  async #serve(): Promise<void> {
    if (this.#waiting.length === 0) return
    // By then all requests are heard that have arrived by now.
    await setImmediate()
    const all = this.#waiting.splice(0, most)
    const ended = all.length > 1 ? await this.#together(all) : undefined
    if (!ended) {
      for (const each of all) (await this.#alone(each))()
      return
    }
    for (const tell of ended) tell()
    // The others have their own turns.
    this.#waiting.unshift(...all.slice(ended.length))
  }

  /** @returns how those ended that could begin in time, in their order; `undefined` when the database refuses to keep it */
  async #together(all: readonly Waiting[]): Promise<readonly Tell[] | undefined> {
    const inTime = async () => {
      const ended: Tell[] = []
      const end = performance.now() + longest
      for (const each of all) {
        ended.push(await this.#apart(each))
        if (performance.now() > end) break
      }
      return ended
    }
    try {
      return await patiently(
        () => inTransaction(this.#writer, this.#file, inTime),
        all[0]?.deadline,
      )
    } catch {
      // Whoever is at fault finds out alone.
      return undefined
    }
  }

  /** Runs one of several; when it is refused, what it has done is undone and the others' work is not. */
  async #apart({ run, refused }: Waiting): Promise<Tell> {
    this.#writer.execute('savepoint apart')
    try {
      const tell = await run()
      this.#writer.execute('release apart')
      return tell
    } catch (error) {
      this.#writer.execute('rollback to apart; release apart')
      return refused(error)
    }
  }

  async #alone({ run, refused, deadline }: Waiting): Promise<Tell> {
    try {
      return await patiently(() => inTransaction(this.#writer, this.#file, run), deadline)
    } catch (error) {
      return refused(error)
    }
  }
}
