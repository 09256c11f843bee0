import { attempt, emptyCollector, throwErrors } from '../../errors/collector.ts'
import { ParameterError } from '../../errors/errors.ts'
import { quote } from '../../errors/quote.ts'
import { suggest } from '../../errors/suggestion.ts'
import { readArgument } from '../../model/declare/parameter.ts'
import type { CustomOperator } from '../../model/kinds/kinds.ts'
import {
  appliesTo,
  findCustomOperator,
  findOperator,
  isCountOperator,
  isSortable,
  listKindOperators,
  listRelationshipOperators,
  type Operator,
  type OperatorName,
  operators,
} from '../../model/kinds/operators.ts'
import {
  type AttributeField,
  getResourceType,
  type Model,
  type RelationshipField,
  type ResourceType,
} from '../../model/model.ts'
import type { FilterClause, Operand } from '../../parse/filter.ts'
import { filterLimits } from '../../parse/filter.ts'
import {
  type FilterMember,
  filterError,
  findNullOperator,
  type Predicate,
  sendInstead,
  unknownName,
  unknownOperator,
} from '../filter-errors.ts'
import { findParameter, readArguments } from './arguments.ts'
import type { Condition, PlanParameters } from './condition.ts'
import { planCall, planCount } from './filter-subqueries.ts'
import { readOperand, readTextOperand } from './operand.ts'

/** With more subqueries than this, a database must not plan them as joins: its planning time grows with a power of their number. */
const maxJoinedSubqueries = 8

/**
 * Resolves the names and values of a filter.
 *
 * @param clauses - joined by AND
 * @param parameters - receives the client's values; the condition holds their numbers
 * @returns `undefined` for no clauses
 * @throws ApiError | ManyErrors `invalid_filter` (400) with every error and its location
 * @see `docs/service.md`, Filter
 */
export function planFilter(
  clauses: readonly FilterClause[],
  resource: ResourceType,
  model: Model,
  parameters: PlanParameters,
): Condition | undefined {
  const subqueries = { count: 0 }
  const context: FilterContext = { resource, model, parameters, depth: 0, subqueries }
  const [first, ...others] =
    resource.table.call && parameters.readRuleOperand === undefined
      ? planCalledClauses(clauses, context)
      : planClauses(clauses, context)
  if (subqueries.count > filterLimits.subqueries) {
    const detail = `filter: the filters follow ${subqueries.count} relationships; at most ${filterLimits.subqueries} are allowed. Nest the conditions on one related resource in one "any" or "has".`
    throw new ParameterError('invalid_filter', 'filter', detail)
  }
  if (first === undefined) return undefined
  const where: Condition = others.length === 0 ? first : { is: 'and', all: [first, ...others] }
  return subqueries.count > maxJoinedSubqueries ? withoutPullUp(where) : where
}

/** Copies a condition and marks all its subqueries with `preventPullUp`. */
function withoutPullUp(condition: Condition): Condition {
  switch (condition.is) {
    case 'related': {
      const where = condition.where && withoutPullUp(condition.where)
      return { ...condition, where, preventPullUp: true }
    }
    case 'count':
    case 'call':
      return { ...condition, preventPullUp: true }
    case 'and':
    case 'or': {
      const [first, ...others] = condition.all
      return { ...condition, all: [withoutPullUp(first), ...others.map(withoutPullUp)] }
    }
    case 'not':
      return { ...condition, inner: withoutPullUp(condition.inner) }
    default:
      return condition
  }
}

/** What the names and values of a clause are resolved against. */
interface FilterContext {
  readonly resource: ResourceType
  readonly model: Model
  readonly parameters: PlanParameters
  /** How many relationships enclose the clause. */
  readonly depth: number
  /** How many relationships the filter follows so far; shared by all its clauses. */
  readonly subqueries: { count: number }
}

function planClauses(clauses: readonly FilterClause[], context: FilterContext): Condition[] {
  const errors = emptyCollector()
  const conditions = clauses.map((clause) => attempt(() => planClause(clause, context), errors))
  throwErrors(errors)
  return conditions.filter((condition) => condition !== undefined)
}

