import { suggest } from '../../errors/suggestion.ts'
import type { Action } from '../declare/action.ts'
import { resolveParameter } from '../declare/parameter.ts'
import type { ResourceDeclaration } from '../declare/resource.ts'
import { isObject } from '../kinds/json.ts'
import { sql } from '../sql.ts'
import { fieldAccessChecks } from './check-access-options.ts'
import {
  booleanCheck,
  type Check,
  each,
  isFunction,
  members,
  mustBe,
  oneOf,
  optional,
  stringCheck,
} from './option-checks.ts'

/** The checks that actions share with other declarations. */
interface ActionChecks {
  readonly kind: Check
  readonly sqlExpression: Check
}

const aFunction = mustBe('a function', isFunction)

/** Creates the check of an action. Its SQL is called with a bind parameter for each parameter. */
export function createActionCheck({ kind, sqlExpression }: ActionChecks): Check {
  const parameter: Check = (value, location) =>
    isObject(value) && 'nullable' in value
      ? kind(value.kind, `${location}.kind`)
      : kind(value, location)
  const check = members({
    is: mustBe('created by action', (value) => value === 'action'),
    on: oneOf('resource', 'collection'),
    parameters: each(parameter),
    returns: optional(
      members({
        resource: optional(stringCheck),
        resources: optional(stringCheck),
        meta: optional(each(kind)),
      }),
    ),
    description: optional(stringCheck),
    callable: fieldAccessChecks.readable,
    idempotency: optional(oneOf('required', 'optional')),
    dryRun: optional(booleanCheck),
    sql: optional(aFunction),
    run: optional(aFunction),
  } satisfies Record<keyof Action, Check>)
  return (value, location) => {
    const errors = check(value, location)
    if (errors.length > 0) return errors
    // The check has found an action.
    const action = value as Action
    return [...findWorkErrors(action, location), ...checkSql(action, location, sqlExpression)]
  }
}

function findWorkErrors({ sql: write, run, returns }: Action, location: string): string[] {
  if ((write === undefined) === (run === undefined))
    return [`${location}: must have one of the members run, sql; it has ${run ? 'both' : 'none'}`]
  const results = Object.keys(returns ?? {})
  if (returns !== undefined && results.length !== 1)
    return [
      `${location}.returns: must have one of the members resource, resources, meta; it has ${results.length}`,
    ]
  return write && returns && 'meta' in returns
    ? [`${location}.sql: rows have the ids of resources; use run to return meta`]
    : []
}

function checkSql(
  { sql: write, parameters }: Action,
  location: string,
  sqlExpression: Check,
): readonly string[] {
  if (write === undefined) return []
  const bound = Object.keys(parameters).map((name) => [name, sql.lit(name)] as const)
  return sqlExpression(() => write(Object.fromEntries(bound), sql.lit('id')), `${location}.sql`)
}

/** Checks the names of the actions of a type, and the types that they return. */
export function findActionErrors(
  { type, actions = {}, fields, access }: ResourceDeclaration,
  all: readonly ResourceDeclaration[],
  findNameErrors: (name: string) => readonly string[],
): string[] {
  const entries = Object.entries(actions)
  if (entries.length === 0) return []
  const types = all.flatMap((each) => (typeof each.table === 'string' ? [each.type] : []))
  return entries.flatMap(([name, { on, parameters, returns }]) => {
    const location = `${type}.actions.${name}`
    const members = [...Object.keys(parameters), ...Object.keys(toMeta(returns))]
    return [
      ...[name, ...members].flatMap((each) =>
        findNameErrors(each).map((error) => `${location}: ${error}`),
      ),
      ...findResultErrors(returns, types).map((error) => `${location}.returns.${error}`),
      ...(on === 'collection' && Object.hasOwn(fields, name)
        ? [`${location}: a field has the name "${name}", so their paths would be the same`]
        : []),
      ...(on === 'collection' && dependsOnRow(access)
        ? [
            `${location}: the rule ${type}.access.call depends on the row, and an action of a collection has none; use callable`,
          ]
        : []),
      ...Object.entries(parameters).flatMap(([parameter, declared]) =>
        resolveParameter(declared).kind.isReadOnly
          ? [`${location}.parameters.${parameter}: values of this kind cannot be sent`]
          : [],
      ),
    ]
  })
}

function toMeta(returns: Action['returns']): object {
  return returns && 'meta' in returns ? returns.meta : {}
}

function findResultErrors(returns: Action['returns'], types: readonly string[]): string[] {
  if (returns === undefined || 'meta' in returns) return []
  const [[option, type] = ['', '']] = Object.entries(returns)
  return types.includes(type)
    ? []
    : [`${option}: there is no resource type "${type}"; ${suggest(type, types, 'types')}`]
}

/** Whether the rule for calls contains a condition on rows. */
function dependsOnRow(access: ResourceDeclaration['access']): boolean {
  const contains = (rule: unknown): boolean => {
    if (!isObject(rule)) return false
    const nested = rule.any ?? rule.all
    return Array.isArray(nested) ? nested.some(contains) : 'filter' in rule || 'sql' in rule
  }
  return typeof access === 'object' && contains(access.call)
}
