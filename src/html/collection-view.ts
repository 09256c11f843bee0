import type { RelationshipDescription, TypeDescription } from '../describe/describe-type.ts'
import { renderActionForms } from './action-forms.ts'
import { isArray, listData, type ShownIdentifier, type ShownResource } from './document.ts'
import { renderCreateForm } from './edit-form.ts'
import { type Html, h } from './element.ts'
import { renderIdInput } from './inputs.ts'
import { renderMarkdown } from './markdown.ts'
import { findType, isAllowed, type PageContext, requireKey } from './page-context.ts'
import { getParameter } from './page-url.ts'
import { renderFilters, renderQueryForm } from './query-form.ts'
import { nameRelated } from './resource-view.ts'
import { maxRows, renderIdentifier, renderOmission, renderTable } from './table.ts'

/** The included resources of each type that a page shows, however many primary ones it has. */
const minIncluded = 20

/** Renders a collection, or the related resources of a to-many relationship. */
export function renderCollection(context: PageContext, type: TypeDescription): Html {
  const { document } = context
  const rows = listData(document)
  const { target } = context.routed.route
  const isRelated = target?.is === 'related'
  const title = isRelated ? target.relationship.name : type.type
  return [
    h('h1', null, h('bdi', null, title), ' ', h('small', null, formatTotal(document.meta))),
    !isRelated && type.description !== undefined && renderMarkdown(type.description),
    // Of a type that the identity never reads the list is empty, and its fields are not named.
    type.isReadable && renderQueryForm(context, type),
    renderFilters(context),
    rows.length === 0
      ? h('p', null, describeEmptyPage(context))
      : renderTable(context, type, rows, { caption: title, isSortable: true, maxRows }),
    renderPager(context),
    renderIncluded(context),
    isAllowed(context, 'POST') && renderCreateForm(context, type),
    !isRelated && renderActionForms(context, { type, on: 'collection', path: context.url.path }),
  ]
}

function formatCount(count: unknown): string {
  return count === 1 ? '1 resource' : `${Number(count).toLocaleString('en')} resources`
}

/** Says how many resources all pages have; a page between cursors may not know it. */
function formatTotal(meta: PageContext['document']['meta']): string {
  if (meta?.page === undefined || meta.count !== undefined) return formatCount(meta?.count)
  return 'estimatedTotal' in Object(meta.page) ? 'more than 10,000 resources' : ''
}

/** Says why a page has no resource. */
function describeEmptyPage({ document: { meta = {} }, url }: PageContext): string {
  if (meta.count !== 0) return 'This page has no resources.'
  const isFiltered = url.pairs.some(([name]) => name === 'filter' || name.startsWith('filter['))
  return isFiltered ? 'No resource matches the filter.' : 'There are no resources.'
}

/** The links of a list in the order of the page, and their texts. */
const pageLinks = [
  ['first', 'First'],
  ['prev', 'Previous'],
  ['next', 'Next'],
  ['last', 'Last'],
] as const

/** Renders the links between the pages of a list. */
function renderPager({ document, url }: PageContext): Html {
  const { links = {} } = document
  const isByCursor = document.meta?.page !== undefined
  const present = pageLinks.filter(([name]) => typeof links[name] === 'string')
  if (present.length === 0) return null
  const last = new URLSearchParams(links.last?.split('?')[1]).get('page[number]')
  const number = getParameter(url, 'page[number]') ?? '1'
  return h(
    'nav',
    { class: 'pager', 'aria-label': 'Pages' },
    !isByCursor && h('span', null, `Page ${number} of ${last}`),
    present.map(([name, text]) => h('a', { href: links[name], rel: name }, text)),
  )
}

/** Renders the included resources, a table for each type. */
export function renderIncluded(context: PageContext): Html {
  const { included = [] } = context.document
  const byType = Map.groupBy(included, ({ type }: ShownResource) => type)
  const rowsLeft = maxRows - Math.min(listData(context.document).length, maxRows)
  const maxIncluded = Math.max(Math.floor(rowsLeft / byType.size), minIncluded)
  return [...byType].map(([type, rows]) => {
    const described = findType(context, type)
    const caption = `Included: ${type}`
    return (
      described && [
        h('h2', null, h('bdi', null, caption)),
        renderTable(context, described, rows, { caption, isSortable: false, maxRows: maxIncluded }),
      ]
    )
  })
}

/** Renders the linkage of a relationship, and the forms that change it. */
export function renderLinkage(context: PageContext, field: RelationshipDescription): Html {
  const { data, links = {} } = context.document
  const members: readonly ShownIdentifier[] =
    data === undefined || data === null ? [] : isArray<ShownIdentifier>(data) ? data : [data]
  const isChangeable = isAllowed(context, 'PATCH')
  const { target } = context.routed.route
  const key = target?.is === 'relationship' ? requireKey(context, target.resource.type) : {}
  return [
    h('h1', null, 'Linkage of ', h('bdi', null, field.name)),
    h('p', null, h('a', { href: links.related }, nameRelated(field))),
    members.length === 0
      ? h('p', null, field.many ? 'No resource is linked.' : 'null')
      : h(
          'ul',
          { class: 'members' },
          members
            .slice(0, maxRows)
            .map((each) =>
              h(
                'li',
                null,
                renderIdentifier(context, each),
                isChangeable &&
                  field.isRemovable &&
                  context.rights.isMemberLinkable(each.id) &&
                  renderRemoveButton(context, field, { identifier: each, key }),
              ),
            ),
        ),
    renderOmission(members.length - maxRows),
    renderPager(context),
    isChangeable && renderIdentifierForm(context, field, key),
    renderIncluded(context),
  ]
}

/** Renders the form that links another resource: it replaces the one of a to-one relationship, and adds to a to-many one. */
function renderIdentifierForm(
  { url }: PageContext,
  field: RelationshipDescription,
  key: ReturnType<typeof requireKey>,
): Html {
  const method = field.many ? 'POST' : 'PATCH'
  const label = field.many ? `Add ${field.to} by id` : `Set ${field.to} by id`
  return h(
    'form',
    {
      class: 'panel scripted',
      'data-method': method,
      'data-action': url.path,
      'data-linkage': field.many ? 'many' : 'one',
      ...key,
    },
    renderIdInput({ name: 'id', label, to: field.to, pointer: '/data' }),
    h('p', { class: 'form-error', role: 'alert' }),
    h('p', { class: 'actions' }, h('button', null, field.many ? 'Add' : 'Set')),
  )
}

/** Renders the button that removes a resource from a relationship. */
function renderRemoveButton(
  { url }: PageContext,
  { many, name }: RelationshipDescription,
  {
    identifier: { type, id },
    key,
  }: Readonly<{ identifier: ShownIdentifier; key: ReturnType<typeof requireKey> }>,
): Html {
  const data = many ? [{ type, id }] : null
  return h(
    'button',
    {
      type: 'button',
      class: 'scripted small',
      'data-send': many ? 'DELETE' : 'PATCH',
      'data-action': url.path,
      'data-body': JSON.stringify({ data }),
      ...key,
      'aria-label': `Remove ${type} ${id} from ${name}`,
    },
    'Remove',
  )
}
