import { quote } from '../errors/quote.ts'
import { listNames, suggest } from '../errors/suggestion.ts'
import type { IdQuery } from '../model/id-query.ts'
import { isObject } from '../model/json.ts'
import { kinds } from '../model/kinds.ts'
import type { RelationshipField } from '../model/model.ts'
import { type CountOperatorName, countOperators } from '../model/operators.ts'
import type { Condition, Parameter, PlanParameters } from './condition.ts'
import { filterError, type Predicate, unknownOperator } from './filter-errors.ts'

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
  const count = operand.is === 'value' ? kinds.integer.readFilterValue(operand.value) : undefined
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

/** Adds a value as a parameter. In a rule the parameter is the value itself. */
function addParameter(value: unknown, { values, readRuleOperand }: PlanParameters): Parameter {
  return readRuleOperand ? { read: () => value } : values.push(value) - 1
}

/** Plans the call of a query: `val` has a value for each of its parameters. */
export function planCall(
  predicate: Predicate,
  name: string,
  { parameters: declared }: IdQuery,
  context: SubqueryContext,
): Condition {
  const { parameters, subqueries } = context
  const { operator, operand } = predicate
  subqueries.count += 1
  if (operand.is === 'text') return planTextCall(predicate, name, declared, context)
  if (operator !== 'call') throw unknownOperator(predicate, name, ['call'])
  const sent = readCallObject(predicate, name, Object.keys(declared))
  const values = Object.entries(declared).map(([parameter, kind]) => {
    const value = sent[parameter]
    const read = value === null ? { value } : kind.readFilterValue(value)
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

/** Reads the values of a call by their names. @throws ParameterError unless it has exactly the parameters of the query */
function readCallObject(
  predicate: Predicate,
  name: string,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  const { operand } = predicate
  const sent = operand.is === 'value' ? operand.value : undefined
  const list = listNames(names, 'parameters')
  if (!isObject(sent))
    throw filterError(
      predicate,
      '.val',
      `must be an object with a value for each parameter; ${list}`,
    )
  const unknown = Object.keys(sent).find((parameter) => !names.includes(parameter))
  if (unknown !== undefined) {
    const hint = suggest(unknown, names, 'parameters')
    throw filterError(predicate, '.val', `${name} has no parameter ${quote(unknown)}; ${hint}`)
  }
  const missing = names.find((parameter) => sent[parameter] === undefined)
  if (missing !== undefined)
    throw filterError(
      predicate,
      '.val',
      `${name} needs the parameter ${quote(missing)}; it may be null`,
    )
  return sent
}

/** Plans `filter[search]=text`, the call of a query with one parameter. */
function planTextCall(
  predicate: Predicate,
  name: string,
  declared: IdQuery['parameters'],
  { parameters: { values, textParameters } }: SubqueryContext,
): Condition {
  const [[only, kind] = [], ...others] = Object.entries(declared)
  if (only === undefined || kind === undefined || others.length > 0)
    throw filterError(
      predicate,
      '',
      `${name} has ${others.length === 0 ? 'no' : 'several'} parameters; use a filter object with "call"`,
    )
  const read = (text: string) => {
    const result = kind.readFilterText(text)
    if ('value' in result) return result.value
    throw filterError(predicate, '', `${only} must be ${result.expected}; it is ${quote(text)}`)
  }
  const { operand } = predicate
  const parameter = values.push(read(operand.is === 'text' ? operand.text : '')) - 1
  textParameters.push({ parameter, read })
  return { is: 'call', query: name, parameters: [parameter] }
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
