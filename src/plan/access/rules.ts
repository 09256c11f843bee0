import { toErrorList } from '../../errors/collector.ts'
import { containsAuthValue } from '../../model/check/contains-auth-value.ts'
import {
  type AuthValue,
  auth,
  isAuthValue,
  linkOperations,
  operations,
  type RowRule,
  type RuleFilter,
} from '../../model/declare/access.ts'
import type { Expression } from '../../model/declare/fields.ts'
import { listRelationships, type Model, type ResourceType } from '../../model/model.ts'
import { parseFilterObjects } from '../../parse/filter.ts'
import type { Condition } from '../filter/condition.ts'
import { planFilter } from '../filter/filter.ts'
import { type RuleKey, toLinkKey, toRulePath } from './rule-key.ts'
import { readRuleOperand, usesAuth } from './rule-value.ts'

/** A condition of a rule. `path` is that of its declaration, e.g. `task.access.read`. */
type RuleCondition = (
  | Readonly<{ is: 'filter'; condition: Condition; declared: readonly RuleFilter[] }>
  | Readonly<{ is: 'sql'; write: Expression }>
) &
  Readonly<{ usesAuth: boolean }>

/** A rule whose names are resolved. */
export type Rule =
  | boolean
  | RuleCondition
  /** A decision by the auth context, by its number. */
  | Readonly<{ is: 'decision'; index: number; decision: AuthValue }>
  | Readonly<{ is: 'any' | 'all'; of: readonly Rule[] }>

/** The rows on which an operation is allowed for one access shape: all, none, or those that match. */
export type RowCondition =
  | boolean
  | RuleCondition
  | Readonly<{ is: 'any' | 'all'; of: readonly Exclude<RowCondition, boolean>[] }>

/** The rules of a resource type and its relationships; none for an operation without one. */
export type ResolvedRules = ReadonlyMap<RuleKey, Rule>

/** Collects the errors of declarations, and the decisions that rules and fields depend on. */
export interface RuleContext {
  readonly model: Model
  readonly errors: string[]
  /** Returns the number of a decision. Equal functions are one decision. */
  readonly addDecision: (decision: AuthValue) => number
}

/** Resolves the rules of a resource type. @param context - receives a line for each error, which starts with its path */
export function resolveRules(resource: ResourceType, context: RuleContext): ResolvedRules {
  const { type, access = {} } = resource
  const declared: (readonly [RuleKey, RowRule | RowRule<never> | undefined])[] = [
    ...operations.map((operation) => [operation, access[operation]] as const),
    ...listRelationships(resource).flatMap(({ name, linkRules = {} }) =>
      linkOperations.map(
        (operation) => [toLinkKey(operation, name), linkRules[operation]] as const,
      ),
    ),
  ]
  const entries = declared.flatMap(([key, rule]): [RuleKey, Rule][] =>
    rule === undefined
      ? []
      : [[key, resolveRule(rule, { type, path: toRulePath(type, key) }, context)]],
  )
  return new Map(entries)
}

/** The type of the rows of a rule, and the path of its declaration. */
interface RulePosition {
  readonly type: string
  readonly path: string
}

function resolveRule(rule: RowRule<never>, position: RulePosition, context: RuleContext): Rule {
  if (typeof rule === 'boolean') return rule
  if (typeof rule === 'function') return resolveRule(auth(rule), position, context)
  if (isAuthValue(rule)) return { is: 'decision', index: context.addDecision(rule), decision: rule }
  if ('filter' in rule) return resolveFilter(rule.filter, position, context)
  if ('sql' in rule) return { is: 'sql', write: rule.sql, usesAuth: containsAuthValue(rule.sql) }
  const is = 'any' in rule ? 'any' : 'all'
  const of = 'any' in rule ? rule.any : rule.all
  return {
    is,
    of: of.map((each, index) =>
      resolveRule(each, { ...position, path: `${position.path}.${is}[${index}]` }, context),
    ),
  }
}

/** Plans a filter of the grammar of clients. Invalid filters are reported; their rule is `false`. */
function resolveFilter(
  filter: readonly RuleFilter[],
  { type, path }: RulePosition,
  { model, errors }: RuleContext,
): Rule {
  const resource = model.types.get(type)
  if (resource === undefined) return false
  let hasAuthValue = false
  try {
    const clauses = parseFilterObjects(filter, `${path}.filter`)
    const condition = planFilter(clauses, resource, model, {
      values: [],
      textParameters: [],
      readRuleOperand: (operand, createError) => {
        hasAuthValue ||= usesAuth(operand.value)
        return readRuleOperand(operand, createError)
      },
    })
    if (condition === undefined) return true
    return { is: 'filter', condition, declared: filter, usesAuth: hasAuthValue }
  } catch (error) {
    const found = toErrorList(error)
    if (found === undefined) throw error
    errors.push(...found.errors.map(({ message }) => message.replace(/\.$/, '')))
    return false
  }
}

/** Lists the conditions of a rule. */
export function listConditions(rule: Rule | undefined): readonly RuleCondition[] {
  if (rule === undefined || typeof rule === 'boolean' || rule.is === 'decision') return []
  return 'of' in rule ? rule.of.flatMap(listConditions) : [rule]
}

/**
 * Returns a rule for one access shape.
 * @param decisions - the results of the decisions by number; `undefined` without an auth context, when none holds and no condition
 *   that needs one
 */
export function foldRule(rule: Rule, decisions: readonly boolean[] | undefined): RowCondition {
  if (typeof rule === 'boolean') return rule
  switch (rule.is) {
    case 'decision':
      return decisions?.[rule.index] ?? false
    case 'filter':
    case 'sql':
      return rule.usesAuth && decisions === undefined ? false : rule
    case 'any':
    case 'all': {
      const isAny = rule.is === 'any'
      const of = rule.of.map((each) => foldRule(each, decisions))
      if (of.includes(isAny)) return isAny
      const conditions = of.filter((each) => typeof each !== 'boolean')
      const [first] = conditions
      if (first === undefined) return !isAny
      return conditions.length === 1 ? first : { is: rule.is, of: conditions }
    }
  }
}
