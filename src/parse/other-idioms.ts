import { quote } from '../errors/quote.ts'
import { findNearest } from '../errors/suggestion.ts'
import { type JsonValue, serializeJson } from '../model/kinds/json.ts'
import { pageMembers } from './page.ts'
import {
  findParameterName,
  getQueryParameter,
  isParameterName,
  parameterNames,
} from './parameters.ts'

// The forms that clients of other servers send. The server accepts those that mean one thing; of the others an error has the form
// that the client should send, with the values of the client.

/** The longest value that an error repeats in a form to send. */
const longestValue = 200

/** Writes a parameter as in a URL that a person types, with escapes only where they are needed. */
export function formatParameter(name: string, value: string): string {
  const text =
    value.length <= longestValue ? value : `${value.slice(0, longestValue).toWellFormed()}…`
  return `${name}=${text.replace(/[\s%&+#\p{Cc}]/gu, encodeURIComponent)}`
}

/** Operators of other servers. */
const operatorAliases: Readonly<Record<string, string>> = {
  ...{ '=': 'eq', '==': 'eq', equals: 'eq', is: 'is_' },
  ...{ '!=': 'ne', '<>': 'ne', neq: 'ne', not: 'ne', '!': 'ne' },
  ...{ '>': 'gt', '>=': 'ge', gte: 'ge', min: 'ge', '<': 'lt', '<=': 'le', lte: 'le', max: 'le' },
  ...{ in: 'in_', nin: 'notin_', not_in: 'notin_', notin: 'notin_', isnull: 'is_' },
  ...{ contains: 'like', icontains: 'ilike', search: 'match', starts_with: 'startswith' },
}

/** The operator of this server that an operator of another one means, if it is among those allowed. */
export function findOperatorAlias(
  operator: string,
  allowed: readonly string[],
): string | undefined {
  const lower = operator.toLowerCase().replace(/^\$/, '')
  const alias = Object.hasOwn(operatorAliases, lower) ? operatorAliases[lower] : lower
  return alias !== operator && alias !== undefined && allowed.includes(alias) ? alias : undefined
}

/** Splits `gt:1800` or `>1800`, an operator before a value. */
export function splitOperator(
  text: string,
): readonly [operator: string, value: string] | undefined {
  const [, word, sign, value] = /^(?:([a-z_]+):|([<>!]=?|<>))(.*)$/is.exec(text) ?? []
  const operator = word ?? sign
  return operator === undefined || value === undefined ? undefined : [operator, value]
}

const containsOperator = /^\$?i?contains$/i

/**
 * The value of an operator that means the same here: `like` compares the whole text.
 * @returns `undefined` for a text with `%`, which is a wildcard in every pattern
 */
export function toAliasValue(operator: string, value: string): string | undefined {
  if (!containsOperator.test(operator)) return value
  return value.includes('%') ? undefined : `%${value}%`
}

/** The form of `filter=year>1800`, a comparison that is not JSON; `undefined` for any other text. */
export function findComparisonForm(text: string): string | undefined {
  const [, name, sign, word, value] =
    /^\s*([a-z][\w.]*?)\s*(?:([<>!=]=?|<>)|[\s:]([a-z]+_?)[\s:])\s*([^\s<>=][^<>=]*)$/is.exec(
      text,
    ) ?? []
  if (name === undefined || value === undefined) return undefined
  const sent = (sign ?? word ?? '').toLowerCase()
  const operator = Object.hasOwn(operatorAliases, sent) ? (operatorAliases[sent] ?? sent) : sent
  if (!operatorName.test(operator)) return undefined
  const nullOperator = value === 'null' ? { eq: 'is_', ne: 'isnot' }[operator] : undefined
  const named = nullOperator ?? operator
  return formatParameter(`filter[${name}]${named === 'eq' ? '' : `[${named}]`}`, value)
}

/** A term of a sort as other servers take it: `owner__name`, `name:desc`, `name desc`; `undefined` for any other text. */
export function findSortTerm(term: string, descending: boolean): string | undefined {
  const [, plain = term, direction] = /^(.*[^\s:])[\s:]+(asc|desc)(?:ending)?$/is.exec(term) ?? []
  const name = plain.trim().replace(/^\+/, '').replaceAll('__', '.')
  if (name === term || name === '') return undefined
  const isDescending = direction === undefined ? descending : /^desc$/i.test(direction)
  return `${isDescending ? '-' : ''}${name}`
}

