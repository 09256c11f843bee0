import type { ParameterDescription, TypeDescription } from '../describe/describe-type.ts'
import { isObject, parseExactJson } from '../model/kinds/json.ts'
import { type Html, h } from './element.ts'
import { findType, getType, type PageContext } from './page-context.ts'
import { formatVariant, getParameter, withoutPair } from './page-url.ts'

/** The fields of a type that are offered one by one; more are typed as a list. */
const maxChoices = 100
/** The relationships of an include path that is offered. */
const maxDepth = 2

/**
 * Renders the form for the parameters of a list. The script of the page builds the filter, and writes each parameter as JSON:API
 * has it; without the script the form is hidden.
 */
export function renderQueryForm(context: PageContext, type: TypeDescription): Html {
  const { url } = context
  const text = (name: string, label: string, hint: string) =>
    h(
      'label',
      null,
      label,
      h('input', {
        name,
        value: getParameter(url, name) ?? '',
        placeholder: hint,
        autocomplete: 'off',
        'aria-describedby': 'query-error',
      }),
    )
  return h(
    'details',
    { class: 'panel scripted', 'data-query': type.type },
    h('summary', null, 'Filter, sort, include, fields'),
    h(
      'form',
      { action: url.path, method: 'get', autocomplete: 'off' },
      h(
        'fieldset',
        { 'data-filter': getParameter(url, 'filter') ?? '' },
        h('legend', null, 'Filter'),
      ),
      renderParameters(type, text),
      h(
        'div',
        { class: 'row' },
        text('sort', 'Sort', formatSortHint(type)),
        text('page[size]', 'Resources per page', String(context.rights.described.pageSize)),
      ),
      renderIncludePicker(context, type),
      renderCountPicker(context, type),
      listShownTypes(context, type).map((each) => renderFieldPicker(context, each)),
      h('p', { class: 'form-error', id: 'query-error', role: 'alert' }),
      h('p', { class: 'actions' }, h('button', null, 'Apply'), h('a', { href: url.path }, 'Reset')),
    ),
  )
}

/** Formats an example of the parameter `sort` with attributes of the type, e.g. `-birth_date,name`. */
function formatSortHint({ attributes }: TypeDescription): string {
  const sortable = attributes.filter(({ isSortable }) => isSortable)
  const [first = 'id', second] = sortable.map(({ name }) => name)
  return second === undefined ? `-${first}` : `-${second},${first}`
}

/** Renders an input for each parameter of a table function. */
function renderParameters(
  { parameters }: TypeDescription,
  text: (name: string, label: string, hint: string) => Html,
): Html {
  if (parameters.length === 0) return null
  return h(
    'div',
    { class: 'row' },
    parameters.map((parameter) =>
      text(`filter[${parameter.name}]`, parameter.name, describeParameter(parameter)),
    ),
  )
}

/** Describes the values of a parameter, and that it may be omitted. */
function describeParameter({ kind, isRequired }: ParameterDescription): string {
  return isRequired ? kind.name : `${kind.name}, optional`
}

/** Lists the type of the resources, and those of the included ones. */
function listShownTypes(context: PageContext, type: TypeDescription): readonly TypeDescription[] {
  const { included = [] } = context.document
  const types = included.map((each) => findType(context, each.type))
  return [...new Set([type, ...types])].filter((type) => type !== undefined)
}

function renderIncludePicker(context: PageContext, type: TypeDescription): Html {
  const chosen = splitList(getParameter(context.url, 'include'))
  const offered = listPaths(context, type, maxDepth)
  const paths = [...new Set([...offered, ...chosen])]
  if (paths.length === 0) return null
  if (paths.length > maxChoices) return renderNameInput('include', 'Include', chosen)
  return renderChoices('include', 'Include', paths, chosen)
}

/** Renders the choice of the relationships whose related resources are counted. */
function renderCountPicker(context: PageContext, { relationships }: TypeDescription): Html {
  const names = relationships.flatMap(({ name, isCounted }) => (isCounted ? [name] : []))
  if (names.length === 0) return null
  return renderChoices(
    'withCount',
    'Count',
    names,
    splitList(getParameter(context.url, 'withCount')),
  )
}

