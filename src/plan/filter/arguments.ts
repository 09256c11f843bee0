import { attempt, type ErrorCollector, report } from '../../errors/collector.ts'
import { ParameterError } from '../../errors/errors.ts'
import { quote } from '../../errors/quote.ts'
import {
  listParameters,
  type ResolvedParameter,
  readArgument,
  readArgumentText,
} from '../../model/declare/parameter.ts'
import type { ReadResult } from '../../model/kinds/value-result.ts'
import type { ResourceType } from '../../model/model.ts'
import type { FilterClause } from '../../parse/filter.ts'
import { filterError, type Predicate, unknownOperator } from '../filter-errors.ts'
import type { PlanParameters } from './condition.ts'

// The arguments of a table function are filters of a list with the names of its parameters (docs/decisions/0068). They are not
// conditions: their values are the first of the plan, in the order of the parameters, where the statement finds them.

/** Returns the index of the parameter that a filter has the name of; -1 for none. */
export function findParameter({ table: { call } }: ResourceType, name: string): number {
  return call === undefined ? -1 : Object.keys(call.parameters).indexOf(name)
}

/**
 * Reads the arguments among the clauses of a filter.
 * @param parameters - receives the values; it must be empty
 * @param errors - receives an error for each argument that is invalid, missing or sent twice
 * @returns a function that takes one clause after the other, in the order sent, and returns whether it is an argument; and one that
 *   reports the missing ones
 */
export function readArguments(
  resource: ResourceType,
  parameters: PlanParameters,
  errors: ErrorCollector,
): Readonly<{ take: (clause: FilterClause) => boolean; reportMissing: () => void }> {
  const declared = listParameters(resource.table.call?.parameters ?? {})
  const sent = new Set<number>()
  for (const [, { omitted }] of declared) parameters.values.push(omitted)
  const add = (clause: Predicate, index: number, parameter: ResolvedParameter) => {
    if (sent.has(index)) throw sentTwiceError(clause)
    sent.add(index)
    parameters.values[index] = readSent(clause, parameter)
    const read = createTextReader(clause, parameter)
    if (clause.operand.is === 'text') parameters.textParameters.push({ parameter: index, read })
  }
  return {
    take: (clause) => {
      const index = clause.is === 'predicate' ? findParameter(resource, clause.name) : -1
      const parameter = declared[index]?.[1]
      if (clause.is !== 'predicate' || parameter === undefined) return false
      attempt(() => add(clause, index, parameter), errors)
      return true
    },
    reportMissing: () => {
      for (const [index, [name, parameter]] of declared.entries())
        if (parameter.isRequired && !sent.has(index))
          report(errors, () => missingArgument(resource, name, parameter))
    },
  }
}

/** Creates the function that reads the argument from another text, for requests that differ in it only. */
function createTextReader(predicate: Predicate, parameter: ResolvedParameter) {
  return (text: string) => readSent({ ...predicate, operand: { is: 'text', text } }, parameter)
}

/** Reads the argument that a filter sends. @throws ParameterError if it is not of the kind of the parameter */
function readSent(predicate: Predicate, parameter: ResolvedParameter): unknown {
  const { name, operator, operand } = predicate
  if (operator !== 'eq') throw unknownOperator(predicate, name, ['eq'])
  if (operand.is === 'field')
    throw filterError(predicate, '.field', `${name} is a parameter and takes a value`)
  const sent = operand.is === 'text' ? operand.text : operand.is === 'value' ? operand.value : null
  const result =
    operand.is === 'text'
      ? readArgumentText(parameter.kind, operand.text)
      : readJson(sent, parameter)
  if ('value' in result) return result.value
  // A form without a script sends an input that is left empty.
  if (operand.is === 'text' && operand.text === '' && !parameter.isRequired)
    return parameter.omitted
  throw filterError(
    predicate,
    '.val',
    `the parameter ${quote(name)} must be ${result.expected}; it is ${quote(sent)}`,
  )
}

function readJson(value: unknown, { kind, isNullable }: ResolvedParameter): ReadResult<unknown> {
  if (value === null && isNullable) return { value }
  const result = readArgument(kind, value)
  return value === null && 'value' in result ? { expected: 'a value' } : result
}

function sentTwiceError(predicate: Predicate): ParameterError {
  const problem = `the parameter ${quote(predicate.name)} is sent twice`
  return filterError(predicate, '.name', problem)
}

function missingArgument(
  { type }: ResourceType,
  name: string,
  { kind }: ResolvedParameter,
): ParameterError {
  const parameter = `filter[${name}]`
  const detail = `${parameter}: ${type} needs the parameter ${quote(name)}, of the kind ${kind.name}.`
  return new ParameterError('invalid_filter', parameter, detail)
}
