import { findTable, isIndexed } from '../../model/catalog.ts'
import { sql } from '../../model/dialect.ts'
import { type Operator, type OperatorName, operators } from '../../model/kinds/operators.ts'
import { getRelationship, getResourceType, type ResourceType } from '../../model/model.ts'
import type { Condition } from '../../plan/filter/condition.ts'
import { compileCondition, compileFilterKey } from '../filter/filter.ts'
import { compileStatement } from '../statement.ts'
import { columnAt, getAttribute } from '../tables.ts'
import type { IndexUse, UncountedWarning } from './index-effects.ts'
import {
  describeExpression,
  describeUnindexedAccess,
  type ExpressionAccess,
  isConverted,
  usesExpressionIndex,
  type WarningContext,
} from './unindexed-access.ts'

/**
 * Lists the filters without an index, and those that no index serves.
 *
 * @param condition - as the database sees it when it looks for an index
 */
export function listFilterWarnings(
  condition: Condition,
  resource: ResourceType,
  context: WarningContext,
): UncountedWarning[] {
  const parts = listParts(condition)
  const compared = parts.filter((part): part is Comparison => part.is === 'compare')
  const inner = parts.flatMap((part) => {
    if (part.is !== 'related' || part.where === undefined) return []
    const { to } = getRelationship(resource, part.relationship)
    return listFilterWarnings(part.where, getResourceType(context.target.model, to), context)
  })
  const either = parts.flatMap((part) =>
    part.is === 'or' ? part.all.flatMap((each) => listFilterWarnings(each, resource, context)) : [],
  )
  const negated = parts.flatMap((part) => (part.is === 'not' ? listComparisons(part.inner) : []))
  const nullTests = parts.filter((part): part is NullTest => part.is === 'null')
  // One index is enough to find the rows that meet all conditions.
  const isServed =
    compared.some((part) => isServedByIndex(part, resource, context)) ||
    nullTests.some(({ field }) => findIndexedColumn(field, resource, context) !== undefined)
  const own = [
    ...compared.flatMap((part) => describeFilter(part, resource, context)),
    ...nullTests.flatMap((part) => describeNullTest(part, resource, context)),
    ...negated.map((part) => describeNegation(part, resource)),
  ]
  return [...(isServed ? [] : own), ...inner, ...either]
}

/** Lists the conditions that must all be met. */
function listParts(condition: Condition): readonly Condition[] {
  return condition.is === 'and' ? condition.all.flatMap(listParts) : [condition]
}

/** Lists the comparisons of the own fields of a condition. */
function listComparisons(condition: Condition): readonly Comparison[] {
  if (condition.is === 'and' || condition.is === 'or') return condition.all.flatMap(listComparisons)
  if (condition.is === 'not') return listComparisons(condition.inner)
  return condition.is === 'compare' ? [condition] : []
}

function describeNegation({ field, operator }: Comparison, { type }: ResourceType) {
  const subject = `the negated filter by ${type}.${field} (${operator})`
  return { message: `${subject} is evaluated for each row; no index serves a negation` }
}

type Comparison = Extract<Condition, { is: 'compare' }>
type NullTest = Extract<Condition, { is: 'null' }>

function findReads(operator: OperatorName): Operator['reads'] {
  const { reads }: Operator = operators[operator]
  return reads
}

function isServedByIndex(
  condition: Comparison,
  resource: ResourceType,
  context: WarningContext,
): boolean {
  const { field, operator } = condition
  if (findReads(operator) !== 'matches') return false
  if (field === 'id') return true
  const { target } = context
  const column = findIndexedColumn(field, resource, context)
  const key = compileFilterKey(condition, resource, target)
  return column !== undefined && !isConverted(key, column, target)
}

/** Returns the column of a field if an index begins with it. */
function findIndexedColumn(
  field: string,
  resource: ResourceType,
  { catalog }: WarningContext,
): string | undefined {
  const { column } = getAttribute(resource, field)
  const table = findTable(catalog, resource.table)
  if (column === undefined || table === undefined) return undefined
  return isIndexed(table, [column]) ? column : undefined
}

/** Describes a test for null. An index serves it if the stored nulls are the only ones. */
function describeNullTest(
  condition: NullTest,
  resource: ResourceType,
  context: WarningContext,
): UncountedWarning[] {
  const { field } = condition
  const { column } = getAttribute(resource, field)
  const subject = `the filter by ${resource.type}.${field} (is null)`
  if (column === undefined) return describeComputed({ resource, field, subject }, context)
  const { target } = context
  const key = columnAt(0, column)
  const test = compileCondition(condition, { resource, depth: 0 }, target)
  const [stored, compiled] = [sql`${key} is null`, test].map(
    (each) => compileStatement(each, target.dialect).sql,
  )
  if (compiled !== stored) return []
  const use: IndexUse = { is: 'filter', table: resource.table, condition: test }
  return describeUnindexedAccess({ resource, field, subject, key, use }, context)
}

function describeFilter(
  condition: Comparison,
  resource: ResourceType,
  context: WarningContext,
): UncountedWarning[] {
  const { field, operator } = condition
  const subject = `the filter by ${resource.type}.${field} (${operator})`
  const reads = findReads(operator)
  if (reads === 'texts')
    return [{ message: `${subject} reads the text of every row; no index serves it` }]
  if (reads === 'others')
    return [
      {
        message: `${subject} is evaluated for each row; no index serves an operator that excludes values`,
      },
    ]
  if (reads !== 'matches') return []
  if (getAttribute(resource, field).column === undefined)
    return describeComputed({ resource, field, subject }, context)
  // An index finds the texts with a start if it sorts them by code point.
  const ordered = operator === 'startswith' ? { ...condition, operator: 'ge' as const } : condition
  const key = compileFilterKey(ordered, resource, context.target)
  const use: IndexUse = {
    ...{ is: 'filter', table: resource.table },
    condition: compileCondition(condition, { resource, depth: 0 }, context.target),
  }
  return describeUnindexedAccess({ resource, field, subject, key, use }, context)
}

function describeComputed(access: ExpressionAccess, context: WarningContext): UncountedWarning[] {
  const isServed = usesExpressionIndex(access.resource.table, context)
  return isServed ? [] : describeExpression(access, context)
}