/** Plans the clauses of a list of a table function: its arguments, and the conditions on its rows. */
function planCalledClauses(clauses: readonly FilterClause[], context: FilterContext): Condition[] {
  const errors = emptyCollector()
  const { take, reportMissing } = readArguments(context.resource, context.parameters, errors)
  const conditions = clauses.map((clause) =>
    take(clause) ? undefined : attempt(() => planClause(clause, context), errors),
  )
  reportMissing()
  throwErrors(errors)
  return conditions.filter((condition) => condition !== undefined)
}

function planClause(clause: FilterClause, context: FilterContext): Condition {
  switch (clause.is) {
    case 'predicate':
      return planPath(readNull(clause), clause.name.split('__'), context)
    case 'not':
      return { is: 'not', inner: planClause(clause.inner, context) }
    case 'and':
    case 'or': {
      const [first, ...others] = planClauses(clause.all, context)
      if (first === undefined) throw new Error('The parser accepted a group without clauses.')
      return { is: clause.is, all: [first, ...others] }
    }
  }
}

/** Reads `filter[name][is_]=null`: a text means null only with these two operators. */
function readNull(predicate: Predicate): Predicate {
  const { operator, operand } = predicate
  const isNull =
    operand.is === 'text' && operand.text === 'null' && /^(?:is_|isnot)$/.test(operator)
  return isNull ? { ...predicate, operand: { is: 'value', value: null } } : predicate
}

/** Plans `owner__name` as a nested filter: each name but the last is `any` or `has` around the rest. */
function planPath(
  predicate: Predicate,
  path: readonly string[],
  context: FilterContext,
): Condition {
  const [name = '', ...rest] = path
  const { resource } = context
  const field = resource.fields.get(name)
  if (rest.length > 0) {
    if (field?.is === 'attribute') return planJsonPath(predicate, path, field, context)
    if (field?.is !== 'relationship')
      throw unknownName(predicate, name, resource, { label: 'relationship' })
    const where = planPath(predicate, rest, enter(predicate, field, context))
    return createSubquery(field, where, context)
  }
  if (field?.is === 'relationship') return planRelationship(predicate, field, context)
  const query = resource.queries.get(name)
  if (query && !field) return planCall(predicate, name, query, context)
  if (findParameter(resource, name) !== -1) {
    const problem = `${name} is a parameter of ${resource.type}, so it cannot be inside of "and", "or" or "not"`
    throw filterError(predicate, '.name', problem)
  }
  return planAttribute(predicate, findAttribute(predicate, name, resource), context)
}

/** Plans `meta__address__city`: a condition on a value inside JSON. */
function planJsonPath(
  predicate: Predicate,
  path: readonly string[],
  { name, paths = new Map(), isFilterable }: AttributeField,
  context: FilterContext,
): Condition {
  if (paths.size === 0 || !isFilterable)
    throw unknownName(predicate, name, context.resource, { label: 'relationship' })
  const value = paths.get(path.join('__'))
  if (value) return planAttribute(predicate, value, context)
  const hint = suggest(path.join('__'), [...paths.keys()], 'paths to filter on')
  throw filterError(predicate, '.name', `${name} has no path ${quote(path.join('__'))}; ${hint}`)
}

function planRelationship(
  predicate: Predicate,
  field: RelationshipField,
  context: FilterContext,
): Condition {
  const { operator, operand } = predicate
  if (field.isCounted && isCountOperator(operator))
    return planCount(predicate, field, operator, context)
  const allowed = listRelationshipOperators(field)
  if (!allowed.includes(operator)) throw unknownRelationshipOperator(predicate, field, context)
  if (operand.is === 'filter') {
    const where = operand.where && planClause(operand.where, enter(predicate, field, context))
    return createSubquery(field, where, context)
  }
  if (operand.is !== 'value' || operand.value !== null) throw comparedRelationship(predicate, field)
  const exists = createSubquery(field, undefined, context)
  return operator === 'eq' || operator === 'is_' ? { is: 'not', inner: exists } : exists
}