function listPaths(
  context: PageContext,
  { relationships }: TypeDescription,
  depth: number,
): string[] {
  return relationships.flatMap(({ name, to }) => {
    const deeper = depth > 1 ? listPaths(context, getType(context, to), depth - 1) : []
    return [name, ...deeper.map((path) => `${name}.${path}`)]
  })
}

function renderFieldPicker(context: PageContext, { type, fields }: TypeDescription): Html {
  const name = `fields[${type}]`
  const label = `Fields of ${type}`
  const names = fields
    .filter((field) => field.is === 'relationship' || field.isReadable)
    .map((field) => field.name)
  const value = getParameter(context.url, name)
  if (names.length > maxChoices) return renderNameInput(name, label, splitList(value))
  return renderChoices(name, label, names, value === undefined ? names : splitList(value))
}

function renderChoices(
  name: string,
  label: string,
  values: readonly string[],
  chosen: readonly string[],
): Html {
  return h(
    'fieldset',
    { class: 'choices', 'data-list': name },
    h('legend', null, h('bdi', null, label)),
    values.map((value) =>
      h(
        'label',
        null,
        h('input', { type: 'checkbox', value, checked: chosen.includes(value) }),
        ' ',
        h('bdi', null, value),
      ),
    ),
  )
}

function renderNameInput(name: string, label: string, chosen: readonly string[]): Html {
  return h(
    'label',
    null,
    h('bdi', null, label),
    h('input', {
      name,
      value: chosen.join(','),
      placeholder: 'all',
      'aria-describedby': 'query-error',
    }),
  )
}

/** Splits a list of names, each once. */
function splitList(value: string | undefined): string[] {
  return [...new Set((value ?? '').split(',').filter((part) => part !== ''))]
}

/** The filters that a page shows one by one. */
const maxFilters = 20

/** Renders the filters of a page in words, each with a link that removes it. */
export function renderFilters({ url }: PageContext): Html {
  const filters = [...url.pairs.entries()].filter(
    ([, [name]]) => name === 'filter' || name.startsWith('filter['),
  )
  if (filters.length === 0) return null
  const more = filters.length - maxFilters
  return h(
    'ul',
    { class: 'filters', 'aria-label': 'Filters' },
    filters.slice(0, maxFilters).map(([index, [name, value]]) => {
      const text = describeFilter(name, value)
      const href = formatVariant(withoutPair(url, index))
      const remove = href && [' ', h('a', { href, 'aria-label': `Remove ${text}` }, '✕')]
      return h('li', null, h('bdi', null, text), remove)
    }),
    more > 0 && h('li', null, `and ${more} more`),
  )
}

/** Describes a filter parameter in words, e.g. `computers any (serial startswith "VAX")`. It never fails. */
function describeFilter(name: string, value: string): string {
  if (name !== 'filter') return `${name.slice('filter['.length, -1)} eq ${JSON.stringify(value)}`
  try {
    const clauses = parseExactJson(value)
    return Array.isArray(clauses) ? joinClauses(clauses, 'and') : value
  } catch {
    return value
  }
}

function joinClauses(clauses: readonly unknown[], word: string): string {
  return clauses.map((clause) => describeClause(clause)).join(` ${word} `)
}

function describeClause(clause: unknown): string {
  if (!isObject(clause)) return JSON.stringify(clause)
  const { and, or, not, name, op, val, field } = clause
  if (Array.isArray(and)) return `(${joinClauses(and, 'and')})`
  if (Array.isArray(or)) return `(${joinClauses(or, 'or')})`
  if (not !== undefined) return `not ${describeClause(not)}`
  if (typeof name !== 'string') return JSON.stringify(clause)
  const operand = isObject(val) ? `(${describeClause(val)})` : JSON.stringify(val ?? null)
  return `${name} ${String(op)} ${typeof field === 'string' ? field : operand}`
}
