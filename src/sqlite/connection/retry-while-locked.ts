import { setTimeout } from 'node:timers/promises'
import { disconnectedError } from '../../sql/errors.ts'
import { isBusy } from '../errors.ts'

/** How long a request waits for the locks of other processes, in milliseconds. */
export const lockTimeout = 5000
/** The minimum pause between two attempts, in milliseconds; the maximum is twice as long. */
const pause = 10
/** The part of the time since the first attempt by which the pauses of a read grow: many reads may wait at the same time. */
const growth = 0.05

/** How a read waits. */
interface WaitOptions {
  /** Returns a signal that aborts when the client disconnects. */
  readonly signal?: (() => AbortSignal) | undefined
  /** The maximum duration of the wait, in milliseconds. Default 5 s. */
  readonly timeout?: number
  /** Whether the pauses grow, because others may wait beside it. Default false. */
  readonly isShared?: boolean
}

/**
 * Runs work again and again until no other process holds a lock. Other requests run between two attempts: no connection of this process
 * waits inside of SQLite, where nothing else runs.
 * @param since - when the wait began, on the clock of `performance.now`
 * @throws HttpError `unavailable` (503) after 5 seconds
 */
export async function retryWhileLocked<Result>(
  since: number,
  work: () => Result | Promise<Result>,
  { signal, timeout = lockTimeout, isShared = false }: WaitOptions = {},
): Promise<Result> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const waited = performance.now() - since
      if (!isBusy(error) || waited > Math.min(timeout, lockTimeout)) throw error
      if (signal?.().aborted) throw disconnectedError()
      await setTimeout((pause + (isShared ? waited * growth : 0)) * (1 + Math.random()))
    }
  }
}
