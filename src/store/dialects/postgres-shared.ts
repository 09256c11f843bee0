import type { PoolClient } from 'pg'
import { execute, type Line } from './postgres-connection.ts'
import {
  type Answered,
  type Asked,
  exchange,
  exchangeAll,
  type Outcome,
} from './postgres-exchange.ts'

/** How many quick statements go together: the last of them waits for the others. */
const mostTogether = 4

/** Does what takes a connection for a moment. */
export type Lend = <Result>(work: (client: PoolClient) => Promise<Result>) => Promise<Result>

/** Quick statements that wait for one connection, and what they come to. */
interface Group {
  readonly all: Asked[]
  readonly outcome: Promise<Outcome>
}

/**
 * Takes single statements to the server, each on any connection. Quick ones that wait for a connection wait for the same
 * one and go together: a message to the server and back costs both sides more than what a quick statement does.
 */
export class SharedLine implements Line {
  readonly #lend: Lend
  /** Those that more may join. */
  #waiting: Group | undefined
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
    return this.#lend((client) => exchange(client, asked))
  }

  async #join(asked: Asked): Promise<Answered> {
    const group = this.#waiting ?? this.#begin()
    const index = group.all.push(asked) - 1
    if (index > 0) this.#joined += 1
    if (group.all.length === mostTogether) this.#waiting = undefined
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
      if (this.#waiting?.all === all) this.#waiting = undefined
      isWaiting = false
    }
    const outcome = this.#lend((client) => {
      goes()
      return exchangeAll(client, all)
    }).finally(goes)
    const group = { all, outcome }
    this.#waiting = group
    return group
  }
}
