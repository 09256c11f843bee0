import type { RelationshipDescription, TypeDescription } from '../describe/describe-type.ts'
import type { ShownResource } from './document.ts'
import { type Html, h } from './element.ts'
import { toPlainText } from './markdown.ts'
import {
  findLabel,
  findType,
  type PageContext,
  toCollectionPath,
  toResourcePath,
} from './page-context.ts'
import { formatCount, renderRelationship } from './table.ts'
import { renderValue } from './values.ts'

/** Renders one resource: its attributes, its relationships, and the types that refer to it. */
export function renderResource(context: PageContext, shown: ShownResource): Html {
  const type = findType(context, shown.type)
  if (type === undefined) return null
  const label = findLabel(shown)
  return [
    h(
      'h1',
      null,
      renderName(context, shown),
      label !== undefined && [' ', h('small', null, h('bdi', null, label))],
    ),
    renderAttributes(shown, type),
    renderRelationships(context, shown, type),
    renderReferences(context, shown),
  ]
}

/** Renders type and id, as a link if the page has another address than the resource. */
function renderName(context: PageContext, shown: ShownResource): Html {
  const name = h('bdi', null, `${shown.type} ${shown.id}`)
  const href = toResourcePath(context, shown)
  return href === context.url.path ? name : h('a', { href }, name)
}

function renderAttributes({ attributes = {} }: ShownResource, type: TypeDescription): Html {
  const shown = type.attributes.filter(({ name }) => Object.hasOwn(attributes, name))
  if (shown.length === 0) return null
  return h(
    'dl',
    { class: 'attributes' },
    shown.map(({ name, description }) => [
      h('dt', { title: description && toPlainText(description) }, h('bdi', null, name)),
      h('dd', null, renderValue(attributes[name], 'complete')),
    ]),
  )
}

function renderRelationships(
  context: PageContext,
  { relationships = {} }: ShownResource,
  type: TypeDescription,
): Html {
  const shown = type.relationships.filter(({ name }) => Object.hasOwn(relationships, name))
  if (shown.length === 0) return null
  return [
    h('h2', null, 'Relationships'),
    h(
      'dl',
      { class: 'attributes' },
      shown.map((field) => {
        const { name, description } = field
        const { links = {}, meta, ...linkage } = relationships[name] ?? {}
        return [
          h('dt', { title: description && toPlainText(description) }, h('bdi', null, name)),
          h(
            'dd',
            null,
            linkage.data !== undefined &&
              h(
                'div',
                null,
                renderRelationship(context, name, { links, ...linkage, ...(meta && { meta }) }),
              ),
            h('a', { href: links.related }, `${nameRelated(field)}${formatCount(meta?.count)}`),
            ' · ',
            h('a', { href: links.self }, 'linkage'),
          ),
        ]
      }),
    ),
  ]
}

/** Names what the link `related` leads to. */
export function nameRelated({ many }: RelationshipDescription): string {
  return many ? 'related resources' : 'related resource'
}

/** Renders links to the resources that refer to this one by a relationship that this type does not declare itself. */
function renderReferences(context: PageContext, shown: ShownResource): Html {
  const references = listReferences(context, shown.type)
  if (references.length === 0) return null
  return [
    h('h2', null, 'Referenced by'),
    h(
      'ul',
      null,
      references.map(([from, field]) => {
        const path = toCollectionPath(context, from)
        const filter = JSON.stringify([{ name: `${field.name}__id`, op: 'eq', val: shown.id }])
        const href = `${path}?${new URLSearchParams({ filter })}`
        return h('li', null, h('a', { href }, `${from.type} by ${field.name}`))
      }),
    ),
  ]
}

function listReferences(
  { rights }: PageContext,
  type: string,
): (readonly [TypeDescription, RelationshipDescription])[] {
  const types = [...rights.described.types.values()].filter(({ isReadable }) => isReadable)
  return types.flatMap((from) =>
    from.relationships.flatMap((field) =>
      field.to === type && field.inverse === undefined ? [[from, field] as const] : [],
    ),
  )
}

/** Renders the page of a related resource that does not exist. */
export function renderAbsent(context: PageContext, name: string): Html {
  const { id, route } = context.routed
  const { target } = route
  const owner =
    target !== undefined && 'resource' in target ? { type: target.resource.type, id } : undefined
  return [
    h('h1', null, h('bdi', null, name)),
    h('p', null, 'No resource is related.'),
    owner &&
      h('p', null, h('a', { href: toResourcePath(context, owner) }, `${owner.type} ${owner.id}`)),
  ]
}
