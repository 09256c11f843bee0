import { hidesRows } from '../model/hides-rows.ts'
import {
  type ObservedRequest,
  partMeasured,
  requestEnded,
  statementEnded,
} from '../observe/events.ts'
import type { HttpOptions } from './options.ts'
import type { HttpResponse } from './request.ts'

/** What a duration is rounded up to in a model that hides rows, in milliseconds: a rule of a hidden row takes time to evaluate. */
const coarse = 10
/** The same in any other model. */
const fine = 0.01

/**
 * Creates the function that adds the header field `Server-Timing` to the response to a request that shows it. Errors never have it.
 * @see https://www.w3.org/TR/server-timing/
 */
export function createServerTiming({
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
