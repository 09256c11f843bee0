import { setTimeout } from 'node:timers/promises'
import { BusyError } from './errors.ts'

/** How long a write waits for the locks of other processes, in milliseconds. */
const lockTimeout = 5000
/** The minimum pause between two attempts, in milliseconds; the maximum is twice as long. */
const pause = 10

/** Returns when a write that arrives now gives up, on the clock of `performance.now`. */
export function lockDeadline(): number {
  return performance.now() + lockTimeout
}

/**
 * Runs work again and again until no other process holds a lock. Other requests run between two attempts.
 * @param deadline - on the clock of `performance.now`
 * @throws HeaderError `unavailable` (503) after the deadline
 */
export async function retryUntil<Result>(
  deadline: number,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof BusyError) || performance.now() > deadline) throw error
      await setTimeout(pause + Math.random() * pause)
    }
  }
}
