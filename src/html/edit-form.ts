import { getNamed } from '../describe/describe-model.ts'
import type { RelationshipDescription, TypeDescription } from '../describe/describe-type.ts'
import type { JsonValue } from '../model/kinds/json.ts'
import type { ShownResource } from './document.ts'
import { type Html, h } from './element.ts'
import { renderIdInput, renderValueInput } from './inputs.ts'
import {
  getType,
  isAllowed,
  type PageContext,
  requireKey,
  toCollectionPath,
} from './page-context.ts'

/** Renders the form that creates a resource of a type at the address of the page. */
export function renderCreateForm(
  context: PageContext,
  { type, id, fields }: TypeDescription,
): Html {
  // The address of the form links the new resource.
  const { target } = context.routed.route
  const inverse =
    target?.is === 'related'
      ? getNamed(getType(context, target.resource.type).relationships, target.relationship.name)
          .inverse
      : undefined
  return h(
    'details',
    { class: 'panel scripted' },
    h('summary', null, `Create ${type}`),
    h(
      'form',
      {
        'data-method': 'POST',
        'data-action': context.url.path,
        'data-type': type,
        ...requireKey(context, type),
        novalidate: true,
        autocomplete: 'off',
      },
      id.fromClient !== 'forbidden' &&
        renderValueInput(
          {
            ...{ name: 'id', kind: id.kind },
            ...{ isRequired: id.fromClient === 'required', acceptsNull: false },
          },
          undefined,
          { pointer: '/data/id' },
        ),
      fields
        .filter(({ isCreatable }) => isCreatable)
        .map((field) => renderInput(field, undefined, field.name === inverse)),
      h('p', { class: 'form-error', role: 'alert' }),
      h('p', { class: 'actions' }, h('button', null, 'Create')),
    ),
  )
}

/** Renders the form that updates a resource; null if its route has no update, or the rules refuse it. */
export function renderUpdateForm(
  context: PageContext,
  described: TypeDescription,
  shown: ShownResource,
): Html {
  if (!isAllowed(context, 'PATCH')) return null
  const { type, id } = shown
  const canLink = ({ name }: RelationshipDescription) =>
    shown.relationships?.[name] !== undefined && context.rights.isReplaceable(name)
  const fields = described.fields.filter((field) => {
    if (!field.isUpdatable) return false
    // An empty input would look like a value that the fieldset has left out.
    if (field.is === 'attribute')
      return !field.isReadable || Object.hasOwn(shown.attributes ?? {}, field.name)
    return canLink(field)
  })
  return h(
    'details',
    { class: 'panel scripted' },
    h('summary', null, `Update ${type}`),
    h(
      'form',
      {
        ...{ 'data-method': 'PATCH', 'data-action': context.url.path, novalidate: true },
        ...{ 'data-type': type, 'data-id': id, autocomplete: 'off' },
        ...requireKey(context, type),
      },
      fields.map((field) =>
        field.is === 'relationship'
          ? renderRelationshipInput(field, {
              isNeeded: !field.acceptsNull,
              linkage: shown.relationships?.[field.name]?.links?.self,
            })
          : renderInput(field, shown.attributes?.[field.name]),
      ),
      h('p', { class: 'form-error', role: 'alert' }),
      h('p', { class: 'actions' }, h('button', null, 'Update')),
    ),
  )
}

/** Renders the form that deletes a resource; null if its route has no deletion, or the rules refuse it. */
export function renderDeleteForm(
  context: PageContext,
  described: TypeDescription,
  { type, id }: ShownResource,
): Html {
  if (!isAllowed(context, 'DELETE')) return null
  const next = toCollectionPath(context, described)
  return h(
    'details',
    { class: 'panel scripted' },
    h('summary', null, `Delete ${type}`),
    h(
      'form',
      {
        ...{ 'data-method': 'DELETE', 'data-action': context.url.path, 'data-next': next },
        ...requireKey(context, type),
      },
      h('p', null, `This deletes ${type} ${id}.${describeDeletion(context.deletion)}`),
      h('p', { class: 'form-error', role: 'alert' }),
      h('p', { class: 'actions' }, h('button', { class: 'danger' }, 'Delete')),
    ),
  )
}

/** Says what the database deletes and changes together with a resource. */
function describeDeletion(deletion: PageContext['deletion']): string {
  if (deletion === undefined) return ''
  if (deletion === 'many') return ' The database deletes or changes more than 1,000 others with it.'
  const sentences = (['deleted', 'updated'] as const).map((operation) => {
    const rows = deletion.filter((each) => each.operation === operation)
    const counts = rows.map(({ type, count }) => `${count} ${type}`).join(', ')
    const verb = operation === 'deleted' ? 'deletes' : 'changes'
    return rows.length === 0 ? '' : ` With it, the database ${verb}: ${counts}.`
  })
  return sentences.join('')
}

/** @param isLinked - whether a relationship is set already */
function renderInput(
  field: TypeDescription['fields'][number],
  value: JsonValue | undefined,
  isLinked = false,
): Html {
  if (field.is === 'relationship')
    return renderRelationshipInput(field, { isNeeded: field.isRequired && !isLinked })
  return renderValueInput(field, value, { pointer: `/data/attributes/${field.name}` })
}

/** @param linkage - the address from which the script loads what is linked; absent for a new resource */
function renderRelationshipInput(
  { name, to, many, description }: RelationshipDescription,
  { isNeeded, linkage }: Readonly<{ isNeeded: boolean; linkage?: string | undefined }>,
): Html {
  const rules = many ? `ids of ${to}, one per line` : `id of ${to}${isNeeded ? ', required' : ''}`
  const [label, pointer] = [`${name} (${rules})`, `/data/relationships/${name}`]
  return renderIdInput({ name, label, description, to, pointer, many, isNeeded, linkage })
}
