import type { Examination } from './examination.ts'
import type { ExaminedApi } from './examined-api.ts'
import { findViolations } from './exchange/check-exchange.ts'

/**
 * Returns an API whose responses are checked as they arrive: by the rules that a response and its request alone can violate, which the
 * tests of the engine check too, and by the description of the API.
 */
export function checkExchanges({ api, type, violations }: Examination): ExaminedApi {
  const titleByCode = new Map<string, string>()
  const seen = new Set<string>()
  const get: ExaminedApi['get'] = async (url, accept) => {
    const response = await api.get(url, accept)
    const { exchange } = response
    const body = parseJson(exchange.text)
    const broken = findViolations(exchange, body, titleByCode).map(
      ({ rule, pointer, message }) => `${rule}${at(pointer)}: ${message}`,
    )
    // The first one: a value that is no alternative of a schema differs from each of them.
    const [difference] = body === undefined ? [] : (api.findDifferences?.(exchange, body) ?? [])
    if (difference !== undefined)
      broken.push(
        `the response differs from the description of the API: ${withoutIndexes(difference)}`,
      )
    const example = `GET ${decode(url)}`
    for (const problem of new Set(broken)) {
      // One response that is requested again violates nothing more.
      const key = JSON.stringify([problem, example])
      if (!seen.has(key)) violations.add({ subject: type.type, problem, example })
      seen.add(key)
    }
    return response
  }
  return { ...api, get }
}

/** Names a place in a document. The indexes of resources are left out, so that all places of a violation are one. */
function at(pointer: string): string {
  return pointer === '' ? '' : ` at ${withoutIndexes(pointer)}`
}

function withoutIndexes(text: string): string {
  return text.replace(/\/\d+(?=\/|\s|$)/g, '/*')
}

function decode(url: string): string {
  try {
    return decodeURI(url)
  } catch {
    return url
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
