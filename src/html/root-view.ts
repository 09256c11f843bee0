import { isObject, type JsonValue } from '../model/json.ts'
import { type Html, h } from './element.ts'
import { findType, type PageContext } from './page-context.ts'
import { renderSignInForm } from './sign-in-form.ts'
import { renderValue } from './values.ts'

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
    renderSignInForm(context.found.challenge),
    typeof description === 'string' && h('p', null, description),
    renderMembers(others),
    h(
      'div',
      { class: 'scroll', role: 'region', 'aria-label': 'Resource types', tabIndex: 0 },
      h(
        'table',
        null,
        h('caption', { class: 'hidden' }, 'Resource types'),
        h(
          'thead',
          null,
          h(
            'tr',
            null,
            ['Type', 'Description', 'Resources'].map((title) => h('th', { scope: 'col' }, title)),
          ),
        ),
        h(
          'tbody',
          null,
          types.map(([name, about]) => renderType(context, name, about)),
        ),
      ),
    ),
  ]
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
  const needed = Object.entries(isObject(parameters) ? parameters : {}).filter(
    ([, each]) => isObject(each) && each.required === true,
  )
  const isCalled = needed.length > 0
  const count = context.request.counts?.get(name)
  const isCountedLater = count === undefined && !isCalled && findType(context, name) !== undefined
  const title = h('bdi', null, name)
  return h(
    'tr',
    null,
    h('th', { scope: 'row' }, isCalled ? title : h('a', { href: String(path) }, title)),
    h(
      'td',
      null,
      typeof description === 'string' && h('bdi', null, description),
      isCalled && renderCall(String(path), needed),
    ),
    h(
      'td',
      { class: 'count', 'data-count-of': isCountedLater ? String(path) : undefined },
      count?.toLocaleString('en') ?? '–',
    ),
  )
}

/** Renders the form of a list that needs parameters. It works without the script. */
function renderCall(path: string, needed: readonly (readonly [string, unknown])[]): Html {
  return h(
    'form',
    { action: path, method: 'get', class: 'row' },
    needed.map(([name, about]) =>
      h(
        'label',
        null,
        h('bdi', null, name),
        h('input', {
          name: `filter[${name}]`,
          placeholder: isObject(about) ? String(about.kind) : '',
          autocomplete: 'off',
        }),
      ),
    ),
    h('button', null, 'List'),
  )
}
