import type { TypeDescription } from '../describe/describe-type.ts'
import type { JsonValue } from '../model/kinds/json.ts'
import {
  isArray,
  type ShownIdentifier,
  type ShownRelationship,
  type ShownResource,
} from './document.ts'
import { type Html, h } from './element.ts'
import { toPlainText } from './markdown.ts'
import { findIncluded, findLabel, type PageContext, toResourcePath } from './page-context.ts'
import { formatVariant, getParameter, withParameter } from './page-url.ts'
import { renderValue, toWrapClass } from './values.ts'

/** The columns that a table has unless the request names fields: more columns make a page unreadable. */
const maxColumns = 40
/** The related resources that a cell names. */
const maxLinks = 5
/** The rows of all tables of a page: more take too long to render, and other requests wait meanwhile. */
export const maxRows = 500

/** What differs between the tables of a page. */
interface TableOptions {
  readonly caption: string
  /** True if a click on a column sorts the resources. */
  readonly isSortable: boolean
  /** Further resources are left out. */
  readonly maxRows: number
}

/** Renders resources of one type as a table: a column for the id, and for each field that the document shows. */
export function renderTable(
  context: PageContext,
  type: TypeDescription,
  rows: readonly ShownResource[],
  { caption, isSortable, maxRows }: TableOptions,
): Html {
  const shownRows = rows.slice(0, maxRows)
  const fields = listColumns(type, shownRows)
  const shown = fields.slice(0, maxColumns)
  return [
    h(
      'div',
      { class: 'scroll', role: 'region', 'aria-label': caption, tabIndex: 0 },
      h(
        'table',
        null,
        h('caption', { class: 'hidden' }, caption),
        h(
          'thead',
          null,
          h(
            'tr',
            null,
            [idColumn, ...shown].map((field) => renderHead(context, field, isSortable)),
          ),
        ),
        h(
          'tbody',
          null,
          shownRows.map((row) => renderRow(context, row, shown)),
        ),
      ),
    ),
    renderOmission(rows.length - shownRows.length),
    fields.length > shown.length &&
      h(
        'p',
        null,
        `The table has ${shown.length} of ${fields.length} fields. Choose others in “Fields”.`,
      ),
  ]
}

/** Says how many resources a page leaves out. */
export function renderOmission(count: number): Html {
  if (count <= 0) return null
  return h('p', null, `${count} more are not shown; choose a smaller page[size], or load the JSON.`)
}

/** Lists the fields that at least one resource has. */
function listColumns(
  { fields }: TypeDescription,
  rows: readonly ShownResource[],
): readonly ShownField[] {
  const names = new Set(
    rows.flatMap(({ attributes, relationships }) => [
      ...Object.keys(attributes ?? {}),
      ...Object.keys(relationships ?? {}),
    ]),
  )
  return fields.filter(({ name }) => names.has(name))
}

/** A field that has a column. */
type ShownField = TypeDescription['fields'][number]

/** The head of a column. */
type ColumnHead =
  | Pick<Extract<ShownField, { is: 'attribute' }>, 'is' | 'name' | 'description' | 'isSortable'>
  | Extract<ShownField, { is: 'relationship' }>

/** Every list can be sorted by id. */
const idColumn: ColumnHead = {
  ...{ is: 'attribute', name: 'id', description: undefined, isSortable: true },
}

function renderHead(context: PageContext, field: ColumnHead, isSortable: boolean): Html {
  const { name, description } = field
  const label = h('bdi', { class: toWrapClass(name) }, name)
  const isSorted = isSortable && field.is === 'attribute' && field.isSortable
  const attributes = { scope: 'col', title: description && toPlainText(description) }
  if (!isSorted) return h('th', attributes, label)
  const sort = getParameter(context.url, 'sort')
  const [state, next] = sortStates(name)[sort ?? ''] ?? ['none', name]
  const href = formatVariant(withParameter(context.url, 'sort', next))
  const mark = { none: '', ascending: ' ▲', descending: ' ▼' }[state]
  return h(
    'th',
    { ...attributes, 'aria-sort': state },
    href === undefined
      ? label
      : h('a', { href }, label, h('span', { 'aria-hidden': 'true' }, mark)),
  )
}

/** The order of a column by the parameter `sort`, and the parameter after a click. */
function sortStates(
  name: string,
): Readonly<Record<string, readonly ['ascending' | 'descending', string | undefined]>> {
  return { [name]: ['ascending', `-${name}`], [`-${name}`]: ['descending', undefined] }
}

function renderRow(context: PageContext, row: ShownResource, fields: readonly ShownField[]): Html {
  const href = toResourcePath(context, row)
  return h(
    'tr',
    null,
    h('th', { scope: 'row' }, h('a', { href }, h('bdi', null, row.id))),
    fields.map((field) =>
      h(
        'td',
        null,
        field.is === 'relationship'
          ? renderRelationship(context, field.name, row.relationships?.[field.name])
          : renderValue(row.attributes?.[field.name], 'brief'),
      ),
    ),
  )
}

/** Renders the linkage of a relationship, or without linkage a link to the related resources. */
export function renderRelationship(
  context: PageContext,
  name: string,
  relationship: ShownRelationship | undefined,
): Html {
  if (relationship === undefined) return null
  const { data, links, meta } = relationship
  const count = formatCount(meta?.count)
  const all = h('a', { href: links?.related }, h('bdi', null, name), count)
  if (data === undefined) return all
  if (data === null) return h('span', { class: 'null' }, 'null')
  const members = isArray<ShownIdentifier>(data) ? data : [data]
  if (members.length === 0) return h('span', { class: 'null' }, 'none')
  const more = members.length - maxLinks
  return h(
    'ul',
    { class: 'links' },
    members.slice(0, maxLinks).map((each) => h('li', null, renderIdentifier(context, each))),
    more > 0 && h('li', null, h('a', { href: links?.related }, `and ${more} more`)),
    renderMoreMembers(relationship, members.length),
  )
}

/** Renders a link to the next members of a relationship of which a page is listed; nothing if there are no more. */
function renderMoreMembers({ links, meta }: ShownRelationship, listed: number): Html {
  if (!meta?.page?.hasMore) return null
  const { count } = meta
  const text =
    typeof count === 'number'
      ? `${listed.toLocaleString('en')} of ${count.toLocaleString('en')}`
      : 'more'
  return h('li', null, h('a', { href: links?.next ?? links?.related }, text))
}

/** Formats the number of related resources behind a name, e.g. ` (27)`; empty if they are not counted. */
export function formatCount(count: JsonValue | undefined): string {
  return typeof count === 'number' ? ` (${count.toLocaleString('en')})` : ''
}

/** Renders a resource identifier as a link. The text is its label if the resource is included, else type and id. */
export function renderIdentifier(context: PageContext, identifier: ShownIdentifier): Html {
  const { type, id } = identifier
  const label = findLabel(findIncluded(context, identifier))
  const text = label === undefined ? `${type} ${id}` : `${label} (${id})`
  const href = toResourcePath(context, identifier)
  return h('a', { href }, h('bdi', { class: toWrapClass(text) }, text))
}
