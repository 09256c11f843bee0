import { compareText, fold, isLike, isMatch } from './reference-text.ts'
import { allOf, negate, type Truth } from './reference-truth.ts'
import type { Kind, Value } from './rows.ts'

/** Operators that compare with one value, which may also be another field's. */
export type SingleOperator = keyof typeof single

/** Operators that compare with a list of values. */
export type ListOperator = 'between' | 'in_' | 'notin_'

/** Operators that follow a relationship. */
export type FollowOperator = 'any' | 'has'

/** Every operator of the seed's grammar. */
export type OperatorName = SingleOperator | ListOperator | FollowOperator

/** A comparison that is unknown as soon as one side is null. */
const known =
  (test: (left: Present, right: Present) => boolean) =>
  (left: Value, right: Value): Truth =>
    left === null || right === null ? null : test(left, right)

/** The same for two texts. */
const knownText = (test: (left: string, right: string) => boolean) =>
  known((left, right) => test(String(left), String(right)))

type Present = string | bigint

const single = {
  eq: known((left, right) => left === right),
  ne: known((left, right) => left !== right),
  is_: (left: Value, right: Value): Truth => left === right,
  isnot: (left: Value, right: Value): Truth => left !== right,
  gt: known((left, right) => compareValues(left, right) > 0),
  ge: known((left, right) => compareValues(left, right) >= 0),
  lt: known((left, right) => compareValues(left, right) < 0),
  le: known((left, right) => compareValues(left, right) <= 0),
  like: knownText(isLike),
  notlike: knownText((left, right) => !isLike(left, right)),
  ilike: knownText((left, right) => isLike(fold(left), fold(right))),
  notilike: knownText((left, right) => !isLike(fold(left), fold(right))),
  startswith: knownText((left, right) => left.startsWith(right)),
  endswith: knownText((left, right) => left.endsWith(right)),
  match: knownText(isMatch),
} satisfies Record<string, (left: Value, right: Value) => Truth>

const onEvery = ['eq', 'ne', 'is_', 'isnot', 'in_', 'notin_'] as const
const onOrdered = ['gt', 'ge', 'lt', 'le', 'between'] as const
const onText = ['like', 'notlike', 'ilike', 'notilike', 'startswith', 'endswith', 'match'] as const

/** Which operators each kind of field takes (SERVICE §5, the table of operators). */
export const operatorsOf = {
  text: [...onEvery, ...onOrdered, ...onText],
  email: [...onEvery, ...onOrdered, ...onText],
  date: [...onEvery, ...onOrdered],
  id: [...onEvery, ...onOrdered],
  relationship: ['any', 'has', 'eq', 'ne', 'is_', 'isnot'],
} as const satisfies Record<Kind, readonly OperatorName[]>

/** Whether a word of the grammar compares with one value. */
export function isSingle(operator: string): operator is SingleOperator {
  return Object.hasOwn(single, operator)
}

/**
 * Compares a field's value with a value of the request.
 *
 * @param literal - whether the right side was written in the request: only then do `eq` and `ne` read null as "is (not) null"
 */
export function compareOne(
  operator: SingleOperator,
  left: Value,
  right: Value,
  literal: boolean,
): Truth {
  if (literal && right === null && operator === 'eq') return left === null
  if (literal && right === null && operator === 'ne') return left !== null
  return single[operator](left, right)
}

/** Compares a field's value with a list of values; of an empty list nothing is ever unknown. */
export function compareList(operator: string, left: Value, right: readonly Value[]): Truth {
  switch (operator) {
    case 'in_':
      return isIn(left, right)
    case 'notin_':
      return negate(isIn(left, right))
    case 'between': {
      const [low = null, high = null] = right
      return allOf([single.ge(left, low), single.le(left, high)])
    }
    default:
      throw new Error(`the reference has no operator ${operator}`)
  }
}

/** Orders two values of one kind: numbers by size, texts (dates among them) by code point. */
export function compareValues(left: Present, right: Present): number {
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    return left < right ? -1 : Number(left > right)
  }
  return compareText(String(left), String(right))
}

/** SQL's `in`: unknown when the value is null, or not found in a list that holds a null. */
function isIn(left: Value, right: readonly Value[]): Truth {
  if (right.length === 0) return false
  if (left === null) return null
  if (right.includes(left)) return true
  return right.includes(null) ? null : false
}
