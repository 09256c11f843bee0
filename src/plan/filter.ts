import { attempt, emptyCollector, refuse } from '../errors/collector.ts'
import { ParameterError, quoted } from '../errors/errors.ts'
import { listing, suggestion } from '../errors/suggestion.ts'
import {
  type AttributeField,
  type Model,
  type RelationshipField,
  type ResourceType,
  typeNamed,
} from '../model/model.ts'
import {
  type Operator,
  type OperatorName,
  operatorNamed,
  operatorsOf,
  relationshipOperators,
  suits,
} from '../model/operators.ts'
import type { FilterClause, FilterPlace } from '../parse/filter.ts'
import { filterLimits } from '../parse/filter-limits.ts'
import { readOperand } from './operand.ts'

/** The number of a client's value; the values travel beside the plan, so that equal shapes share one statement. */
export type Slot = number

/** The client's values as a plan is made. */
export interface Given {
  /** By slot. */
  readonly values: unknown[]
  /** Those of them that were sent as `filter[name]=text`, in the order sent. */
  readonly texts: GivenText[]
}

/** A value that was sent as a text. */
export interface GivenText {
  readonly slot: Slot
  /** Reads what may be sent instead, which changes nothing else of the plan. @throws ApiError as planning it does */
  readonly read: (text: string) => unknown
}

/** What a filter means once every name is known and every value is read as its field's kind. */
export type Condition =
  | Readonly<{
      is: 'compare'
      operator: OperatorName
      field: string
      slots: readonly Slot[]
      /** Whether the values are such that the operator has a simpler way. */
      isSimple?: boolean
    }>
  | Readonly<{ is: 'fields'; operator: OperatorName; field: string; other: string }>
  | Readonly<{ is: 'null'; field: string }>
  | Readonly<{
      is: 'related'
      relationship: string
      where: Condition | undefined
      /** Whether the filter follows so many relationships that to plan them as joins costs more than it saves. */
      isApart?: boolean
    }>
  | Readonly<{ is: 'and' | 'or'; all: readonly [Condition, ...Condition[]] }>
  | Readonly<{ is: 'not'; inner: Condition }>

/** How many relationships a database plans as joins: the time that planning takes grows with a power of their number. */
const mostJoined = 8

type Test = Extract<FilterClause, { is: 'test' }>

/**
 * Gives the words of a filter their meaning.
 *
 * @param clauses - all of them hold together
 * @param given - gets the client's values; the condition holds their numbers
 * @returns `undefined` when there is nothing to filter by
 * @throws ApiError | ManyErrors `invalid_filter` (400) with every fault and its place
 * @see SERVICE §5 filter
 */
export function planFilter(
  clauses: readonly FilterClause[],
  resource: ResourceType,
  model: Model,
  given: Given,
): Condition | undefined {
  const followed = { count: 0 }
  const [first, ...others] = planAll(clauses, { resource, model, given, depth: 0, followed })
  if (followed.count > filterLimits.subqueries) {
    const detail = `filter: ${followed.count} relationships are followed in all; at most ${filterLimits.subqueries} may be. Nest the conditions on one related resource in one "any" or "has".`
    throw new ParameterError('invalid_filter', 'filter', detail)
  }
  if (first === undefined) return undefined
  const where: Condition = others.length === 0 ? first : { is: 'and', all: [first, ...others] }
  return followed.count > mostJoined ? apart(where) : where
}

/** The same condition, its relationships looked for one by one. */
function apart(condition: Condition): Condition {
  switch (condition.is) {
    case 'related': {
      const where = condition.where && apart(condition.where)
      return { ...condition, where, isApart: true }
    }
    case 'and':
    case 'or': {
      const [first, ...others] = condition.all
      return { ...condition, all: [apart(first), ...others.map(apart)] }
    }
    case 'not':
      return { ...condition, inner: apart(condition.inner) }
    default:
      return condition
  }
}

/** What a clause is read against. */
interface Context {
  readonly resource: ResourceType
  readonly model: Model
  readonly given: Given
  /** How many relationships have been followed, one inside the other. */
  readonly depth: number
  /** How many have been followed in all terms. */
  readonly followed: { count: number }
}

function planAll(clauses: readonly FilterClause[], context: Context): Condition[] {
  const errors = emptyCollector()
  const conditions = clauses.map((clause) => attempt(() => planClause(clause, context), errors))
  refuse(errors)
  return conditions.filter((condition) => condition !== undefined)
}

function planClause(clause: FilterClause, context: Context): Condition {
  switch (clause.is) {
    case 'test':
      return planPath(clause, clause.name.split('__'), context)
    case 'not':
      return { is: 'not', inner: planClause(clause.inner, context) }
    case 'and':
    case 'or': {
      const [first, ...others] = planAll(clause.all, context)
      if (first === undefined) throw new Error('A group of no conditions passed the reader.')
      return { is: clause.is, all: [first, ...others] }
    }
  }
}

/** `owner__name` asks for an owner with that name: each step but the last is `any` or `has` around the rest. */
function planPath(test: Test, path: readonly string[], context: Context): Condition {
  const [name = '', ...rest] = path
  const field = context.resource.fields.get(name)
  if (rest.length > 0) {
    if (field?.is !== 'relationship') throw unknown(test, name, context.resource, 'relationship')
    return related(field, planPath(test, rest, inside(test, field, context)), context)
  }
  if (field?.is === 'relationship') return planRelationship(test, field, context)
  return planAttribute(test, attributeToFilter(test, name, context.resource), context)
}

