import { execute, type QueryExecutor } from './connection.ts'
import type { CancellableQuery, DisconnectWatch } from './disconnects.ts'
import { disconnectedError } from './errors.ts'
import { type BatchResult, type PostgresQuery, type PostgresResult, sendBatch } from './pipeline.ts'
import type { Session } from './session.ts'

/** How many quick statements go together: the last of them waits for the others. */
const maxBatch = 4

/** Among how many of those that wait the one is sought that suits a connection best. */
const mostSought = 32
/** How often who waits longest lets others go first. */
const mostPassed = 16

/** Does what takes a connection for a moment. */
export type AcquireSession = <Result>(
  work: (session: Session) => Promise<Result>,
) => Promise<Result>

/** Quick statements that wait for one connection, and what they come to. */
interface Group {
  readonly all: PostgresQuery[]
  readonly outcome: Promise<BatchResult>
}

/** A statement that waits for a connection, whichever that is, or has come to its turn. */
interface Waiting {
  readonly asked: PostgresQuery
  readonly resolve: (answer: PostgresResult) => void
  readonly reject: (error: unknown) => void
  /** Has the server stop it, once it runs. */
  cancel?: () => void
}

/**
 * Takes single statements to the server, each on any connection. Who waits gets a connection on which the statement is
 * prepared, if there is a choice: a connection keeps so many, and to prepare one takes the server longer than to run it.
 * Quick ones that wait for a connection wait for the same one and go together: a message to the server and back costs
 * both sides more than what a quick statement does.
 */
export class SharedExecutor implements QueryExecutor {
  readonly #lend: AcquireSession
  readonly #disconnects: DisconnectWatch
  /** The longest waiting first. */
  readonly #waiting: Waiting[] = []
  /** How many connections are on their way to those that wait: more than those, where some have given up. */
  #coming = 0
  /** How often others have gone before the first of them. */
  #passed = 0
  /** Those that more may join. */
  #group: Group | undefined
  #joined = 0

  constructor(lend: AcquireSession, disconnects: DisconnectWatch) {
    this.#lend = lend
    this.#disconnects = disconnects
  }

  send(asked: PostgresQuery): Promise<PostgresResult> {
    return asked.statement.isQuick ? this.#join(asked) : this.#alone(asked)
  }

  execute(text: string, patience?: number): Promise<string> {
    return this.#lend((session) => execute(session, text, patience))
  }

  /** How many more wait than connections are waited for; fewer, where some have given up. */
  get surplus(): number {
    return this.#joined + Math.min(this.#waiting.length - this.#coming, 0)
  }

  #alone(asked: PostgresQuery): Promise<PostgresResult> {
    const { promise, resolve, reject } = Promise.withResolvers<PostgresResult>()
    const own = asked.signal
      ? this.#stoppable({ asked, resolve, reject }, asked.signal)
      : { asked, resolve, reject }
    this.#waiting.push(own)
    this.#coming += 1
    let taken: Waiting | undefined
    this.#lend((session) => {
      this.#coming -= 1
      taken = this.#take(this.#suiting(session))
      return taken ? runOn(session, taken) : nothing
    }).then(
      (answer) => answer && taken?.resolve(answer),
      (error) => {
        if (taken) return taken.reject(error)
        // There may be no connection to be had; who has waited longest gets no other when its own was given away.
        this.#coming -= 1
        if (this.#waiting.length <= this.#coming) return
        this.#take(Math.max(this.#waiting.indexOf(own), 0))?.reject(error)
      },
    )
    return promise
  }

  /** Has a statement given up, or stopped by the server, when its client disconnects before it is answered. */
  #stoppable({ asked, resolve, reject }: Waiting, signal: () => AbortSignal): Waiting {
    const read: CancellableQuery = {
      signal,
      stop: () => {
        const at = this.#waiting.indexOf(own)
        if (at === -1) return own.cancel?.()
        this.#take(at)
        own.reject(disconnectedError())
      },
    }
    const own: Waiting = {
      asked,
      resolve: (answer) => {
        this.#disconnects.delete(read)
        resolve(answer)
      },
      reject: (error) => {
        this.#disconnects.delete(read)
        reject(error)
      },
    }
    this.#disconnects.add(read)
    return own
  }

  /** Which of those that wait goes next on a connection. */
  #suiting({ prepared }: Session): number {
    const sought = this.#passed < mostPassed ? this.#waiting.slice(0, mostSought) : []
    const at = sought.findIndex(({ asked }) => prepared.has(asked.statement))
    this.#passed = at > 0 ? this.#passed + 1 : 0
    return Math.max(at, 0)
  }

  /** The one at a place; `undefined` where all that waited have given up. */
  #take(at: number): Waiting | undefined {
    return this.#waiting.splice(at, 1)[0]
  }

  async #join(asked: PostgresQuery): Promise<PostgresResult> {
    const group = this.#group ?? this.#begin()
    const index = group.all.push(asked) - 1
    if (index > 0) this.#joined += 1
    if (group.all.length === maxBatch) this.#group = undefined
    const { results, failure } = await group.outcome
    const answer = results[index]
    if (answer !== undefined) return answer
    if (group.all.length === 1) throw failure
    // One that fails takes those behind it along; none of them has changed anything.
    return this.#alone(asked)
  }

  #begin(): Group {
    const all: PostgresQuery[] = []
    let isWaiting = true
    const goes = () => {
      if (isWaiting) this.#joined -= all.length - 1
      if (this.#group?.all === all) this.#group = undefined
      isWaiting = false
    }
    const outcome = this.#lend((session) => {
      goes()
      return sendBatch(session, all).result
    }).finally(goes)
    const group = { all, outcome }
    this.#group = group
    return group
  }
}

const nothing = Promise.resolve(undefined)

async function runOn(session: Session, waiting: Waiting): Promise<PostgresResult> {
  const running = sendBatch(session, [waiting.asked])
  waiting.cancel = running.cancel
  const { results, failure } = await running.result
  const [answer] = results
  if (answer === undefined) throw failure
  return answer
}
