import { quote } from '../../errors/quote.ts'
import type { Kind } from '../../model/kinds/kinds.ts'
import {
  appliesTo,
  findOperator,
  getOperandKind,
  listOperators,
  type Operator,
  type OperatorName,
  operators,
} from '../../model/kinds/operators.ts'
import { splitWords } from '../../model/kinds/texts.ts'
import type { ReadResult } from '../../model/kinds/value-result.ts'
import type { AttributeField } from '../../model/model.ts'
import type { Operand } from '../../parse/filter.ts'
import { filterLimits } from '../../parse/filter.ts'
import { describeJsonType } from '../../parse/json.ts'
import { findOperatorAlias, splitOperator } from '../../parse/other-idioms.ts'
import { filterError, findNullOperator, type Predicate, sendInstead } from '../filter-errors.ts'

/** Creates an error from the rest of its sentence. */
type CreateError = (problem: string) => Error

/**
 * Reads the JSON operand of a comparison as a value of the field's kind.
 *
 * @returns the values to bind: one, two for `between`, or one list; null stands for unknown
 */
export function readOperand(
  { value }: Extract<Operand, { is: 'value' }>,
  field: AttributeField,
  name: OperatorName,
  createError: CreateError,
): readonly unknown[] {
  const operator: Operator = operators[name]
  const kind = getOperandKind(operator, field.kind)
  switch (operator.takes) {
    case 'one': {
      const read = readValue(value, kind, field, createError)
      if (operator.requires === 'textual' && typeof read === 'string')
        checkPattern(name, read, createError)
      return [read]
    }
    case 'two':
      if (!Array.isArray(value) || value.length !== 2)
        throw createError('must be an array of two values, the lower one first')
      return value.map((item: unknown) => readValue(item, kind, field, createError))
    case 'list':
      if (!Array.isArray(value))
        throw createError(`must be an array of values; it is ${describeJsonType(value)}`)
      checkListLength(value, createError)
      return [value.map((item: unknown) => readValue(item, kind, field, createError))]
  }
}

/**
 * Reads the text of `filter[name][operator]=text` as a value of the field's kind, or as several that commas separate, or the texts of
 * a list of parameters. A text never means null.
 *
 * @returns the values to bind, as `readOperand`
 */
export function readTextOperand(
  predicate: Predicate,
  operand: Extract<Operand, { is: 'text' | 'texts' }>,
  field: AttributeField,
  name: OperatorName,
): readonly unknown[] {
  const operator: Operator = operators[name]
  const kind = getOperandKind(operator, field.kind)
  const createError = (problem: string) => filterError(predicate, '', problem)
  const read = (text: string) =>
    unwrap(kind.readFilterText(text), text, field, (problem) =>
      createError(problem + suggestForm(predicate, text, field)),
    )
  if (operator.takes === 'one') {
    if (operand.is === 'texts')
      throw createError(`"${name}" takes one value${sendInstead(predicate, {})}`)
    if (operator.requires === 'textual') checkPattern(name, operand.text, createError)
    return [read(operand.text)]
  }
  const texts = operand.is === 'texts' ? operand.texts : operand.text.split(',')
  if (operand.is === 'text' && texts.length > 1 && !kind.isCommaFree) {
    const form = sendInstead(predicate, { operator: name, isList: true, texts })
    throw createError(`values of ${field.name} can contain commas${form}`)
  }
  checkListLength(texts, createError)
  if (operator.takes === 'list') return [texts.map(read)]
  if (texts.length !== 2) throw createError('must have two values, the lower one first')
  return texts.map(read)
}

function checkListLength(values: readonly unknown[], createError: CreateError): void {
  if (values.length > filterLimits.values)
    throw createError(
      `has ${values.length} values; at most ${filterLimits.values} are allowed. Send several requests`,
    )
}

/** The end of the sentence about a text that is no value of the field: `null`, `gt:1800`, or several values, in the form that works. */
function suggestForm(predicate: Predicate, text: string, { kind }: AttributeField): string {
  const isValue = (each: string) => 'value' in kind.readFilterText(each)
  const allowed = listOperators(kind)
  const [sign = predicate.operator, value = text] = splitOperator(text) ?? []
  const known = allowed.includes(sign) ? sign : findOperatorAlias(sign, allowed)
  if (known === undefined) return ''
  const nullOperator = value === 'null' ? findNullOperator(known) : undefined
  if (nullOperator !== undefined && predicate.operand.is === 'text')
    return sendInstead(predicate, { operator: nullOperator, texts: [value] })
  if (value !== text && isValue(value))
    return sendInstead(predicate, { operator: known, texts: [value] })
  const { operand } = predicate
  const whole = operand.is === 'text' ? [operand.text] : operand.is === 'texts' ? operand.texts : []
  const sent = value === text ? whole : [value]
  const texts = sent.flatMap((each) => each.split(',')).map((each) => each.trim())
  const single = { eq: 'in_', ne: 'notin_' }[known]
  const operator = texts.length > 1 ? (single ?? known) : known
  const isList = operator === 'in_' || operator === 'notin_'
  const takesTexts = isList ? appliesTo(operators.in_, kind) : texts.length === 1
  return takesTexts && texts.every(isValue)
    ? sendInstead(predicate, { operator, isList, texts })
    : ''
}

function readValue(
  json: unknown,
  kind: Kind<unknown>,
  field: AttributeField,
  createError: CreateError,
): unknown {
  return json === null ? null : unwrap(kind.readFilterValue(json), json, field, createError)
}

function unwrap(
  result: ReadResult<unknown>,
  sent: unknown,
  field: AttributeField,
  createError: CreateError,
): unknown {
  if ('value' in result) return result.value
  const [invalid] = result.elements ?? []
  const found = invalid
    ? `element ${invalid.index} is ${quote(invalid.value)}`
    : `this is ${quote(sent)}`
  throw createError(`${field.name} must be compared with ${result.expected}; ${found}`)
}

/** Limits the cost of a text search, which the database repeats for every row. */
function checkPattern(operator: OperatorName, pattern: string, createError: CreateError): void {
  const { patternLength, wildcards, words } = filterLimits
  if (pattern.length > patternLength) {
    const length = [...pattern].length
    if (length > patternLength) {
      throw createError(
        `"${operator}" takes at most ${patternLength} characters; this has ${length}. Search for a shorter part of the text`,
      )
    }
  }
  const wordCount = operator === 'match' ? splitWords(pattern).length : 0
  if (wordCount > words) {
    throw createError(
      `"match" takes at most ${words} words; this has ${wordCount}. Use several "match", joined by "and"`,
    )
  }
  const { pattern: search } = findOperator(operator) ?? {}
  const hasWildcards = search !== undefined && search.is !== 'match'
  const wildcardCount = hasWildcards ? pattern.split('%').length - 1 : 0
  if (wildcardCount > wildcards) {
    throw createError(
      `"${operator}" takes at most ${wildcards} "%"; this has ${wildcardCount}. Write adjacent ones once, or search for a part of the text`,
    )
  }
}