function planRelationship(test: Test, field: RelationshipField, context: Context): Condition {
  const allowed: readonly string[] = relationshipOperators[field.many ? 'toMany' : 'toOne']
  if (!allowed.includes(test.operator)) throw noOperator(test, field.name, allowed)
  if (test.operand.is === 'filter') {
    const { where } = test.operand
    return related(field, where && planClause(where, inside(test, field, context)), context)
  }
  if (test.operand.is !== 'value' || test.operand.value !== null) {
    const use = `"${field.many ? 'any' : 'has'}" with a nested filter, or "${field.name}__id"`
    throw complaint(
      test.at,
      '',
      `${field.name} is a relationship, to be compared with null alone; use ${use}`,
    )
  }
  const some = related(field, undefined, context)
  return test.operator === 'eq' || test.operator === 'is_' ? { is: 'not', inner: some } : some
}

function planAttribute(test: Test, field: AttributeField, context: Context): Condition {
  const operator = operatorNamed(test.operator)
  if (operator === undefined || !suits(operator, field.kind)) {
    throw noOperator(test, field.name, operatorsOf(field.kind))
  }
  // The table has a row of this name.
  const name = test.operator as OperatorName
  const { operand } = test
  if (operand.is === 'filter') throw noOperator(test, field.name, operatorsOf(field.kind))
  if (operand.is === 'field') {
    return {
      is: 'fields',
      operator: name,
      field: field.name,
      other: otherField(test, operand.name, field, operator, context),
    }
  }
  if (operand.is === 'value' && operand.value === null && operator.ofNull !== undefined) {
    const none: Condition = { is: 'null', field: field.name }
    return operator.ofNull === 'none' ? none : { is: 'not', inner: none }
  }
  const read = (sent: typeof operand) =>
    readOperand(sent, field, name, (what) =>
      complaint(test.at, sent.is === 'value' ? '.val' : '', what),
    )
  const { values, texts } = context.given
  const own = read(operand)
  const slots = own.map((value) => values.push(value) - 1)
  if (operand.is === 'text')
    for (const slot of slots) texts.push({ slot, read: (text) => read({ is: 'text', text })[0] })
  const isSimple = operator.simpler?.when(own[0]) ?? false
  return { is: 'compare', operator: name, field: field.name, slots, ...(isSimple && { isSimple }) }
}

function otherField(
  test: Test,
  name: string,
  field: AttributeField,
  operator: Operator,
  context: Context,
): string {
  if (field.kind.operators === 'opaque')
    throw complaint(test.at, '.field', `${field.name} can be compared with null alone`)
  if (operator.takes !== 'one') {
    throw complaint(
      test.at,
      '.field',
      `"${test.operator}" takes a list of values as "val", no "field"`,
    )
  }
  const other = attributeToFilter(test, name, context.resource, '.field')
  if (other.kind.comparesAs === field.kind.comparesAs) return other.name
  const words = `${field.name} (${field.kind.name}) cannot be compared with ${other.name} (${other.kind.name})`
  throw complaint(test.at, '.field', words)
}

/** A name that may not be filtered on is refused word for word as one that does not exist. */
function attributeToFilter(
  test: Test,
  name: string,
  resource: ResourceType,
  member = '.name',
): AttributeField {
  const field = name === 'id' ? resource.id : resource.fields.get(name)
  if (field?.is === 'attribute' && field.filters) return field
  if (field?.is === 'computed') {
    throw complaint(
      test.at,
      memberOf(test, member),
      `${name} is computed and cannot be filtered on`,
    )
  }
  throw unknown(test, name, resource, member === '.field' ? 'attribute' : 'field', member)
}

function unknown(
  test: Test,
  name: string,
  resource: ResourceType,
  what: 'field' | 'attribute' | 'relationship',
  member = '.name',
): ParameterError {
  const names = ['id', ...resource.fields.keys()].filter((each) => {
    const field = resource.fields.get(each) ?? resource.id
    const isAttribute = field.is === 'attribute' && field.filters
    const isRelationship = field.is === 'relationship'
    return (what !== 'relationship' && isAttribute) || (what !== 'attribute' && isRelationship)
  })
  const known = suggestion(name, names, `${what}s to filter on`)
  return complaint(
    test.at,
    memberOf(test, member),
    `${resource.type} has no ${what} ${quoted(name)}; ${known}`,
  )
}

function noOperator(test: Test, name: string, allowed: readonly string[]): ParameterError {
  // A word that is an operator elsewhere is no typo.
  const isOperator = operatorNamed(test.operator) !== undefined || test.operand.is === 'filter'
  const known = isOperator
    ? listing(allowed, 'operators')
    : suggestion(test.operator, allowed, 'operators')
  return complaint(
    test.at,
    memberOf(test, '.op'),
    `${name} has no operator ${quoted(test.operator)}; ${known}`,
  )
}

/** The members of a filter object are places; `filter[x]=text` has none. */
function memberOf(test: Test, member: string): string {
  return test.operand.is === 'text' ? '' : member
}

function complaint(at: FilterPlace, member: string, words: string): ParameterError {
  const end = /[.?]$/.test(words) ? '' : '.'
  return new ParameterError('invalid_filter', at.parameter, `${at.path}${member}: ${words}${end}`)
}

function inside(test: Test, field: RelationshipField, context: Context): Context {
  const depth = context.depth + 1
  if (depth > filterLimits.relationships) {
    throw complaint(
      test.at,
      '',
      `more than ${filterLimits.relationships} relationships are followed, one inside the other`,
    )
  }
  return { ...context, resource: typeNamed(context.model, field.to), depth }
}

function related(
  { name }: RelationshipField,
  where: Condition | undefined,
  { followed }: Context,
): Condition {
  followed.count += 1
  return { is: 'related', relationship: name, where }
}
