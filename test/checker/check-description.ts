import { AssertionError } from 'node:assert/strict'
import type { Model } from 'lapidary'
import { describeApi } from 'lapidary/openapi'
import { createDescriptionCheck } from '../../cli/doctor/exchange/check-description.ts'
import type { Exchange } from '../client.ts'
import { describeExchange } from '../test-response.ts'

/** Asserts that a request and its response agree with the description of the API. @param body - of the response, if it is parsed */
export type DescriptionChecker = (exchange: Exchange, body?: unknown) => void

/** Creates the assertion of one API. It throws an AssertionError with every difference and the whole exchange. */
function createDescriptionChecker(description: object, prefix: string): DescriptionChecker {
  const find = createDescriptionCheck(description, prefix, true)
  return (exchange, body) => {
    const found = find(exchange, body)
    if (found.length === 0) return
    const lines = found.map((line) => `[description] ${line}`)
    throw new AssertionError({ message: [...lines, describeExchange(exchange)].join('\n') })
  }
}

/** The checkers of the models, which several suites share. */
const checkers = new WeakMap<Model, Map<string, DescriptionChecker>>()

/** Returns the check of the API of a model. The description is made when it is first needed. */
export function getDescriptionChecker(model: Model, prefix: string): DescriptionChecker {
  const ofModel = checkers.get(model) ?? new Map<string, DescriptionChecker>()
  checkers.set(model, ofModel)
  const check: DescriptionChecker = (exchange, body) => {
    const created = createDescriptionChecker(describeApi(model, { prefix }), prefix)
    ofModel.set(prefix, created)
    created(exchange, body)
  }
  return (exchange, body) => (ofModel.get(prefix) ?? check)(exchange, body)
}

/** The checkers of descriptions that servers have sent, which servers with equal settings share. */
const parsed = new Map<string, DescriptionChecker>()

/** Returns the check of a description as a server sends it. Its examples may be stored resources, which differ between servers. */
export function parseDescription(text: string, prefix: string): DescriptionChecker {
  const withoutExamples = JSON.stringify(JSON.parse(text), (name, value) =>
    name === 'examples' ? undefined : value,
  )
  const known = parsed.get(withoutExamples)
  if (known) return known
  const check = createDescriptionChecker(JSON.parse(text), prefix)
  parsed.set(withoutExamples, check)
  return check
}
