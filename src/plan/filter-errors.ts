import { ParameterError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { listNames, suggest } from '../errors/suggestion.ts'
import { findOperator } from '../model/kinds/operators.ts'
import type { ResourceType } from '../model/model.ts'
import type { FilterClause, Operand } from '../parse/filter.ts'
import { findOperatorAlias, formatParameter, toAliasValue } from '../parse/other-idioms.ts'

/** A predicate of a filter: a field, an operator and an operand. */
export type Predicate = Extract<FilterClause, { is: 'predicate' }>

/** A member of a filter object to which an error can point; `''` is the object itself. */
export type FilterMember = '.name' | '.op' | '.val' | '.field' | ''

/**
 * An error in a predicate.
 * @param problem - the rest of the detail's sentence after the path; a period is added if it does not end with one
 */
export function filterError(
  { location: { parameter, path } }: Predicate,
  member: FilterMember,
  problem: string,
): ParameterError {
  // `filter[x]=text` has no members to point to.
  const location = path === parameter ? path : path + member
  const end = /[.?]$/.test(problem) ? '' : '.'
  return new ParameterError('invalid_filter', parameter, `${location}: ${problem}${end}`, {
    path: location,
  })
}

/** A parameter `filter[name]` to send in place of another one. */
interface FieldFilterForm {
  /** Default: that of the predicate. */
  readonly name?: string
  /** Default: that of the predicate. */
  readonly operator?: string
  /** Whether the values are a list. Default false. */
  readonly isList?: boolean
  /** Default: those of the predicate. */
  readonly texts?: readonly string[]
}

/** The end of an error's sentence: the parameters that the client should send; empty for a filter that is JSON. */
export function sendInstead(
  { name, operator, operand }: Predicate,
  { isList = false, ...form }: FieldFilterForm,
): string {
  const sent = listTexts(operand)
  if (sent === undefined) return ''
  const op = form.operator ?? operator
  const brackets = op === 'eq' || (isList && op === 'in_') ? '' : `[${op}]`
  const parameter = `filter[${form.name ?? name}]${brackets}${isList ? '[]' : ''}`
  const texts = form.texts ?? sent
  const shown = texts.slice(0, 10).map((text) => formatParameter(parameter, text))
  return `; send ${shown.join('&')}${texts.length > shown.length ? '&…' : ''} instead`
}

/** The operator with which the text `null` means null. */
export function findNullOperator(operator: string): 'is_' | 'isnot' | undefined {
  if (operator === 'eq' || operator === 'is_') return 'is_'
  return operator === 'ne' || operator === 'isnot' ? 'isnot' : undefined
}

/** The texts of a filter that is not JSON. */
function listTexts(operand: Operand): readonly string[] | undefined {
  if (operand.is === 'texts') return operand.texts
  return operand.is === 'text' ? [operand.text] : undefined
}

/** What a name should be, and the member of the filter that has it. */
interface UnknownNameOptions {
  readonly label: 'field' | 'attribute' | 'relationship'
  /** Default: `.name`. */
  readonly member?: FilterMember
}

/** The error for a name that does not exist. A field that must not be filtered on is reported like one that does not exist. */
export function unknownName(
  predicate: Predicate,
  name: string,
  resource: ResourceType,
  { label, member = '.name' }: UnknownNameOptions,
): ParameterError {
  const names = ['id', ...resource.fields.keys()].filter((candidate) => {
    const field = resource.fields.get(candidate) ?? resource.id
    const isAttribute = field.is === 'attribute' && field.isFilterable
    const isRelationship = field.is === 'relationship'
    return (label !== 'relationship' && isAttribute) || (label !== 'attribute' && isRelationship)
  })
  if (names.includes(predicate.operator)) {
    // `filter[gt][year]`
    const form = sendInstead(predicate, { name: predicate.operator, operator: name })
    if (form !== '')
      return filterError(
        predicate,
        member,
        `${resource.type} has no ${label} ${quote(name)}${form}`,
      )
  }
  const known = suggest(name, names, `${label}s to filter on`)
  return filterError(predicate, member, `${resource.type} has no ${label} ${quote(name)}; ${known}`)
}

/** The end of the sentence about an operator of another server; empty for one that is not known, and for a filter that is JSON. */
function findOperatorForm(predicate: Predicate, allowed: readonly string[]): string {
  // `filter[id][0]`
  const isList = /^\d+$/.test(predicate.operator) && allowed.includes('in_')
  const sent = listTexts(predicate.operand) ?? []
  const found = isList ? 'in_' : findOperatorAlias(predicate.operator, allowed)
  const alias = sent.join() === 'null' && found ? (findNullOperator(found) ?? found) : found
  const texts = sent.map((text) => toAliasValue(predicate.operator, text) ?? '')
  if (alias === undefined || texts.includes('')) return ''
  return sendInstead(predicate, { operator: alias, isList, texts })
}

/** The error for an operator that does not exist or does not apply to the field. */
export function unknownOperator(
  predicate: Predicate,
  name: string,
  allowed: readonly string[],
): ParameterError {
  const form = findOperatorForm(predicate, allowed)
  if (form !== '') {
    const problem = `${name} has no operator ${quote(predicate.operator)}${form}`
    return filterError(predicate, '.op', problem)
  }
  // The name of an operator that applies to other fields is not a typo.
  const isOperator =
    findOperator(predicate.operator) !== undefined || predicate.operand.is === 'filter'
  const known = isOperator
    ? listNames(allowed, 'operators')
    : suggest(predicate.operator, allowed, 'operators')
  return filterError(
    predicate,
    '.op',
    `${name} has no operator ${quote(predicate.operator)}; ${known}`,
  )
}
