import { isAuthValue, resolveAuthValue } from '../../model/declare/access.ts'
import {
  getOperandKind,
  type Operator,
  type OperatorName,
  operators,
} from '../../model/kinds/operators.ts'
import type { AttributeField } from '../../model/model.ts'
import { readOperand } from '../filter/operand.ts'

/** A value that a rule binds: a constant of the declaration, or a value that is computed from the auth context. */
export interface RuleValue {
  readonly read: (auth: unknown) => unknown
}

/** An operand of a rule, and its position in the declaration. */
interface RuleOperand {
  readonly value: unknown
  readonly field: AttributeField
  readonly operator: OperatorName
}

/** The operators that match null, with which a missing value of the auth context would open rows. */
const nullSafe: readonly OperatorName[] = ['is_', 'isnot']

/**
 * Reads the operand of a comparison in a rule as values of the field's kind. Constants are read now, values of the auth context
 * for each request.
 * @param createError - creates an error of the declaration from the rest of its sentence
 */
export function readRuleOperand(
  operand: RuleOperand,
  createError: (problem: string) => Error,
): readonly RuleValue[] {
  const { value, field, operator } = operand
  if (!usesAuth(value)) {
    const constants = readOperand({ is: 'value', value }, field, operator, createError)
    return constants.map((constant) => ({ read: () => constant }))
  }
  if (nullSafe.includes(operator))
    throw createError(
      `"${operator}" matches null, and a value of the auth context may be null; use "eq" or "ne"`,
    )
  const { takes }: Operator = operators[operator]
  if (takes === 'list') return [{ read: (auth) => computeList(operand, auth) }]
  if (takes === 'one') return [{ read: (auth) => computeOne(value, operand, auth) }]
  if (!Array.isArray(value) || value.length !== 2)
    throw createError('must be an array of two values, the lower one first')
  return value.map((each: unknown) => ({ read: (auth) => computeOne(each, operand, auth) }))
}

/** Whether an operand is a value of the auth context, or a list that contains one. */
export function usesAuth(value: unknown): boolean {
  return isAuthValue(value) || (Array.isArray(value) && value.some(isAuthValue))
}

/** A list without an element but null: no value is in it or outside of it. */
const unknownList: readonly unknown[] = [null]

/** Computes a list. An empty one, as for a user without any team, must not open rows by `notin_`, nor by `not` around `in_`. */
function computeList({ value, ...operand }: RuleOperand, auth: unknown): readonly unknown[] {
  const list = resolveAuthValue(value, auth)
  if (Array.isArray(list) && list.length > 0)
    return list.map((each: unknown) => computeOne(each, { ...operand, value }, auth))
  // The statement is only checked: rules that need an auth context do not hold without one.
  if (auth === undefined || Array.isArray(list)) return unknownList
  throw new Error(`A rule compares ${operand.field.name} with a list; auth(…) returned none.`)
}

/** Reads a computed value as a value of the field's kind. Null is unknown: it matches nothing. */
function computeOne(value: unknown, { field, operator }: RuleOperand, auth: unknown): unknown {
  const computed = resolveAuthValue(value, auth)
  if (computed === undefined || computed === null) return null
  const kind = getOperandKind(operators[operator], field.kind)
  const result = kind.readFilterValue(computed)
  if ('value' in result) return result.value
  // An id may be a number in the auth context, and a text in the API, or the opposite.
  const fromText = typeof computed === 'object' ? result : kind.readFilterText(String(computed))
  if ('value' in fromText) return fromText.value
  throw new Error(
    `A rule compares ${field.name} with ${fromText.expected}; auth(…) returned another value.`,
  )
}
