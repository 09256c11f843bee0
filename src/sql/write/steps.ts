import { ManyErrors } from '../../errors/collector.ts'
import { ApiError } from '../../errors/errors.ts'
import type { Awaitable } from '../../model/declare/hooks.ts'

/**
 * One step of a write. Its result is stored in the state of the write, where the steps that need it find it.
 *
 * The order of a list of steps is also the order in which their statements reach the database: a step sees in the database what
 * all earlier steps have written, also without naming them in `needs`. So the read of the response is the last step of a write,
 * and need not wait for the answers to the others.
 */
export interface Step<State = void> {
  /** The steps whose results it needs as values, so that it cannot be sent together with them. */
  readonly needs: readonly Step<State>[]
  readonly run: (state: State) => Awaitable<unknown>
  /** Converts an error of `run` to the one that is thrown; absent if every error is thrown as it is. */
  readonly convertError?: (error: unknown, state: State) => unknown
}

/**
 * Runs the steps of a write. The error of the earliest step is thrown, in the order of the list.
 * @param done - steps that have run before
 * @returns the state
 * @throws whatever the steps throw
 */
export type StepExecutor = <State>(
  steps: readonly Step<State>[],
  state: State,
  done?: readonly Step<State>[],
) => Awaitable<State>

/** Runs a step. @throws what its `convertError` returns */
function runStep<State>({ run, convertError }: Step<State>, state: State): Awaitable<unknown> {
  if (convertError === undefined) return run(state)
  const rethrow = (error: unknown): never => {
    throw convertError(error, state)
  }
  try {
    const running = run(state)
    return running instanceof Promise ? running.catch(rethrow) : running
  } catch (error) {
    return rethrow(error)
  }
}

/** After so many milliseconds of steps, the requests that have arrived are served before the next step. */
const maxBlocking = 20

/** Runs one step after the other, on a connection whose statements run when they are called: SQLite. */
export function runSequentially<State>(
  steps: readonly Step<State>[],
  state: State,
): Awaitable<State> {
  const start = performance.now()
  for (const [index, step] of steps.entries()) {
    const running = runStep(step, state)
    // Only hooks wait: a promise for each statement would cost as much as a small statement.
    if (running instanceof Promise)
      return running.then(() => runSequentially(steps.slice(index + 1), state))
    if (performance.now() - start > maxBlocking)
      return new Promise<void>((resolve) => setImmediate(resolve)).then(() =>
        runSequentially(steps.slice(index + 1), state),
      )
  }
  return state
}

/**
 * Runs steps in batches, on a connection that pipelines (PostgreSQL): statements that are sent without awaiting go to the database
 * together, and a failure aborts the rest of the transaction. A batch consists of every step whose needs are met. When one
 * fails, the steps before it in the list still run, because their errors take precedence.
 */
export async function runPipelined<State>(
  steps: readonly Step<State>[],
  state: State,
  before: readonly Step<State>[] = [],
): Promise<State> {
  const done = new Set<Step<State>>(before)
  let pending = steps
  let failure: Failure | undefined
  for (;;) {
    const batch = pending.filter(({ needs }) => needs.every((step) => done.has(step)))
    if (batch.length === 0) break
    const results = await Promise.allSettled(batch.map(async (step) => runStep(step, state)))
    for (const [index, step] of batch.entries()) {
      const result = results[index]
      if (result?.status === 'fulfilled') done.add(step)
      else failure = earliest(failure, { at: steps.indexOf(step), error: result?.reason })
    }
    const last = failure?.at ?? steps.length
    pending = pending.filter((step) => !batch.includes(step) && steps.indexOf(step) < last)
  }
  if (failure) throw failure.error
  return state
}

/**
 * Commits what is sent until nothing is left that does not wait for the database.
 * @param findFailure - called then; if it returns what a step has thrown, nothing is sent
 */
export type CommitNext = (
  findFailure: () => Readonly<{ error: unknown }> | undefined,
) => Promise<void>

/**
 * Runs steps that need nothing of each other, and commits with them: one round trip. If a statement fails, or a step before its statement
 * is sent, nothing is committed. A step that rejects a result of the database does not prevent the commit.
 * @returns the results of the steps, then that of the commit
 */
export async function runAtOnce<State>(
  steps: readonly Step<State>[],
  state: State,
  commit: CommitNext,
): Promise<readonly PromiseSettledResult<unknown>[]> {
  let failure: Readonly<{ error: unknown }> | undefined
  const running = steps.map(async (step) => {
    try {
      await runStep(step, state)
    } catch (error) {
      failure ??= { error }
      throw error
    }
  })
  return Promise.allSettled([...running, commit(() => failure)])
}

/** Binds steps to a state, so that those of several writes can run together. */
export function bindSteps<State>(steps: readonly Step<State>[], state: State): Step[] {
  const bound = new Map<Step<State>, Step>()
  for (const step of steps) {
    const needs = step.needs.flatMap((each) => bound.get(each) ?? [])
    bound.set(step, { needs, run: () => runStep(step, state) })
  }
  return [...bound.values()]
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
