import { quote } from '../../errors/quote.ts'
import { listNames, suggest } from '../../errors/suggestion.ts'
import { findTextParameter, type IdQuery } from '../../model/declare/id-query.ts'
import {
  listParameters,
  type ResolvedParameter,
  readArgument,
  readArgumentText,
} from '../../model/declare/parameter.ts'
import { isObject } from '../../model/kinds/json.ts'
import { kinds } from '../../model/kinds/kinds.ts'
import { type CountOperatorName, countOperators } from '../../model/kinds/operators.ts'
import type { ReadResult } from '../../model/kinds/value-result.ts'
import type { RelationshipField } from '../../model/model.ts'
import type { Operand } from '../../parse/filter.ts'
import { filterError, type Predicate, unknownOperator } from '../filter-errors.ts'
import type { Condition, Parameter, PlanParameters } from './condition.ts'

/** What numbers of related resources and calls of queries need of the filter that contains them. */
interface SubqueryContext {
  readonly parameters: PlanParameters
  /** How many subqueries the filter has so far. */
  readonly subqueries: { count: number }
}

/** Plans a comparison of the number of related resources. */
export function planCount(
  predicate: Predicate,
  { name }: RelationshipField,
  operatorName: CountOperatorName,
  { parameters, subqueries }: SubqueryContext,
): Condition {
  const { operand } = predicate
  const count = readCount(operand)
  if (count === undefined || !('value' in count)) {
    const problem = `"${operatorName}" takes a whole number, with which the number of ${name} is compared`
    throw filterError(predicate, operand.is === 'value' ? '.val' : '', problem)
  }
  subqueries.count += 1
  const operator = countOperators[operatorName]
  const parameter = addParameter(count.value, parameters)
  const includesZero = compareNumbers[operator](0, count.value)
  return { is: 'count', relationship: name, operator, parameter, includesZero }
}

function readCount(operand: Operand): ReadResult<number> | undefined {
  if (operand.is === 'text') return kinds.integer.readFilterText(operand.text)
  return operand.is === 'value' ? kinds.integer.readFilterValue(operand.value) : undefined
}

/** Adds a value as a parameter. In a rule the parameter is the value itself. */
function addParameter(value: unknown, { values, readRuleOperand }: PlanParameters): Parameter {
  return readRuleOperand ? { read: () => value } : values.push(value) - 1
}

/** Plans the call of a query: `val` has a value for each of its parameters, but for those with a default. */
export function planCall(
  predicate: Predicate,
  name: string,
  query: IdQuery,
  context: SubqueryContext,
): Condition {
  const { parameters, subqueries } = context
  const { operator, operand } = predicate
  subqueries.count += 1
  if (operand.is === 'text' && operator === 'eq')
    return planTextCall(predicate, name, query, context)
  if (operator !== 'call') throw unknownOperator(predicate, name, ['call'])
  const declared = listParameters(query.parameters)
  const sent = readCallObject(predicate, name, declared)
  const values = declared.map(([parameter, resolved]) => {
    if (!Object.hasOwn(sent, parameter)) return resolved.omitted
    const value = sent[parameter]
    const read = readCallValue(value, resolved)
    if ('value' in read) return read.value
    const problem = `${parameter} must be ${read.expected}; it is ${quote(value)}`
    throw filterError(predicate, '.val', problem)
  })
  return {
    is: 'call',
    query: name,
    parameters: values.map((each) => addParameter(each, parameters)),
  }
}

/** Null is a value of every parameter without a default. */
function readCallValue(
  value: unknown,
  { kind, isRequired, isNullable }: ResolvedParameter,
): ReadResult<unknown> {
  if (value !== null) return readArgument(kind, value)
  return isRequired || isNullable ? { value } : { expected: 'a value, or absent' }
}

/** Reads the values of a call by their names. @throws ParameterError if one is unknown, or required and missing */
function readCallObject(
  predicate: Predicate,
  name: string,
  declared: readonly (readonly [name: string, parameter: ResolvedParameter])[],
): Readonly<Record<string, unknown>> {
  const { operand } = predicate
  const names = declared.map(([parameter]) => parameter)
  const sent = operand.is === 'value' ? operand.value : undefined
  const createError = (problem: string) => filterError(predicate, '.val', problem)
  if (!isObject(sent))
    throw createError(
      `must be an object with a value for each parameter; ${listNames(names, 'parameters')}`,
    )
  const unknown = Object.keys(sent).find((parameter) => !names.includes(parameter))
  if (unknown !== undefined) {
    const hint = suggest(unknown, names, 'parameters')
    throw createError(`${name} has no parameter ${quote(unknown)}; ${hint}`)
  }
  const missing = declared.find(
    ([parameter, { isRequired }]) => isRequired && !Object.hasOwn(sent, parameter),
  )
  if (missing !== undefined)
    throw createError(`${name} needs the parameter ${quote(missing[0])}; it may be null`)
  return sent
}

/** Plans `filter[search]=text`, the call of a query with one parameter, or with one that is required. */
function planTextCall(
  predicate: Predicate,
  name: string,
  query: IdQuery,
  { parameters: { values, textParameters } }: SubqueryContext,
): Condition {
  const only = findTextParameter(query)
  const declared = listParameters(query.parameters)
  const kind = declared.find(([parameter]) => parameter === only)?.[1].kind
  if (kind === undefined)
    throw filterError(
      predicate,
      '',
      `${name} has ${declared.length === 0 ? 'no' : 'several'} parameters; use a filter object with "call"`,
    )
  const read = (text: string) => {
    const result = readArgumentText(kind, text)
    if ('value' in result) return result.value
    throw filterError(predicate, '', `${only} must be ${result.expected}; it is ${quote(text)}`)
  }
  const { operand } = predicate
  const parameters = declared.map(([parameter, { omitted }]) => {
    if (parameter !== only) return values.push(omitted) - 1
    const index = values.push(read(operand.is === 'text' ? operand.text : '')) - 1
    textParameters.push({ parameter: index, read })
    return index
  })
  return { is: 'call', query: name, parameters }
}

const compareNumbers = {
  eq: (one, other) => one === other,
  ne: (one, other) => one !== other,
  gt: (one, other) => one > other,
  ge: (one, other) => one >= other,
  lt: (one, other) => one < other,
  le: (one, other) => one <= other,
} satisfies Record<
  (typeof countOperators)[CountOperatorName],
  (one: number, other: number) => boolean
>
