import { AsyncLocalStorage } from 'node:async_hooks'
import type { Awaitable, Hooks } from './hooks.ts'

/** A run of a hook in a transaction. */
interface HookRun {
  isRunning: boolean
}

type Hook = (...args: readonly unknown[]) => unknown

/**
 * Knows whether code runs in a hook of a model. A hook that writes by another transaction would wait for the end of its own, which
 * waits for the hook: on SQLite forever, together with every other write.
 */
export class HookScope {
  readonly #runs = new AsyncLocalStorage<HookRun>()

  /** @throws Error in a hook that has not ended */
  checkOutside(): void {
    if (this.#runs.getStore()?.isRunning)
      throw new Error(
        'A hook must not write by a call or a request: it would wait for the transaction of the hook. Use context.query, or make the call in afterCommit.',
      )
  }

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
    return async (...args) => {
      const current: HookRun = { isRunning: true }
      try {
        return await this.#runs.run(current, () => hook(...args))
      } finally {
        // What the hook has started and not awaited may write after it.
        current.isRunning = false
      }
    }
  }
}
