import { setTimeout } from 'node:timers/promises'
import { BusyError } from './errors.ts'

/** How long a write waits for the locks of other processes, in milliseconds. */
const lockTimeout = 5000
/** The minimum pause between two attempts, in milliseconds; the maximum is twice as long. */
const pause = 10

/**
 * Runs work again and again until no other process holds a lock. Other requests run between two attempts.
 * @param since - when the wait began, on the clock of `performance.now`
 * @throws HeaderError `unavailable` (503) after 5 seconds
 */
export async function retryWhileLocked<Result>(
  since: number,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof BusyError) || performance.now() > since + lockTimeout) throw error
      await setTimeout(pause + Math.random() * pause)
    }
  }
}