/** What is known about the field whose name a parameter has: the parameters that mean the same, or why there are none. */
export type FieldRemedy = Readonly<{ form: string } | { problem: string }>

/**
 * What to send in place of a parameter that does not exist, as the end of an error's sentence; `undefined` if nothing is known.
 * @param find - returns the value of another parameter of the request
 * @param findField - returns what is known about the field of that name, or of a similar one
 */
export function describeRemedy(
  name: string,
  find: (name: string) => string | undefined,
  findField: (isExact: boolean) => FieldRemedy | undefined,
): string | undefined {
  const value = find(name) ?? ''
  const renamed =
    findOffsetForm(name, value, find) ??
    findSortForm(name, value, find) ??
    findParameterForm(name, value)
  const field = findField(true)
  if (field && 'problem' in field) return field.problem
  // `size` may be a field and a page.
  if (field) return sendForm(renamed === undefined ? field.form : `${field.form} or ${renamed}`)
  const form =
    renamed ??
    findFilterForm(name, value) ??
    findIncludeForm(name, value) ??
    findNestedForm(name, value) ??
    findTypoForm(name, value)
  if (form !== undefined) return sendForm(form)
  // `page[albums]` is not a field `name`.
  const [base = ''] = name.split('[')
  if (isParameterName(base)) return undefined
  const similar = findField(false)
  return similar && ('form' in similar ? sendForm(similar.form) : similar.problem)
}

function sendForm(form: string): string {
  return `send ${form} instead`
}

/** A parameter `filter[…]`, and the values to send with it. */
interface FieldFilterTexts {
  readonly name: string
  readonly texts: readonly string[]
}

/**
 * The filter that a parameter with the name of a field means: `year`, `year[gt]`, `year_gt`, `year>`, `artist.name`, `artist[name]`.
 * @param texts - the values of the parameter
 * @param findName - returns the name that the type has for a name; `undefined` for none
 */
export function findFieldFilter(
  parameter: string,
  texts: readonly string[],
  findName: (name: string) => string | undefined,
): FieldFilterTexts | undefined {
  const [, path = '', brackets = '', sign, compared = ''] =
    /^([^[\]<>!]+)((?:\[[^[\]]*\])*)(?:([<>!]=?|<>)(.*))?$/s.exec(parameter) ?? []
  const names = path.split(/\.|__/)
  const [first = '', ...rest] = names
  const [, start = '', suffix = ''] = /^(.+)_([a-z]+)$/i.exec(first) ?? []
  const exact = findName(first)
  const isSuffix = exact === undefined && rest.length === 0 && toOperator(suffix) !== undefined
  const name = exact ?? (isSuffix ? findName(start) : undefined)
  if (name === undefined || names.includes('')) return undefined
  const last = rest.length > 0 ? toOperator(rest.at(-1) ?? '') : undefined
  // In `year>=1800`, the name of the parameter ends with the sign.
  const signed = sign && toOperator(compared === '' && !sign.endsWith('=') ? `${sign}=` : sign)
  const operator = signed ?? (isSuffix ? toOperator(suffix) : last) ?? 'eq'
  const whole = [name, ...(last === undefined ? rest : rest.slice(0, -1))].join('.')
  const named = operator === 'eq' ? '' : `[${operator}]`
  // A sign is behind the brackets of a path.
  const filter = `filter[${whole}]${signed ? brackets + named : named + brackets}`
  const isNested = brackets.split('[').length > (signed ? 1 : 2)
  const sent = compared === '' ? texts : [compared]
  return { name: (isNested ? findFilterName(filter) : undefined) ?? filter, texts: sent }
}

/** The operator that a word or sign means, but for one whose value has another form here; `undefined` for none. */
function toOperator(word: string): string | undefined {
  const lower = word.toLowerCase()
  if (containsOperator.test(lower)) return lower
  const operator = Object.hasOwn(operatorAliases, lower) ? operatorAliases[lower] : lower
  return operator !== undefined && operatorName.test(operator) ? operator : undefined
}

