import { isAuthValue, type Operation, operations, type RowRule } from './access.ts'
import type { Model, ResourceType } from './model.ts'

/**
 * Describes who may do what: a line for each resource type, e.g. `tasks: read by everybody, update of rows that match a
 * filter`. A server of a model with `access: 'deny by default'` logs it at the start.
 */
export function describeAccess(model: Model): readonly string[] {
  const isClosed = model.access?.isClosed ?? false
  return [...model.types.values()].map((resource) => describeType(resource, isClosed))
}

function describeType({ type, access = {} }: ResourceType, isClosed: boolean): string {
  const described = operations.flatMap((operation) =>
    describe(operation, access[operation], isClosed),
  )
  const anonymous = access.anonymous ?? []
  const without = anonymous.length > 0 ? `; without an auth context: ${anonymous.join(', ')}` : ''
  return described.length === 0 ? `${type}: closed` : `${type}: ${described.join(', ')}${without}`
}

function describe(operation: Operation, rule: RowRule | undefined, isClosed: boolean): string[] {
  // Without a rule of its own, a link needs the rules of other operations.
  if (rule === undefined && operation === 'relate') return []
  const who = describeRule(rule ?? !isClosed)
  return who === 'nobody' ? [] : [`${operation} ${who}`]
}

function describeRule(rule: RowRule): string {
  if (typeof rule === 'boolean') return rule ? 'by everybody' : 'nobody'
  if (typeof rule === 'function' || isAuthValue(rule)) return 'by a function'
  if ('filter' in rule) return 'of rows that match a filter'
  if ('sql' in rule) return 'of rows that match SQL'
  return 'any' in rule
    ? rule.any.map(describeRule).join(' or ')
    : rule.all.map(describeRule).join(' and ')
}
