import { checkCompoundDocument, checkFields } from './check-compound-document.ts'
import { checkDocument } from './check-document.ts'
import { checkErrors } from './check-errors.ts'
import { checkHttp, checkLocation } from './check-http.ts'
import { checkTopLinks } from './check-links.ts'
import { checkData } from './check-resource.ts'
import {
  type Exchange,
  type ParsedExchange,
  parseExchange,
  type TitleByCode,
} from './parse-exchange.ts'
import { isObject, type RuleViolation, type Violations } from './rule-violation.ts'

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
 * Finds every rule of JSON:API, and of `docs/service.md`, that a response violates, as far as the response and its request alone show it.
 * @param body - the parsed text; `undefined` if it is no JSON
 * @param titleByCode - the titles of errors that other responses of the API had
 */
export function findViolations(
  exchange: Exchange,
  body: unknown,
  titleByCode: TitleByCode = new Map(),
): RuleViolation[] {
  const found = [...checkHttp(exchange, body)]
  if (exchange.text === '') return found
  if (!isObject(body)) {
    return [...found, { rule: 'DOC-1', pointer: '', message: 'the body must be a JSON object' }]
  }
  const parsed = parseExchange(exchange, body, titleByCode)
  return [...found, ...checks.flatMap((check) => [...check(parsed)])]
}