/** `page[offset]=20` with `page[limit]=10` is the third page. */
function findOffsetForm(
  name: string,
  value: string,
  find: (name: string) => string | undefined,
): string | undefined {
  if (!/^(?:page\[offset\]|offset|skip)$/i.test(name)) return undefined
  const names = ['page[limit]', 'limit', 'page[size]', 'per_page', 'take']
  const size = Number(names.map(find).find((each) => each !== undefined))
  const number = Number(value) / size + 1
  const isPage = Number.isInteger(number) && number >= 1 && size >= 1
  return isPage
    ? `page[number]=${number}&page[size]=${size}`
    : 'page[number] and page[size], or page[after] with a cursor,'
}

/** `sort_by=year` with `order=desc` is one order. */
function findSortForm(
  name: string,
  value: string,
  find: (name: string) => string | undefined,
): string | undefined {
  const keys = ['sort', 'sort_by', 'sortBy', 'order_by', 'orderBy', '_sort']
  const directions = ['order', 'direction', 'dir', 'sort_dir', 'sort_order', 'sortOrder', '_order']
  const isDirection = directions.includes(name) && /^(?:asc|desc)$/i.test(value)
  if (!isDirection && !keys.includes(name)) return undefined
  const [key, direction] = [keys, directions].map((names) =>
    names.map(find).find((each) => each !== undefined),
  )
  if (key === undefined) return undefined
  const isDescending = /^desc$/i.test(direction ?? '') && !key.startsWith('-')
  return formatParameter('sort', `${isDescending ? '-' : ''}${key}`)
}

/** `page[albums][size]=2`, `limit[albums]=2`, `sort[albums]=-year`, `includeFilter[albums][year]=1800`: the members of an include path. */
function findIncludeForm(name: string, value: string): string | undefined {
  const [, family = '', path = '', member = ''] =
    /^(page|limit|sort|includeFilter)\[([^[\]]+)\](?:\[([^[\]]+)\])?$/.exec(name) ?? []
  if (family === 'page' && /^(?:size|limit|after)$/.test(member))
    return formatParameter(`includePage[${path}][${member === 'limit' ? 'size' : member}]`, value)
  if (family === 'limit' && member === '')
    return formatParameter(`includePage[${path}][size]`, value)
  const isDirection = /^(?:asc|desc)(?:ending)?$|^-?1$/i.test(value)
  if (family === 'sort' && member === '' && !isDirection)
    return formatParameter(`includeSort[${path}]`, value)
  if (family !== 'includeFilter' || member === '') return undefined
  return `includeFilter[${path}]=${formatTerms({ [member]: value })}`
}

/**
 * Writes an object such as `{"year":1805}`, or one filter object, as the array that a filter is.
 * @returns `undefined` for an object that is neither, or too long
 */
export function findFilterArray(json: Readonly<Record<string, unknown>>): string | undefined {
  const isTerm = ['op', 'and', 'or', 'not'].some((name) => Object.hasOwn(json, name))
  if (!isTerm && Object.values(json).some((value) => typeof value === 'object')) return undefined
  const text = isTerm ? serializeJson([json as JsonValue]) : formatTerms(json)
  return text.length <= longestValue ? text : undefined
}

/** Writes the filter that some fields equal some values. */
function formatTerms(values: Readonly<Record<string, unknown>>): string {
  const terms = Object.entries(values).map(([name, val]) => ({ name, op: 'eq', val }))
  // The values are parsed JSON.
  return serializeJson(terms as readonly JsonValue[])
}

