import type { Value } from '../schema.ts'
import { compareValues } from './reference-kinds.ts'
import { fold, isLike, isMatch } from './reference-text.ts'
import { allOf, negate, type Truth } from './reference-truth.ts'

/** Operators that compare with one value or another field. */
type SingleOperator = keyof typeof single

/** Operators that compare with a list of values. */
type ListOperator = 'between' | 'in_' | 'notin_'

/** Operators that follow a relationship. */
type FollowOperator = 'any' | 'has'

/** Operators that compare the number of related resources. */
type CountOperator = keyof typeof counting

/** Every operator of the filter syntax (`docs/service.md`, Filter). */
export type OperatorName = SingleOperator | ListOperator | FollowOperator | CountOperator

const counting = {
  count_eq: (number: number, val: number) => number === val,
  count_ne: (number: number, val: number) => number !== val,
  count_gt: (number: number, val: number) => number > val,
  count_ge: (number: number, val: number) => number >= val,
  count_lt: (number: number, val: number) => number < val,
  count_le: (number: number, val: number) => number <= val,
}

/** Whether an operator compares the number of related resources. */
export function isCounting(operator: string): operator is CountOperator {
  return Object.hasOwn(counting, operator)
}

/** Compares the number of related resources. */
export function compareNumber(operator: CountOperator, number: number, val: number): boolean {
  return counting[operator](number, val)
}

/** A comparison that is unknown if one side is null. */
const known =
  (test: (left: Value, right: Value) => boolean) =>
  (left: Value, right: Value): Truth =>
    left === null || right === null ? null : test(left, right)

/** The same for two texts. */
const knownText = (test: (left: string, right: string) => boolean) =>
  known((left, right) => test(String(left), String(right)))

const single = {
  eq: known(isEqual),
  ne: known((left, right) => !isEqual(left, right)),
  is_: (left: Value, right: Value): Truth => isSame(left, right),
  isnot: (left: Value, right: Value): Truth => !isSame(left, right),
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

function isEqual(left: Value, right: Value): boolean {
  return compareValues(left, right) === 0
}

/** Null-safe equality. Values without an order are compared with null only. */
function isSame(left: Value, right: Value): boolean {
  return left === null || right === null ? left === right : isEqual(left, right)
}

const onAll = ['eq', 'ne', 'is_', 'isnot'] as const
const onPlain = [...onAll, 'in_', 'notin_'] as const
const onOrdered = [...onPlain, 'gt', 'ge', 'lt', 'le', 'between'] as const
const onText = ['like', 'notlike', 'ilike', 'notilike', 'startswith', 'endswith', 'match'] as const

/** The operators of each class of kinds (`docs/service.md`, Filter, the table of operators). */
export const operatorsOf = {
  opaque: onAll,
  plain: onPlain,
  ordered: onOrdered,
  textual: [...onOrdered, ...onText],
} as const satisfies Record<string, readonly OperatorName[]>

/**
 * The operators on a relationship: the one that follows it, those that compare it with null, and those that compare the number
 * of related resources.
 */
export function relationshipOperators({
  many,
  isCounted = false,
}: Readonly<{ many: boolean; isCounted?: boolean }>): OperatorName[] {
  const counts = Object.keys(counting).filter(isCounting)
  return [many ? 'any' : 'has', ...onAll, ...(isCounted ? counts : [])]
}

/** Whether an operator compares with one value. */
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

/** Compares the value of a field with a list of values. The result for an empty list is never unknown. */
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

/** `in` of SQL: unknown if the value is null, or is not found in a list with null. */
function isIn(left: Value, right: readonly Value[]): Truth {
  if (right.length === 0) return false
  if (left === null) return null
  if (right.some((each) => each !== null && isEqual(left, each))) return true
  return right.includes(null) ? null : false
}
