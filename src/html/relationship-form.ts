import type { RelationshipDescription } from '../describe/describe-type.ts'
import type { ShownIdentifier } from './document.ts'
import { type Html, h } from './element.ts'
import { renderIdInput } from './inputs.ts'
import type { PageContext } from './page-context.ts'

/** Renders the form that links another resource: it replaces the one of a to-one relationship, and adds to a to-many one. */
export function renderIdentifierForm({ url }: PageContext, field: RelationshipDescription): Html {
  const method = field.many ? 'POST' : 'PATCH'
  const label = field.many ? `Add ${field.to} by id` : `Set ${field.to} by id`
  return h(
    'form',
    {
      class: 'panel scripted',
      'data-method': method,
      'data-action': url.path,
      'data-linkage': field.many ? 'many' : 'one',
    },
    renderIdInput({ name: 'id', label, to: field.to, pointer: '/data' }),
    h('p', { class: 'form-error', role: 'alert' }),
    h('p', { class: 'actions' }, h('button', null, field.many ? 'Add' : 'Set')),
  )
}

/** Renders the button that removes a resource from a relationship. */
export function renderRemoveButton(
  { url }: PageContext,
  { many, name }: RelationshipDescription,
  { type, id }: ShownIdentifier,
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
      'aria-label': `Remove ${type} ${id} from ${name}`,
    },
    'Remove',
  )
}
