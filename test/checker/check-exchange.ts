import { AssertionError } from 'node:assert/strict'
import type { Exchange } from '../client.ts'
import { describeExchange } from '../test-response.ts'
import { checkCompoundDocument, checkFields } from './check-compound-document.ts'
import { checkDocument } from './check-document.ts'
import { checkErrors } from './check-errors.ts'
import { checkHttp, checkLocation } from './check-http.ts'
import { checkTopLinks } from './check-links.ts'
import { checkData } from './check-resource.ts'
import { checkSchema } from './check-schema.ts'
import type { ParsedExchange } from './parse-exchange.ts'
import { parseExchange } from './parse-exchange.ts'
import type { Violation, Violations } from './violation.ts'
import { isObject } from './violation.ts'

/** Every check of a response document. */
const checks: readonly ((exchange: ParsedExchange) => Violations)[] = [
  checkDocument,
  checkTopLinks,
  checkData,
  checkCompoundDocument,
  checkFields,
  checkErrors,
  checkLocation,
]

/**
 * Asserts that a response conforms to every rule that can be checked with the response and its request alone.
 *
 * @returns the parsed body; `undefined` if it is empty
 * @throws AssertionError with each violated rule, its JSON pointer, and the complete exchange
 */
export function assertConforms(exchange: Exchange): unknown {
  const body = parseJson(exchange.text)
  const found = findViolations(exchange, body)
  if (found.length === 0 && exchange.text !== '') found.push(...checkSchema(body))
  if (found.length === 0) return body
  const lines = found.map(({ rule, pointer, message }) => `[${rule}] at "${pointer}": ${message}`)
  throw new AssertionError({ message: [...lines, describeExchange(exchange)].join('\n') })
}

/** Finds the violations in a response, without those of the official JSON Schema. */
export function findViolations(exchange: Exchange, body = parseJson(exchange.text)): Violation[] {
  const found = [...checkHttp(exchange)]
  if (exchange.text === '') return found
  if (!isObject(body)) {
    return [...found, { rule: 'DOC-1', pointer: '', message: 'the body must be a JSON object' }]
  }
  const parsed = parseExchange(exchange, body)
  return [...found, ...checks.flatMap((check) => [...check(parsed)])]
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