/** `sort[name]=desc`, `where[name]=Ada` and `name__gt=5`. */
function findNestedForm(name: string, value: string): string | undefined {
  const [, sorted] = /^(?:sort|order)\[([^[\]]+)\]$/i.exec(name) ?? []
  if (sorted !== undefined)
    return formatParameter('sort', `${/^desc/i.test(value) ? '-' : ''}${sorted}`)
  const [, where] = /^(?:where|filters|search)(\[.+)$/i.exec(name) ?? []
  if (where !== undefined) return findFilterForm(`filter${where}`, value)
  const [, path, suffix = ''] = /^([a-z][\w.]*?)__([a-z]+_?)$/i.exec(name) ?? []
  const operator = toOperator(suffix)
  return path !== undefined && operator !== undefined
    ? formatParameter(`filter[${path.replaceAll('__', '.')}][${operator}]`, value)
    : undefined
}

/** A text that is more likely an operator than a field. */
const operatorName =
  /^(?:eq|ne|gt|ge|lt|le|in_|notin_|is_|isnot|between|(?:not)?i?like|startswith|endswith|match)$/

/** `filter[a][b][c]`: a path of fields, and maybe an operator. */
function findFilterForm(name: string, value: string): string | undefined {
  const parts = splitBrackets(name)
  if (parts?.some((part) => logical.test(part))) return formatLogical(parts, value)
  const filter = findFilterName(name)
  return filter && formatParameter(filter, value)
}

/** The names in the brackets of `filter[a][b][c]`; `undefined` for another parameter. */
function splitBrackets(name: string): readonly string[] | undefined {
  const [, brackets] = /^filter((?:\[[^[\]]*\])+)$/s.exec(name) ?? []
  const parts = brackets?.slice(1, -1).split('][')
  return parts?.[0] === '' ? undefined : parts
}

function findFilterName(name: string): string | undefined {
  const parts = splitBrackets(name)
  if (parts === undefined) return undefined
  const isList = /^\d*$/.test(parts.at(-1) ?? '')
  const path = isList ? parts.slice(0, -1) : parts
  const last = path.at(-1) ?? ''
  const operator = path.length < 2 ? undefined : toOperator(last)
  const fields = operator === undefined ? path : path.slice(0, -1)
  if (fields.length === 0 || fields.includes('')) return undefined
  if (fields.slice(1).some((field) => operatorName.test(field) || /^\d+$/.test(field)))
    return undefined
  return `filter[${fields.join('.')}]${operator ? `[${operator}]` : ''}${isList ? '[]' : ''}`
}

const logical = /^\$?(?:and|or|not)$/

/** `filter[or][0][year]=5`: a combination has no form but JSON. */
function formatLogical(parts: readonly string[], value: string): string {
  const combined = parts.find((part) => logical.test(part))?.replace('$', '') ?? 'and'
  const path = parts.filter((part) => !logical.test(part) && !/^\d*$/.test(part))
  const last = path.at(-1) ?? ''
  const op = path.length > 1 && operatorName.test(last) ? last : 'eq'
  const name = (op === last ? path.slice(0, -1) : path).join('__') || '<field>'
  const term = { name, op, val: value.slice(0, longestValue).toWellFormed() }
  const filter = { [combined]: combined === 'not' ? term : [term] }
  return `filter=${JSON.stringify([filter])}`
}

function findParameterForm(name: string, value: string): string | undefined {
  const plain = name.replace(/\[\d*\]$/, '')
  const [parameter] = Object.entries(parameterAliases).find(([, names]) => names.test(plain)) ?? []
  if (parameter === 'filter')
    return `filter=[{"name":"<field>","op":"match","val":${quote(value)}}]`
  return parameter && formatParameter(parameter, value)
}

/** The names of parameters on other servers, by the name of the same parameter here. */
const parameterAliases: Readonly<Record<string, RegExp>> = {
  'page[size]': /^(?:page\[limit\]|limit|per_?page|page_?size|first|size)$/i,
  'page[number]': /^(?:page|page\[page\]|page_?number)$/i,
  'page[after]': /^(?:after|cursor|page\[cursor\])$/,
  sort: /^(?:sort|order|order_?by|sort_?by|ordering)$/i,
  include: /^(?:include|includes|expand|with|populate)$/i,
  filter: /^(?:q|search|query)$/i,
}

/** The parameters without brackets, and the families. */
const plainNames = parameterNames.filter((name) => findParameterName(name))
const familyNames = parameterNames.filter(
  (name) => isParameterName(name) && getQueryParameter(name).brackets,
)

/** A parameter whose name is misspelled: `srot`, `Sort`, `field[person]`, `page[sise]`, `includePage[computers]`. */
function findTypoForm(name: string, value: string): string | undefined {
  const [, base = '', brackets = ''] = /^(\w{3,})((?:\[[^[\]]+\])*)$/.exec(name) ?? []
  if (base === '') return undefined
  if (brackets === '') {
    const plain = findNearest(base, plainNames)
    return plain && formatParameter(plain, value)
  }
  const family = findNearest(base, familyNames) ?? ''
  const isPage = family === 'page' || family === 'includePage'
  const members = brackets.slice(1, -1).split('][')
  const path = family === 'page' ? [] : members.slice(0, 1)
  const member = members[path.length] ?? (/^\d+$/.test(value) ? 'size' : 'after')
  const meant = isPage
    ? [...path, findNearest(member, pageMembers) ?? member].map((each) => `[${each}]`).join('')
    : brackets
  return findParameterName(family + meant) && formatParameter(family + meant, value)
}
