import { setImmediate, setTimeout } from 'node:timers'

/** What a precise timer needs of the runtime. */
export interface Clock {
  /** Returns a time in milliseconds, with fractions; it never decreases. */
  readonly now: () => number
  /** Calls a function after a whole number of milliseconds, or up to one millisecond earlier. */
  readonly callAfter: (milliseconds: number, call: () => void) => void
  /** Calls a function in the next iteration of the event loop, so that input and output are processed before. */
  readonly callNext: (call: () => void) => void
}

/** Waits until a time of the clock. The promise is never resolved before it. */
export type WaitUntil = (time: number) => Promise<void>

/** The clock of the process. */
const processClock: Clock = {
  now: () => performance.now(),
  callAfter: (milliseconds, call) => void setTimeout(call, milliseconds),
  callNext: (call) => void setImmediate(call),
}

/** How long before its time a waiter stops to sleep, in milliseconds: a timer is at most this inexact. */
const margin = 1

interface Waiter {
  readonly time: number
  readonly resolve: () => void
}

/**
 * Creates a timer that is more exact than `setTimeout`. That counts whole milliseconds from the moment when the event loop begins to
 * sleep, so it fires a whole number of milliseconds after the work before it, and shows how long this work took. Here a waiter
 * sleeps until one to two milliseconds before its time. Then the clock is compared with the times of all waiters in each iteration of
 * the event loop, which processes other requests in between.
 */
export function createPreciseTimer(clock: Clock = processClock): WaitUntil {
  const waiters = new Set<Waiter>()
  const resolveDue = (): void => {
    const now = clock.now()
    for (const waiter of waiters) {
      if (waiter.time > now) continue
      waiters.delete(waiter)
      waiter.resolve()
    }
    if (waiters.size > 0) clock.callNext(resolveDue)
  }
  const add = (waiter: Waiter): void => {
    waiters.add(waiter)
    if (waiters.size === 1) clock.callNext(resolveDue)
  }
  return (time) =>
    new Promise((resolve) => {
      const sleep = Math.floor(time - clock.now()) - margin
      if (sleep > 0) clock.callAfter(sleep, () => add({ time, resolve }))
      else add({ time, resolve })
    })
}
