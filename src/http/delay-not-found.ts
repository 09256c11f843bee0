import { setImmediate, setTimeout } from 'node:timers'
import type { RouteHandler } from '../endpoints/handler.ts'
import type { Route } from '../endpoints/route-table.ts'
import { toErrorList } from '../errors/collector.ts'
import { hidesRows } from '../model/hides-rows.ts'
import type { Model } from '../model/model.ts'

/** When the responses about resources that do not exist are sent. */
interface DelayOptions {
  /** In milliseconds. Default 0, for no delay. */
  readonly notFoundInterval?: number | undefined
}

/** The clock and the timer of delayed responses. */
interface DelayTimer {
  readonly now: () => number
  readonly waitUntil: WaitUntil
}

/**
 * Delays the responses of a model that hides rows if they are the same for hidden and for absent rows. Such a response is sent at a
 * multiple of an interval after its handler was called, usually at the first one. Otherwise the response time would show whether the row
 * exists: the rule of a hidden row takes time to evaluate. Routes of models that hide no rows are returned unchanged.
 * @see docs/decisions/0081-delayed-404-responses.md
 */
export function delayNotFound(
  routes: readonly Route[],
  model: Model,
  { notFoundInterval: interval = 0 }: DelayOptions,
  { now, waitUntil }: DelayTimer = {
    now: () => performance.now(),
    waitUntil: createPreciseTimer(),
  },
): readonly Route[] {
  if (interval === 0 || !hidesRows(model)) return routes
  const delay: Delay = {
    now,
    waitAfter: (start) => {
      const multiple = Math.max(1, Math.ceil((now() - start) / interval))
      return waitUntil(start + multiple * interval)
    },
  }
  return routes.map((route) => {
    const methods = Object.entries(route.methods).map(([method, handle]) => {
      // Resources that do not exist can be removed from a relationship: the response is a success.
      const isRemoval = route.target?.is === 'relationship' && method === 'DELETE'
      return [method, isRemoval ? delayAll(handle, delay) : delayErrors(handle, delay)]
    })
    return { ...route, methods: Object.fromEntries(methods) }
  })
}

interface Delay {
  readonly now: () => number
  /** Waits until the next multiple of the interval after a time. */
  readonly waitAfter: (start: number) => Promise<void>
}

function delayAll(handle: RouteHandler, { now, waitAfter }: Delay): RouteHandler {
  return async (request, context) => {
    const start = now()
    try {
      return await handle(request, context)
    } finally {
      await waitAfter(start)
    }
  }
}

function delayErrors(handle: RouteHandler, { now, waitAfter }: Delay): RouteHandler {
  const rethrow = async (thrown: unknown, start: number): Promise<never> => {
    if (mayDependOnHidden(thrown)) await waitAfter(start)
    throw thrown
  }
  // Without `await`: a response that is ready stays without a promise.
  return (request, context) => {
    const start = now()
    try {
      const response = handle(request, context)
      return response instanceof Promise
        ? response.catch((thrown) => rethrow(thrown, start))
        : response
    } catch (thrown) {
      return rethrow(thrown, start)
    }
  }
}

/**
 * Whether an error may be the same for a hidden row and for an absent one. Every 404 may be, also one among other errors or beyond the
 * errors that are reported. So may every 403: a write gets it whether the resource that it links is hidden or absent.
 */
function mayDependOnHidden(thrown: unknown): boolean {
  const list = toErrorList(thrown)
  if (list === undefined) return false
  return list.more > 0 || list.errors.some(({ status }) => status === 404 || status === 403)
}

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
type WaitUntil = (time: number) => Promise<void>

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
