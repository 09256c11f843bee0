import { HttpError } from '../errors/errors.ts'
import { executeInTransaction } from '../lifecycle/transaction.ts'
import type { UnitOfWork } from '../lifecycle/unit-of-work.ts'
import { getWriteOptions } from '../lifecycle/write.ts'
import type { Awaitable } from '../model/declare/hooks.ts'
import { thenMaybe } from '../sql/then-maybe.ts'
import type { AppContext } from './app-context.ts'
import type { ApiRequest, ApiResponse, Deadline } from './handler.ts'
import type { RequestPlan } from './request-plan.ts'

/** Ends a request whose deadline has passed. It is no error of the API yet: stores translate the timeouts of statements that write. */
class DeadlinePassed extends Error {
  override name = 'DeadlinePassed'
}

/**
 * Executes a request that has a deadline. Its signal aborts then: that stops its reads, and what its hooks do with the signal. A response
 * that has begun is not cut off.
 * @throws HttpError `query_timeout` (503); what the request throws
 */
export async function executeWithin<Body>(
  seconds: number,
  request: ApiRequest,
  execute: (limited: ApiRequest) => Awaitable<ApiResponse<Body>>,
): Promise<ApiResponse<Body>> {
  const end = performance.now() + seconds * 1000
  const passed = new DeadlinePassed(`The client waits for ${seconds} s only.`)
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(passed), seconds * 1000)
  const isOver = () => controller.signal.aborted || performance.now() >= end
  const check = () => {
    if (isOver()) throw passed
  }
  const signal = () => AbortSignal.any([request.signal(), controller.signal])
  try {
    return await execute({ ...request, signal, deadline: { check } })
  } catch (error) {
    // A read that was stopped looks as if its client had disconnected. No write ends with this code.
    const isStopped = error instanceof HttpError && error.code === 'query_timeout' && isOver()
    throw error === passed || isStopped ? createTimeout(seconds) : error
  } finally {
    clearTimeout(timer)
  }
}

function createTimeout(seconds: number): HttpError {
  return new HttpError(
    'query_timeout',
    `The request took longer than its preference wait=${seconds} allows, and was stopped; nothing was written. Send it with a larger number, or without the preference.`,
  )
}

/** Executes what commits nothing: a response that could not be stopped is late. A stream has begun, and is not cut off. @throws DeadlinePassed */
export function readWithin<Body>(
  deadline: Deadline,
  execute: () => Awaitable<ApiResponse<Body>>,
): Awaitable<ApiResponse<Body>> {
  return thenMaybe(execute(), (response) => {
    if (typeof response.body === 'string') deadline.check()
    return response
  })
}

/**
 * Executes a write in a transaction that is rolled back if the deadline has passed before the commit.
 * @throws DeadlinePassed; what the write throws
 */
export function commitWithin<Body>(
  deadline: Deadline,
  plan: RequestPlan<Body>,
  request: ApiRequest,
  context: AppContext<Body>,
  execute: (within: AppContext<Body>) => Awaitable<ApiResponse<Body>>,
): Promise<ApiResponse<Body>> {
  const isWrite = plan.is === 'write' || plan.is === 'link'
  const options = isWrite ? getWriteOptions(plan.write) : undefined
  const work = async (unit: UnitOfWork) => {
    deadline.check()
    const response = await execute({ ...context, open: { ...unit, isOfRequest: true } })
    const executed = { ...response, body: await response.body }
    deadline.check()
    return executed
  }
  return executeInTransaction(context, request, work, options)
}