/** The error for a relationship that is compared with a value: `filter[owner]=1` means its id, and `filter[owner]=null` no owner. */
function comparedRelationship(predicate: Predicate, field: RelationshipField): ParameterError {
  const { operator, operand } = predicate
  const use = `"${field.many ? 'any' : 'has'}" with a nested filter, or "${field.name}__id"`
  const problem = `${field.name} is a relationship and can only be compared with null; use ${use}`
  const nullOperator = findNullOperator(operator)
  const isNull = operand.is === 'text' && operand.text === 'null'
  const form = isNull
    ? { ...(nullOperator && { operator: nullOperator }) }
    : {
        name: `${predicate.name}.id`,
        operator: nullOperator === 'isnot' ? 'ne' : 'eq',
        isList: operand.is === 'texts',
      }
  return filterError(predicate, '', problem + (nullOperator ? sendInstead(predicate, form) : ''))
}

/** `filter[owner][name]` is a path, and `filter[owner][]` compares ids. */
function unknownRelationshipOperator(
  predicate: Predicate,
  field: RelationshipField,
  { model }: FilterContext,
): ParameterError {
  const { name, operator, operand } = predicate
  const related = getResourceType(model, field.to)
  const isPath = operator === 'id' || related.fields.has(operator)
  const form = isPath
    ? sendInstead(predicate, { name: `${name}.${operator}`, operator: 'eq' })
    : sendInstead(predicate, { name: `${name}.id`, isList: operand.is === 'texts' })
  const known = findOperator(operator)
  const isOfId = known !== undefined && appliesTo(known, related.id.kind)
  if (form === '' || (!isPath && !isOfId))
    return unknownOperator(predicate, field.name, listRelationshipOperators(field))
  return filterError(predicate, '.op', `${field.name} has no operator ${quote(operator)}${form}`)
}

function planAttribute(sent: Predicate, field: AttributeField, context: FilterContext): Condition {
  const predicate = isTextList(sent, field) ? { ...sent, operator: 'in_' } : sent
  const { operand } = predicate
  const custom = findCustomOperator(field.kind, predicate.operator)
  if (custom) return planCustom(predicate, field, custom, context)
  const operator = findOperator(predicate.operator)
  if (operator === undefined || !appliesTo(operator, field.kind) || operand.is === 'filter')
    throw unknownOperator(
      predicate,
      field.name,
      listKindOperators(field.kind).map(({ name }) => name),
    )
  // `findOperator` has found a row of this name.
  const name = predicate.operator as OperatorName
  if (operand.is === 'field') {
    const other = findComparableField(predicate, operand.name, field, context)
    return { is: 'fields', operator: name, field: field.name, other }
  }
  if (operand.is === 'value' && operand.value === null && operator.nullMatches !== undefined) {
    const isNull: Condition = { is: 'null', field: field.name }
    return operator.nullMatches === 'none' ? isNull : { is: 'not', inner: isNull }
  }
  return planComparison(predicate, { operand, field, operator: name }, context)
}

/** Whether `filter[name]=a,b` has several values: if no value of the kind contains a comma. */
function isTextList({ operator, operand }: Predicate, { kind }: AttributeField): boolean {
  return (
    operator === 'eq' &&
    operand.is === 'text' &&
    kind.isCommaFree === true &&
    operand.text.includes(',')
  )
}

/** Plans an operator of a kind that a program defines, whose operand is a value of another kind. */
function planCustom(
  predicate: Predicate,
  field: AttributeField,
  { takes }: CustomOperator,
  context: FilterContext,
): Condition {
  const { operand, operator } = predicate
  if (operand.is !== 'value' || operand.value === null) {
    const form = `filter=[{"name":${quote(predicate.name)},"op":${quote(operator)},"val":…}]`
    const problem = `"${operator}" takes a value of the kind ${takes.name}; send ${form}`
    throw filterError(predicate, '.val', problem)
  }
  const readFilterValue = (json: unknown) => readArgument(takes, json)
  const operandField: AttributeField = { ...field, kind: { ...takes, readFilterValue } }
  const compared: Comparison = { operand, field: operandField, operator: 'eq' }
  const planned = planComparison(predicate, compared, context)
  const [parameter] = planned.is === 'compare' ? planned.parameters : []
  if (parameter === undefined) throw new Error(`${operator} was planned without an operand.`)
  return { is: 'custom', operator, field: field.name, parameter }
}

