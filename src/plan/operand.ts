import { quoted } from '../errors/errors.ts'
import { type Kind, text } from '../model/kinds.ts'
import type { AttributeField } from '../model/model.ts'
import type { Operator } from '../model/operators.ts'
import type { Reading } from '../model/reading.ts'
import { kindOfJson } from '../request/json.ts'

/**
 * Reads what a field is compared with as the field's kind.
 *
 * @param refusal - makes the fault from the end of its sentence
 * @returns the values to bind: one, two for `between`, or one list; null stands for unknown
 */
export function readOperand(
  operand: Readonly<{ is: 'value'; value: unknown }> | Readonly<{ is: 'text'; text: string }>,
  field: AttributeField,
  operator: Operator,
  refusal: (words: string) => Error,
): readonly unknown[] {
  // A pattern or a word is a text, of whatever textual kind the field is.
  const kind = operator.suits === 'textual' ? text : field.kind
  if (operand.is === 'text')
    return [readValue(kind.readText(operand.text), operand.text, field, refusal)]
  const { value } = operand
  switch (operator.takes) {
    case 'one':
      return [readOne(value, kind, field, refusal)]
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
