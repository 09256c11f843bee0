import { isAuthValue, linkOperations, operations } from '../declare/access.ts'
import { isObject } from '../kinds/json.ts'
import { type Check, isFunction, members, mustBe, oneOf, optional } from './option-checks.ts'

/** The check of the SQL of a rule. */
interface RuleChecks {
  readonly sqlExpression: Check
}

const authValue = mustBe('created by auth, as in auth((user) => user.id)', isAuthValue)
const fieldRule = optional(
  mustBe(
    'true, false or a function of the auth context',
    (value) => typeof value === 'boolean' || isFunction(value) || isAuthValue(value),
  ),
)
const isList = (value: unknown): boolean => Array.isArray(value)

/** The checks of the rules of a field, and of `set`. */
export const fieldAccessChecks = {
  readable: fieldRule,
  writable: fieldRule,
  filterable: fieldRule,
  sortable: fieldRule,
  set: optional(authValue),
} as const satisfies Readonly<Record<string, Check>>

/** The check of the option `tenant` of a model. */
export const tenantOptions: Check = members({
  column: mustBe('a name', (value) => typeof value === 'string' && value !== ''),
  value: authValue,
})

/** Creates the check of the rules of a resource type. */
export function createAccessCheck(checks: RuleChecks): Check {
  const rule = createRuleCheck(checks)
  return members({
    ...Object.fromEntries(operations.map((operation) => [operation, rule])),
    anonymous: optional(listOf(oneOf(...operations, ...linkOperations))),
  })
}

/** Creates the check of a rule for rows. */
export function createRuleCheck(checks: RuleChecks): Check {
  return optional((value, location) => checkRule(value, location, checks))
}

/** The operators whose operand must not be an empty list in a rule: with it they match every row, or none. */
const listOperators: readonly unknown[] = ['in_', 'notin_', 'any', 'has']

/** Checks the lists in the filter of a rule; the rest of its grammar is checked when it is planned. */
function filterObjects(value: unknown, location: string): readonly string[] {
  if (!Array.isArray(value)) return mustBe('an array of filter objects', isList)(value, location)
  return value.flatMap((each: unknown, index) => findEmptyLists(each, `${location}[${index}]`))
}

function findEmptyLists(filter: unknown, location: string): readonly string[] {
  if (!isObject(filter)) return []
  const { not, op, val } = filter
  const group = ['and', 'or'].find((name) => Array.isArray(filter[name]))
  if (group !== undefined) return filterObjects(filter[group], `${location}.${group}`)
  if (not !== undefined) return findEmptyLists(not, `${location}.not`)
  if (!listOperators.includes(op)) return []
  if (!Array.isArray(val)) return findEmptyLists(val, `${location}.val`)
  if (val.length === 0) return [`${location}.val: must not be empty; it is the operand of "${op}"`]
  return op === 'any' || op === 'has' ? filterObjects(val, `${location}.val`) : []
}

/** The conditions that a rule consists of; each rule has one of them. */
const conditions = ['filter', 'sql', 'any', 'all'] as const

function checkRule(value: unknown, location: string, checks: RuleChecks): readonly string[] {
  if (typeof value === 'boolean' || isFunction(value) || isAuthValue(value)) return []
  const expected =
    'true, false, a function of the auth context, or { filter }, { sql }, { any } or { all }'
  if (!isObject(value)) return mustBe(expected)(value, location)
  const nested = listOf((each, at) => checkRule(each, at, checks))
  const errors = members({
    filter: optional(restrictsRows(filterObjects)),
    sql: optional(checks.sqlExpression),
    any: optional(nested),
    all: optional(restrictsRows(nested)),
  })(value, location)
  if (errors.length > 0) return errors
  const present = conditions.filter((name) => value[name] !== undefined)
  return present.length === 1
    ? []
    : [
        `${location}: must have one of the members ${conditions.join(', ')}; it has ${present.length}`,
      ]
}

/** Adds to the check of a list of conditions, joined by AND, that there is one: an empty list would allow every row. */
function restrictsRows(check: Check): Check {
  return (value, location) =>
    Array.isArray(value) && value.length === 0
      ? [
          `${location}: must not be empty, because no condition allows every row; write true for that`,
        ]
      : check(value, location)
}

/** Creates a check of an array whose elements all pass one check. */
function listOf(check: Check): Check {
  return (value, location) =>
    Array.isArray(value)
      ? value.flatMap((each: unknown, index) => check(each, `${location}[${index}]`))
      : mustBe('an array')(value, location)
}
