import type { TypeDescription } from '../describe/describe-type.ts'
import { readArgumentText } from '../model/declare/parameter.ts'
import { isObject, type JsonValue } from '../model/kinds/json.ts'
import { type Html, h } from './element.ts'
import { renderMarkdown } from './markdown.ts'
import { findType, type PageContext } from './page-context.ts'
import { renderSignInForm } from './sign-in-form.ts'
import { renderValue } from './values.ts'

/** Created once: `toLocaleString` takes 0.2 ms for each number, and a model may have hundreds of types. */
const counts = new Intl.NumberFormat('en')

/**
 * Renders the root document: the resource types with their descriptions and counts. The script of the page adds the counts that the
 * server has not read in time. A list that needs parameters has a form instead of a link.
 */
export function renderRoot(context: PageContext): Html {
  const { resources, ...meta } = context.document.meta ?? {}
  const types = isObject(resources) ? Object.entries(resources) : []
  const { description, ...others } = meta
  return [
    h('h1', null, 'Resources'),
    renderSignInForm(context.routed.challenge),
    typeof description === 'string' && renderMarkdown(description),
    renderMembers(others),
    types.length === 0
      ? h('p', null, describeNoTypes(context))
      : renderTypes(types.map(([name, about]) => renderType(context, name, about))),
  ]
}

/** Says why there is no resource type: an identity has those that it may use. */
function describeNoTypes({ routed: { challenge } }: PageContext): string {
  return challenge === undefined
    ? 'There are no resource types that you may use.'
    : 'There are no resource types that you may use without credentials.'
}

function renderTypes(rows: readonly Html[]): Html {
  const head = ['Type', 'Description', 'Resources'].map((title) => h('th', { scope: 'col' }, title))
  return h(
    'div',
    { class: 'scroll', role: 'region', 'aria-label': 'Resource types', tabIndex: 0 },
    h(
      'table',
      null,
      h('caption', { class: 'hidden' }, 'Resource types'),
      h('thead', null, h('tr', null, head)),
      h('tbody', null, rows),
    ),
  )
}

function renderMembers(members: Readonly<Record<string, JsonValue>>): Html {
  const names = Object.keys(members)
  if (names.length === 0) return null
  return h(
    'dl',
    { class: 'meta' },
    names.map((name) => [
      h('dt', null, name),
      h('dd', null, renderValue(members[name], 'complete')),
    ]),
  )
}

function renderType(context: PageContext, name: string, about: unknown): Html {
  const { path, description, parameters }: Readonly<Record<string, unknown>> = isObject(about)
    ? about
    : {}
  const type = findType(context, name)
  const declared = Object.entries(isObject(parameters) ? parameters : {})
  const isCalled = declared.some(([, each]) => isRequired(each))
  const offered = declared.filter(([each, it]) => isRequired(it) || canBeLeftEmpty(type, each))
  const count = context.request.counts?.get(name)
  const isCountedLater = count === undefined && !isCalled && type !== undefined
  const title = h('bdi', null, name)
  return h(
    'tr',
    null,
    h('th', { scope: 'row' }, isCalled ? title : h('a', { href: String(path) }, title)),
    h(
      'td',
      null,
      typeof description === 'string' && renderMarkdown(description),
      offered.length > 0 && renderCall(String(path), offered),
    ),
    h(
      'td',
      { class: 'count', 'data-count-of': isCountedLater ? String(path) : undefined },
      count === undefined ? '–' : counts.format(count),
    ),
  )
}

/** Renders the form of a list that has parameters. It works without the script: an optional parameter that is empty is omitted. */
function renderCall(path: string, parameters: readonly (readonly [string, unknown])[]): Html {
  return h(
    'form',
    { action: path, method: 'get', class: 'row' },
    parameters.map(([name, about]) =>
      h(
        'label',
        null,
        h('bdi', null, name),
        h('input', {
          name: `filter[${name}]`,
          placeholder: describeParameter(about),
          autocomplete: 'off',
        }),
      ),
    ),
    h('button', null, 'List'),
  )
}

const isRequired = (about: unknown): boolean => isObject(about) && about.required === true

/** Whether the input of an optional parameter may be left empty: then the parameter is omitted, unless it has empty texts. */
function canBeLeftEmpty(type: TypeDescription | undefined, parameter: string): boolean {
  const declared = type?.parameters.find(({ name }) => name === parameter)
  return declared !== undefined && !('value' in readArgumentText(declared.kind, ''))
}

/** Describes the values of a parameter, and that it may be omitted. */
function describeParameter(about: unknown): string {
  const kind = isObject(about) ? String(about.kind) : ''
  return isRequired(about) ? kind : `${kind}, optional`
}
