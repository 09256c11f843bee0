import { AssertionError } from 'node:assert/strict'
import { findViolations as findRuleViolations } from '../../cli/doctor/exchange/check-exchange.ts'
import type { RuleViolation } from '../../cli/doctor/exchange/rule-violation.ts'
import type { Exchange } from '../client.ts'
import { describeExchange } from '../test-response.ts'
import { checkSchema } from './check-schema.ts'

/** The titles of errors in the responses of all servers of a process. */
const titleByCode = new Map<string, string>()

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

/** Finds the violations in a response by the rules of `lapidary doctor`, without those of the official JSON Schema. */
export function findViolations(
  exchange: Exchange,
  body = parseJson(exchange.text),
): RuleViolation[] {
  return findRuleViolations(exchange, body, titleByCode)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
