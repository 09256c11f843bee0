import { AsyncLocalStorage } from 'node:async_hooks'
import type { Awaitable, Hooks } from './hooks.ts'

/** A run of a hook, an action or the function of `transaction`, in a transaction. */
interface Run {
  isRunning: boolean
  /** The message of the error that a write outside of the transaction is. */
  readonly message: string
}

const hookMessage =
  'A hook must not write by a call or a request: it would wait for the transaction of the hook. Use context.query, or make the call in afterCommit.'
const workMessage =
  'This write is made inside a transaction, but not through it: it would wait for the transaction. Use the calls of `tx`.'

type Hook = (...args: readonly unknown[]) => unknown

/**
 * Knows whether code of the application runs in a transaction of a model. If it writes by another transaction, it would wait for the
 * end of its own, which waits for the code: on SQLite forever, together with every other write.
 */
export class TransactionScope {
  /** The run that the code is in, also one that has ended. */
  readonly runs = new AsyncLocalStorage<Run>()

  /** Observes the hooks that run in a transaction, which are all but `afterCommit`. */
  observeAll(hooks: Hooks): Hooks {
    const entries = Object.entries(hooks).map(([name, hook]) => [
      name,
      name === 'afterCommit' || hook === undefined
        ? hook
        : this.observe((hook as Hook).bind(hooks)),
    ])
    return Object.fromEntries(entries)
  }

  /** Observes a hook. */
  observe<Args extends readonly unknown[], Result>(
    hook: (...args: Args) => Awaitable<Result>,
  ): (...args: Args) => Promise<Result> {
    return (...args) => this.#run(hookMessage, () => hook(...args))
  }

  /** Runs an action, or the function of `transaction`. */
  run<Result>(work: () => Awaitable<Result>): Promise<Result> {
    return this.#run(workMessage, work)
  }

  async #run<Result>(message: string, work: () => Awaitable<Result>): Promise<Result> {
    const current: Run = { isRunning: true, message }
    try {
      return await this.runs.run(current, work)
    } finally {
      // What the work has started and not awaited may write after it.
      current.isRunning = false
    }
  }
}
