import type { OperatorName } from '../../model/kinds/operators.ts'
import type { Condition } from '../../plan/filter/condition.ts'

/** The operators with the opposite result; both are unknown for null. */
const opposites: Partial<Readonly<Record<OperatorName, OperatorName>>> = {
  ...{ eq: 'ne', ne: 'eq', gt: 'le', le: 'gt', ge: 'lt', lt: 'ge', in_: 'notin_', notin_: 'in_' },
}

/** Removes the negations that PostgreSQL removes before it looks for an index: `not (a or b < 1)` is `not a and b >= 1`. */
export function simplifyNegations(condition: Condition, isNegated = false): Condition {
  switch (condition.is) {
    case 'not':
      return simplifyNegations(condition.inner, !isNegated)
    case 'and':
    case 'or': {
      const [first, ...others] = condition.all
      const opposite = condition.is === 'and' ? 'or' : 'and'
      return {
        is: isNegated ? opposite : condition.is,
        all: [
          simplifyNegations(first, isNegated),
          ...others.map((each) => simplifyNegations(each, isNegated)),
        ],
      }
    }
    default:
      return isNegated ? negate(condition) : condition
  }
}

function negate(condition: Condition): Condition {
  const operator = condition.is === 'compare' && opposites[condition.operator]
  return operator ? { ...condition, operator } : { is: 'not', inner: condition }
}
