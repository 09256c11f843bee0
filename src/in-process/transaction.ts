import type { LifecycleContext } from '../lifecycle/context.ts'
import { readInTransaction } from '../lifecycle/read.ts'
import type { OpenTransaction } from '../lifecycle/unit-of-work.ts'
import { Mutex } from '../sql/semaphore.ts'
import type { Store } from '../sql/store.ts'

/** The calls of one transaction. They run one after the other, because each is rolled back alone if it fails. */
export class TransactionCalls {
  readonly #mutex = new Mutex()
  #isOpen = true

  /** Whether calls can still be made. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Runs a call after those before it. @throws Error when the transaction has ended */
  run<Result>(call: () => Promise<Result>): Promise<Result> {
    if (this.#isOpen) return this.#mutex.run(call)
    return Promise.reject(
      new Error('The transaction has ended: await every call of tx before its function returns.'),
    )
  }

  /** Accepts no more calls, and waits for those that were made. */
  async close(): Promise<void> {
    this.#isOpen = false
    await this.#mutex.run(() => {})
  }
}

/** Returns a context whose reads and writes run in a transaction that is open. A write that fails is rolled back alone. */
export function bindToTransaction<Context extends LifecycleContext>(
  context: Context,
  open: OpenTransaction,
): Context {
  const store: Store = {
    ...context.store,
    read: (plan, id, { hooks } = {}) => readInTransaction(open.transaction, plan, id, hooks),
  }
  return { ...context, store, open }
}
