import { quoted } from '../errors/errors.ts'
import { type Kind, text } from '../model/kinds.ts'
import type { AttributeField } from '../model/model.ts'
import { type Operator, type OperatorName, operators } from '../model/operators.ts'
import type { Reading } from '../model/reading.ts'
import { wordsIn } from '../model/words.ts'
import { filterLimits } from '../parse/filter-limits.ts'
import { kindOfJson } from '../parse/json.ts'

/**
 * Reads what a field is compared with as the field's kind.
 *
 * @param refusal - makes the fault from the end of its sentence
 * @returns the values to bind: one, two for `between`, or one list; null stands for unknown
 */
export function readOperand(
  operand: Readonly<{ is: 'value'; value: unknown }> | Readonly<{ is: 'text'; text: string }>,
  field: AttributeField,
  name: OperatorName,
  refusal: (words: string) => Error,
): readonly unknown[] {
  const operator: Operator = operators[name]
  // A pattern or a word is a text, of whatever textual kind the field is.
  const kind = operator.suits === 'textual' ? text : field.kind
  if (operand.is === 'text')
    return [readValue(kind.readText(operand.text), operand.text, field, refusal)]
  const { value } = operand
  switch (operator.takes) {
    case 'one': {
      const read = readOne(value, kind, field, refusal)
      if (operator.suits === 'textual' && typeof read === 'string')
        checkPattern(name, read, refusal)
      return [read]
    }
    case 'two': {
      if (!Array.isArray(value) || value.length !== 2)
        throw refusal('must be an array of two values, the lower one first')
      return value.map((each: unknown) => readOne(each, kind, field, refusal))
    }
    case 'list': {
      if (!Array.isArray(value))
        throw refusal(`must be an array of values; it is ${kindOfJson(value)}`)
      return [value.map((each: unknown) => readOne(each, kind, field, refusal))]
    }
  }
}

function readOne(
  json: unknown,
  kind: Kind<unknown>,
  field: AttributeField,
  refusal: (words: string) => Error,
): unknown {
  return json === null ? null : readValue(kind.readValue(json), json, field, refusal)
}

function readValue(
  reading: Reading<unknown>,
  sent: unknown,
  field: AttributeField,
  refusal: (words: string) => Error,
): unknown {
  if ('value' in reading) return reading.value
  throw refusal(`${field.name} must be compared with ${reading.expected}; this is ${quoted(sent)}`)
}

/** Refuses a pattern that costs too much: a database searches every text for it. */
function checkPattern(
  operator: OperatorName,
  pattern: string,
  refusal: (words: string) => Error,
): void {
  const { patternLength, wildcards, words } = filterLimits
  if (pattern.length > patternLength) {
    const length = [...pattern].length
    if (length > patternLength) {
      throw refusal(
        `"${operator}" takes at most ${patternLength} characters; this has ${length}. Search for a shorter part of the text`,
      )
    }
  }
  const found = operator === 'match' ? wordsIn(pattern).length : 0
  if (found > words) {
    throw refusal(
      `"match" takes at most ${words} words; this has ${found}. Use several "match", joined by "and"`,
    )
  }
  const percents = patternOperators.includes(operator) ? pattern.split('%').length - 1 : 0
  if (percents > wildcards) {
    throw refusal(
      `"${operator}" takes at most ${wildcards} "%"; this has ${percents}. Write neighbouring ones once, or search for a part of the text`,
    )
  }
}

/** The operators to which `%` stands for anything. */
const patternOperators: readonly OperatorName[] = ['like', 'notlike', 'ilike', 'notilike']
