import type { Route } from '../endpoints/route-table.ts'
import { hidesRows } from '../model/hides-rows.ts'
import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import {
  type ObservedRequest,
  partMeasured,
  type RouteTemplate,
  requestEnded,
  requestStarted,
  runObserved,
  statementEnded,
  streamStarted,
} from '../observe/events.ts'
import type { HttpOptions } from './options.ts'
import type { HttpRequest, HttpResponse } from './request.ts'
import type { Match } from './router.ts'

/** Publishes a request while `process` makes its response, and until the response is complete. */
type ObserveRequest = (
  request: HttpRequest,
  match: Match | undefined,
  process: () => Promise<HttpResponse>,
) => Promise<HttpResponse>

/** Creates what a dispatcher calls while somebody listens to its requests. */
export function createRequestObserver(options: HttpOptions): ObserveRequest {
  const { prefix = '', serverTiming } = options
  const toTemplate = memoizeByIdentity(
    ({ path }: Route): RouteTemplate => ({ path: prefix + path }),
  )
  const addTiming = createServerTiming(options)
  return async (request, match, process) => {
    const observed = createObserved(request, match && toTemplate(match.route))
    observed.showsTiming = serverTiming === true
    request.observed = observed
    if (requestStarted.hasSubscribers) requestStarted.publish(observed)
    try {
      const response = await runObserved(observed, process)
      return endWithResponse(observed, addTiming(response, observed))
    } catch (error) {
      end(observed, 500)
      throw error
    }
  }
}

function createObserved(
  { method, protocol, httpVersion, header }: HttpRequest,
  route: RouteTemplate | undefined,
): ObservedRequest {
  return {
    method,
    route,
    scheme: protocol,
    protocolVersion: httpVersion,
    header,
    startedAt: performance.now(),
    parts: { auth: 0, plan: 0, db: 0, serialize: 0 },
    duration: 0,
    status: 0,
    code: undefined,
    responseSize: undefined,
    isStream: false,
    findIndexes: undefined,
    showsTiming: false,
    enter: undefined,
  }
}

function end(observed: ObservedRequest, status: number): void {
  observed.duration = performance.now() - observed.startedAt
  observed.status = status
  requestEnded.publish(observed)
}

/** A stream ends with its last chunk, or when the client disconnects. */
function endWithResponse(observed: ObservedRequest, response: HttpResponse): HttpResponse {
  const { status, headers, body } = response
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    observed.responseSize = body === undefined ? 0 : Number(headers['content-length'])
    end(observed, status)
    return response
  }
  observed.isStream = true
  if (streamStarted.hasSubscribers) streamStarted.publish(observed)
  return { ...response, body: observeStream(observed, body, () => end(observed, status)) }
}

/** Returns the same chunks; the statements that read them belong to the request. @param onEnd - called once */
function observeStream(
  request: ObservedRequest,
  chunks: AsyncIterable<string>,
  onEnd: () => void,
): AsyncIterable<string> {
  const iterator = chunks[Symbol.asyncIterator]()
  let isOpen = true
  const close = () => {
    if (isOpen) onEnd()
    isOpen = false
  }
  const observed: AsyncIterableIterator<string> = {
    next: async () => {
      try {
        const chunk = await runObserved(request, () => iterator.next())
        if (chunk.done) close()
        return chunk
      } catch (error) {
        close()
        throw error
      }
    },
    return: async () => {
      close()
      await iterator.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => observed,
  }
  return observed
}

/** What a duration is rounded up to in a model that hides rows, in milliseconds: a rule of a hidden row takes time to evaluate. */
const coarse = 10
/** The same in any other model. */
const fine = 0.01

/**
 * Creates the function that adds the header field `Server-Timing` to the response to a request that shows it. Errors never have it.
 * @see https://www.w3.org/TR/server-timing/
 */
function createServerTiming({
  model,
  serverTiming = false,
}: HttpOptions): (response: HttpResponse, request: ObservedRequest) => HttpResponse {
  if (serverTiming === false) return (response) => response
  // The parts of a request are measured while somebody listens.
  for (const channel of [requestEnded, partMeasured, statementEnded]) channel.subscribe(ignore)
  const step = hidesRows(model) ? coarse : fine
  const round = (duration: number) => Number((Math.ceil(duration / step) * step).toFixed(2))
  return (response, { showsTiming, parts }) => {
    if (!showsTiming || response.status >= 400) return response
    const entries = Object.entries(parts).map(
      ([name, duration]) => `${name};dur=${round(duration)}`,
    )
    return { ...response, headers: { ...response.headers, 'server-timing': entries.join(', ') } }
  }
}

function ignore(): void {}
