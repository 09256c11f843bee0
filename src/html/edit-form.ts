import { type JsonValue, serializeJson } from '../model/json.ts'
import type { AttributeField, Field, RelationshipField, ResourceType } from '../model/model.ts'
import type { ShownResource } from './document.ts'
import { type Html, h } from './element.ts'
import { isAllowed, listFields, type PageContext, toCollectionPath } from './page-context.ts'

/** Renders the form that creates a resource of a type at the address of the page. */
export function renderCreateForm(context: PageContext, resource: ResourceType): Html {
  const { type, ids } = resource
  const fields = listFields(context, resource)
  const isWritable = (field: Field) => field.is !== 'computed' && field.isWritable
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
        novalidate: true,
      },
      ids.fromClient !== 'forbidden' &&
        renderAttributeInput(
          { ...resource.id, required: ids.fromClient === 'required' },
          undefined,
          '/data/id',
        ),
      fields.filter(isWritable).map((field) => renderInput(field, undefined)),
      h('p', { class: 'form-error', role: 'alert' }),
      h('p', { class: 'actions' }, h('button', null, 'Create')),
    ),
  )
}

/** Renders the form that updates a resource; null if its route or the rules for the identity have no update. */
export function renderUpdateForm(
  context: PageContext,
  resource: ResourceType,
  shown: ShownResource,
): Html {
  if (!isAllowed(context, 'PATCH', 'update', resource)) return null
  const { type, id } = shown
  const canRelate = context.view.isAllowed(type, 'relate')
  const fields = listFields(context, resource).filter((field) =>
    field.is === 'relationship'
      ? canRelate && field.isWritable && shown.relationships?.[field.name] !== undefined
      : field.is === 'attribute' && field.isWritable && !field.isImmutable,
  )
  return h(
    'details',
    { class: 'panel scripted' },
    h('summary', null, `Update ${type}`),
    h(
      'form',
      {
        ...{ 'data-method': 'PATCH', 'data-action': context.url.path, novalidate: true },
        ...{ 'data-type': type, 'data-id': id },
      },
      fields.map((field) =>
        field.is === 'relationship'
          ? renderRelationshipInput(field, shown.relationships?.[field.name]?.links?.self)
          : renderInput(field, shown.attributes?.[field.name]),
      ),
      h('p', { class: 'form-error', role: 'alert' }),
      h('p', { class: 'actions' }, h('button', null, 'Update')),
    ),
  )
}

/** Renders the form that deletes a resource; null if its route or the rules for the identity have no deletion. */
export function renderDeleteForm(
  context: PageContext,
  resource: ResourceType,
  { type, id }: ShownResource,
): Html {
  if (!isAllowed(context, 'DELETE', 'delete', resource)) return null
  const next = toCollectionPath(context, resource)
  return h(
    'details',
    { class: 'panel scripted' },
    h('summary', null, `Delete ${type}`),
    h(
      'form',
      { 'data-method': 'DELETE', 'data-action': context.url.path, 'data-next': next },
      h('p', null, `This deletes ${type} ${id}.`),
      h('p', { class: 'form-error', role: 'alert' }),
      h('p', { class: 'actions' }, h('button', { class: 'danger' }, 'Delete')),
    ),
  )
}

function renderInput(field: Field, value: JsonValue | undefined): Html {
  if (field.is === 'relationship') return renderRelationshipInput(field)
  return (
    field.is === 'attribute' && renderAttributeInput(field, value, `/data/attributes/${field.name}`)
  )
}

/** @param linkage - the address from which the script loads what is linked; absent for a new resource */
function renderRelationshipInput({ name, to, many }: RelationshipField, linkage?: string): Html {
  const label = many ? `${name} (ids of ${to}, one in a line)` : `${name} (id of ${to})`
  return renderIdInput({ name, label, to, pointer: `/data/relationships/${name}`, many, linkage })
}

/** Renders the input of an id. The script of the page suggests resources of the type. */
export function renderIdInput({
  name,
  label,
  to,
  pointer,
  many = false,
  linkage,
}: Readonly<{
  name: string
  label: string
  to: string
  pointer: string
  many?: boolean
  linkage?: string | undefined
}>): Html {
  const loaded = linkage !== undefined && { 'data-linkage-at': linkage, disabled: true }
  const common = { name, 'data-to': to, autocomplete: 'off', ...loaded }
  return renderField(pointer, label, (id) =>
    many
      ? h('textarea', { ...common, id, 'data-as': 'ids', rows: 1 })
      : h('input', { ...common, id, 'data-as': 'id' }),
  )
}

function renderAttributeInput(
  field: AttributeField,
  value: JsonValue | undefined,
  pointer: string,
): Html {
  const { name, kind, required } = field
  const { type, enum: choices } = kind.schema
  const label = `${name} (${kind.name}${required ? ', required' : ''})`
  const common = { name, 'data-as': toSentAs(type), required }
  return renderField(pointer, label, (id) => {
    if (Array.isArray(choices) || type === 'boolean') {
      const values = Array.isArray(choices) ? choices.map(String) : ['true', 'false']
      return renderSelect({ ...common, id }, values, value)
    }
    const text = value === undefined || value === null ? '' : formatInput(value)
    const input = inputTypes[kind.name]
    const element =
      input === undefined
        ? h('textarea', { ...common, id, rows: 1 }, text)
        : h('input', { ...common, id, type: input, value: text, autocomplete: 'off' })
    const isNullable = !required && common['data-as'] === 'string' && input === undefined
    return [element, isNullable && renderNullBox(name, value === null)]
  })
}

/** The types of inputs by kind; other kinds have a text area. */
const inputTypes: Readonly<Record<string, string>> = {
  ...{ id: 'text', uuid: 'text', integer: 'text', number: 'text', decimal: 'text', time: 'text' },
  ...{ integer64: 'text', datetime: 'text', date: 'date', email: 'email', url: 'url' },
}

/** Returns how the script converts the text of an input: `number`, `boolean`, `json` or `string`. */
function toSentAs(type: unknown): string {
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean' || type === 'string') return type
  return Array.isArray(type) || type === 'array' ? 'json' : 'string'
}

function formatInput(value: JsonValue): string {
  return typeof value === 'string' ? value : serializeJson(value)
}

function renderSelect(
  attributes: Readonly<Record<string, string | boolean>>,
  values: readonly string[],
  value: JsonValue | undefined,
): Html {
  const current = value === undefined || value === null ? '' : String(value)
  return h(
    'select',
    attributes,
    ['', ...values].map((each) => h('option', { value: each, selected: each === current }, each)),
  )
}

/** A text that is empty differs from null. */
function renderNullBox(name: string, isNull: boolean): Html {
  return h(
    'label',
    { class: 'null-box' },
    h('input', { type: 'checkbox', 'data-null': name, checked: isNull }),
    ' null',
  )
}

/** Renders a label, an input and the place for its error. */
function renderField(pointer: string, label: string, renderControl: (id: string) => Html): Html {
  const id = `field-${encodeURIComponent(pointer).replaceAll('%', '_')}`
  return h(
    'div',
    { class: 'field', 'data-pointer': pointer },
    h('label', { for: id }, h('bdi', null, label)),
    renderControl(id),
    h('p', { class: 'field-error', id: `${id}-error` }),
  )
}
