import { quote } from '../errors/quote.ts'

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

/** What to send in place of a parameter that does not exist, as the end of an error's sentence; `undefined` if nothing is known. */
export function describeRemedy(name: string, value: string): string | undefined {
  const form = findFilterForm(name, value) ?? findParameterForm(name, value)
  return form === undefined ? undefined : `send ${form} instead`
}

/** A text that is more likely an operator than a field. */
const operatorName =
  /^(?:eq|ne|gt|ge|lt|le|in_|notin_|is_|isnot|between|(?:not)?i?like|startswith|endswith|match)$/

/** `filter[a][b][c]`: a path of fields, and maybe an operator. */
function findFilterForm(name: string, value: string): string | undefined {
  const [, brackets] = /^filter((?:\[[^[\]]*\])+)$/s.exec(name) ?? []
  const parts = brackets?.slice(1, -1).split('][')
  if (parts === undefined || parts[0] === '') return undefined
  const isList = /^\d*$/.test(parts.at(-1) ?? '')
  const path = isList ? parts.slice(0, -1) : parts
  const last = path.at(-1) ?? ''
  const operator = !operatorName.test(last) || path.length < 2 ? '' : `[${last}]`
  const fields = operator === '' ? path : path.slice(0, -1)
  if (fields.length === 0 || fields.includes('')) return undefined
  return formatParameter(`filter[${fields.join('.')}]${operator}${isList ? '[]' : ''}`, value)
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
  'page[number]': /^page$/,
  'page[after]': /^(?:after|cursor|page\[cursor\])$/,
  sort: /^(?:sort|order|order_?by|sort_?by|ordering)$/i,
  include: /^(?:include|includes|expand|with|populate)$/i,
  filter: /^(?:q|search|query)$/i,
}