/** A comparison of an attribute with values of the client. */
interface Comparison {
  readonly operand: Extract<Operand, { is: 'value' | 'text' | 'texts' }>
  readonly field: AttributeField
  readonly operator: OperatorName
}

function planComparison(
  predicate: Predicate,
  { operand, field, operator }: Comparison,
  { parameters: { values, textParameters, readRuleOperand } }: FilterContext,
): Condition {
  const createError = (problem: string) => filterError(predicate, '.val', problem)
  if (readRuleOperand && operand.is === 'value') {
    const ruleOperand = { value: operand.value, field, operator }
    const parameters = readRuleOperand(ruleOperand, createError)
    return { is: 'compare', operator, field: field.name, parameters }
  }
  const read = (sent: typeof operand) =>
    sent.is === 'value'
      ? readOperand(sent, field, operator, createError)
      : readTextOperand(predicate, sent, field, operator)
  const operandValues = read(operand)
  const parameters = operandValues.map((value) => values.push(value) - 1)
  if (operand.is === 'text')
    for (const parameter of parameters)
      textParameters.push({ parameter, read: (text) => read({ is: 'text', text })[0] })
  const { simpler }: Operator = operators[operator]
  const isSimple = simpler?.when(operandValues[0]) ?? false
  return {
    is: 'compare',
    operator,
    field: field.name,
    parameters,
    ...(isSimple && { isSimple }),
  }
}

/** The name of the other field of a comparison between two fields. @throws ParameterError if they cannot be compared */
function findComparableField(
  predicate: Predicate,
  name: string,
  field: AttributeField,
  { resource }: FilterContext,
): string {
  if (!isSortable(field.kind)) {
    const comparable = field.kind.operators === 'opaque' ? 'null' : 'values, not with another field'
    throw filterError(predicate, '.field', `${field.name} can only be compared with ${comparable}`)
  }
  const { takes }: Operator = operators[predicate.operator as OperatorName]
  if (takes !== 'one') {
    const problem = `"${predicate.operator}" takes a list of values in "val", not a "field"`
    throw filterError(predicate, '.field', problem)
  }
  const other = findAttribute(predicate, name, resource, '.field')
  if (other.kind.comparesAs === field.kind.comparesAs) return other.name
  const problem = `${field.name} (${field.kind.name}) cannot be compared with ${other.name} (${other.kind.name})`
  throw filterError(predicate, '.field', problem)
}

/** The attribute of that name. @throws ParameterError if it does not exist or must not be filtered on */
function findAttribute(
  predicate: Predicate,
  name: string,
  resource: ResourceType,
  member: FilterMember = '.name',
): AttributeField {
  const field =
    name === 'id' ? resource.id : (resource.fields.get(name) ?? findFilterablePath(name, resource))
  if (field?.is === 'attribute' && field.isFilterable) return field
  if (field?.is === 'computed')
    throw filterError(predicate, member, `${name} is computed and cannot be filtered on`)
  const label = member === '.field' ? 'attribute' : 'field'
  throw unknownName(predicate, name, resource, { label, member })
}

/** A value inside JSON whose attribute can be filtered on. */
function findFilterablePath(name: string, resource: ResourceType): AttributeField | undefined {
  const attribute = resource.fields.get(name.split('__', 1)[0] ?? '')
  return attribute?.is === 'attribute' && attribute.isFilterable
    ? attribute.paths?.get(name)
    : undefined
}

/** The context of a filter on related resources. */
function enter(
  predicate: Predicate,
  field: RelationshipField,
  context: FilterContext,
): FilterContext {
  const depth = context.depth + 1
  if (depth > filterLimits.relationships) {
    const problem = `more than ${filterLimits.relationships} relationships are nested in each other`
    throw filterError(predicate, '', problem)
  }
  return { ...context, resource: getResourceType(context.model, field.to), depth }
}

function createSubquery(
  { name }: RelationshipField,
  where: Condition | undefined,
  { subqueries }: FilterContext,
): Condition {
  subqueries.count += 1
  return { is: 'related', relationship: name, where }
}
