import { ManyErrors } from '../errors/collector.ts'
import { ApiError } from '../errors/errors.ts'
import type { Awaitable } from '../model/hooks.ts'

/**
 * One step of a write. Its result is stored where the steps that need it find it.
 *
 * The order of a list of steps is also the order in which their statements reach the database: a step sees in the database what
 * all earlier steps have written, also without naming them in `needs`. So the read of the response is the last step of a write,
 * and need not wait for the answers to the others.
 */
export interface Step {
  /** The steps whose results it needs as values, so that it cannot be sent together with them. */
  readonly needs: readonly Step[]
  readonly run: () => Awaitable<void>
}

/**
 * Runs the steps of a write. The error of the earliest step is thrown, in the order of the list.
 * @param done - steps that have run before
 * @throws whatever the steps throw
 */
export type StepExecutor = (steps: readonly Step[], done?: readonly Step[]) => Promise<void>

/** Runs one step after the other, on a connection whose statements run when they are called: SQLite. */
export async function runSequentially(steps: readonly Step[]): Promise<void> {
  for (const { run } of steps) {
    const running = run()
    // Steps on SQLite are synchronous: waiting for them would cost as much as a small statement.
    if (running instanceof Promise) await running
  }
}

/**
 * Runs steps in batches, on a connection that pipelines (PostgreSQL): statements that are sent without awaiting go to the database
 * together, and a failure aborts the rest of the transaction. A batch consists of every step whose needs are met. When one
 * fails, the steps before it in the list still run, because their errors take precedence.
 */
export async function runPipelined(
  steps: readonly Step[],
  before: readonly Step[] = [],
): Promise<void> {
  const done = new Set<Step>(before)
  let pending = steps
  let failure: Failure | undefined
  for (;;) {
    const batch = pending.filter(({ needs }) => needs.every((step) => done.has(step)))
    if (batch.length === 0) break
    const results = await Promise.allSettled(batch.map(async ({ run }) => run()))
    for (const [index, step] of batch.entries()) {
      const result = results[index]
      if (result?.status === 'fulfilled') done.add(step)
      else failure = earliest(failure, { at: steps.indexOf(step), error: result?.reason })
    }
    const last = failure?.at ?? steps.length
    pending = pending.filter((step) => !batch.includes(step) && steps.indexOf(step) < last)
  }
  if (failure) throw failure.error
}

/** The error of a step, and the index of the step. */
interface Failure {
  readonly at: number
  readonly error: unknown
}

/** An aborted transaction makes every later statement fail: only an error of the request replaces the first failure. */
function earliest(known: Failure | undefined, next: Failure): Failure {
  if (known === undefined) return next
  return next.at < known.at && isRequestError(next.error) ? next : known
}

function isRequestError(error: unknown): boolean {
  return error instanceof ManyErrors || (error instanceof ApiError && error.status < 500)
}
