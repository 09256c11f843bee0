import type { PoolClient } from 'pg'
import { execute, type Line } from './postgres-connection.ts'
import {
  type Answered,
  type Asked,
  exchange,
  exchangeAll,
  isPrepared,
  type Outcome,
} from './postgres-exchange.ts'

/** How many quick statements go together: the last of them waits for the others. */
const mostTogether = 4

/** Among how many of those that wait the one is sought that suits a connection best. */
const mostSought = 32
/** How often who waits longest lets others go first. */
const mostPassed = 16

/** Does what takes a connection for a moment. */
export type Lend = <Result>(work: (client: PoolClient) => Promise<Result>) => Promise<Result>

/** Quick statements that wait for one connection, and what they come to. */
interface Group {
  readonly all: Asked[]
  readonly outcome: Promise<Outcome>
}

/** A statement that waits for a connection, whichever that is. */
interface Waiting {
  readonly asked: Asked
  readonly resolve: (answer: Answered) => void
  readonly reject: (error: unknown) => void
}

/**
 * Takes single statements to the server, each on any connection. Who waits gets a connection on which the statement is
 * prepared, if there is a choice: a connection keeps so many, and to prepare one takes the server longer than to run it.
 * Quick ones that wait for a connection wait for the same one and go together: a message to the server and back costs
 * both sides more than what a quick statement does.
 */
export class SharedLine implements Line {
  readonly #lend: Lend
  /** The longest waiting first. */
  readonly #waiting: Waiting[] = []
  /** How often others have gone before the first of them. */
  #passed = 0
  /** Those that more may join. */
  #group: Group | undefined
  #joined = 0

  constructor(lend: Lend) {
    this.#lend = lend
  }

  send(asked: Asked): Promise<Answered> {
    return asked.statement.isQuick ? this.#join(asked) : this.#alone(asked)
  }

  execute(text: string, patience?: number): Promise<string> {
    return this.#lend((client) => execute(client, text, patience))
  }

  /** How many wait for a connection that another waits for as well. */
  get joined(): number {
    return this.#joined
  }

  #alone(asked: Asked): Promise<Answered> {
    const { promise, resolve, reject } = Promise.withResolvers<Answered>()
    const own: Waiting = { asked, resolve, reject }
    this.#waiting.push(own)
    let taken: Waiting | undefined
    this.#lend((client) => {
      taken = this.#take(this.#suiting(client))
      return exchange(client, taken.asked)
    }).then(
      (answer) => taken?.resolve(answer),
      (error) => {
        // There may be no connection to be had; who has waited longest gets no other when its own was given away.
        const refused = taken ?? this.#take(Math.max(this.#waiting.indexOf(own), 0))
        refused.reject(error)
      },
    )
    return promise
  }

  /** Which of those that wait goes next on a connection. */
  #suiting(client: PoolClient): number {
    const sought = this.#passed < mostPassed ? this.#waiting.slice(0, mostSought) : []
    const at = sought.findIndex(({ asked }) => isPrepared(client, asked.statement))
    this.#passed = at > 0 ? this.#passed + 1 : 0
    return Math.max(at, 0)
  }

  #take(at: number): Waiting {
    const [waiting] = this.#waiting.splice(at, 1)
    if (waiting === undefined) throw new Error('There is a connection and nobody who waits for it.')
    return waiting
  }

  async #join(asked: Asked): Promise<Answered> {
    const group = this.#group ?? this.#begin()
    const index = group.all.push(asked) - 1
    if (index > 0) this.#joined += 1
    if (group.all.length === mostTogether) this.#group = undefined
    const { answers, failure } = await group.outcome
    const answer = answers[index]
    if (answer !== undefined) return answer
    if (group.all.length === 1) throw failure
    // One that fails takes those behind it along; none of them has changed anything.
    return this.#alone(asked)
  }

  #begin(): Group {
    const all: Asked[] = []
    let isWaiting = true
    const goes = () => {
      if (isWaiting) this.#joined -= all.length - 1
      if (this.#group?.all === all) this.#group = undefined
      isWaiting = false
    }
    const outcome = this.#lend((client) => {
      goes()
      return exchangeAll(client, all)
    }).finally(goes)
    const group = { all, outcome }
    this.#group = group
    return group
  }
}
