import { AssertionError } from 'node:assert/strict'
import { describeExchange } from '../answer.ts'
import type { Exchange } from '../client.ts'
import type { Breach, Breaches } from './breach.ts'
import { isObject } from './breach.ts'
import { checkCompound, checkFields } from './compound.ts'
import { checkDocument } from './document.ts'
import { checkFaults } from './faults.ts'
import { checkHttp, checkLocation } from './http.ts'
import { checkTopLinks } from './links.ts'
import type { Reading } from './reading.ts'
import { readExchange } from './reading.ts'
import { checkData } from './resource.ts'
import { checkSchema } from './schema.ts'

/** Every check of a document; a new one is one more line. */
const checks: readonly ((reading: Reading) => Breaches)[] = [
  checkDocument,
  checkTopLinks,
  checkData,
  checkCompound,
  checkFields,
  checkFaults,
  checkLocation,
]

/**
 * Throws unless an answer keeps every rule that can be told from it and its request alone.
 *
 * @throws AssertionError naming each broken rule and its place, with the whole exchange
 */
export function check(exchange: Exchange): void {
  const found = breaches(exchange)
  if (found.length === 0) found.push(...officially(exchange))
  if (found.length === 0) return
  const lines = found.map(({ rule, at, why }) => `[${rule}] at "${at}": ${why}`)
  throw new AssertionError({ message: [...lines, describeExchange(exchange)].join('\n') })
}

/** Everything our own checks have against an answer. */
export function breaches(exchange: Exchange): Breach[] {
  const found = [...checkHttp(exchange)]
  if (exchange.text === '') return found
  const body = parse(exchange.text)
  if (!isObject(body)) {
    return [...found, { rule: 'DOC-1', at: '', why: 'the body must be a JSON object' }]
  }
  const reading = readExchange(exchange, body)
  return [...found, ...checks.flatMap((check) => [...check(reading)])]
}

function officially({ text }: Exchange): Breach[] {
  return text === '' ? [] : checkSchema(parse(text))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
