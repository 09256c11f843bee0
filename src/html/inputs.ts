import { type JsonValue, serializeJson } from '../model/kinds/json.ts'
import type { Kind } from '../model/kinds/kinds.ts'
import { type Html, h } from './element.ts'
import { renderMarkdown } from './markdown.ts'
import { findValueHint } from './values.ts'

/** The value of an input: an attribute, or a parameter of an action. */
interface InputValue {
  readonly name: string
  readonly kind: Kind<unknown>
  /** Whether a value must be sent. */
  readonly isRequired: boolean
  /** Whether null can be sent. */
  readonly acceptsNull: boolean
  readonly description?: string | undefined
}

/** Where the value of an input is in the document that a form sends. */
interface InputPosition {
  /** A JSON Pointer. */
  readonly pointer: string
  /** Distinguishes forms whose documents have equal pointers. Default: none. */
  readonly form?: string
}

/** The texts beside an input. */
interface InputTexts {
  readonly label: string
  readonly description?: string | undefined
}

/** The input of one id, or of several. */
interface IdInput {
  readonly name: string
  readonly label: string
  readonly description?: string | undefined
  /** The type of the resources. */
  readonly to: string
  readonly pointer: string
  readonly many?: boolean
  /** Whether it must not be empty. Default false. */
  readonly isNeeded?: boolean
  /** The address from which the script loads what is linked; absent for a new resource. */
  readonly linkage?: string | undefined
}

/** Renders the input of an id. The script of the page suggests resources of the type. */
export function renderIdInput(input: IdInput): Html {
  const { name, to, pointer, many = false, isNeeded = false, linkage } = input
  const loaded = linkage !== undefined && { 'data-linkage-at': linkage, disabled: true }
  const common = { name, 'data-to': to, autocomplete: 'off', required: isNeeded, ...loaded }
  return renderField({ pointer }, input, (ids) =>
    many
      ? h('textarea', { ...common, ...ids, 'data-as': 'ids', rows: 1 })
      : h('input', { ...common, ...ids, 'data-as': 'id' }),
  )
}

/**
 * Renders the input of a value, by its kind.
 *
 * @param value - `undefined` for a value that the server does not have yet
 */
export function renderValueInput(
  { name, kind, isRequired, acceptsNull, description }: InputValue,
  value: JsonValue | undefined,
  position: InputPosition,
): Html {
  const choices = listChoices(kind)
  const sentAs = choices === undefined ? toSentAs(kind.schema.type) : 'json'
  const isWrittenAsJson = sentAs === 'json' && choices === undefined && kind.name !== 'json'
  const isNeeded = value === undefined ? isRequired : !acceptsNull
  const rules = [kind.name, isWrittenAsJson && 'as JSON', isNeeded && 'required']
  const label = `${name} (${rules.filter((rule) => rule !== false).join(', ')})`
  const common = { name, 'data-as': sentAs, required: isNeeded }
  const placeholder = findValueHint(kind)
  return renderField(position, { label, description }, (ids) => {
    if (choices !== undefined)
      return renderSelect({ ...common, ...ids }, choices, { value, acceptsNull })
    const text = formatInput(value, sentAs)
    const input = position.pointer === '/data/id' ? 'text' : inputTypes[kind.name]
    if (input !== undefined)
      return h('input', {
        ...common,
        ...ids,
        placeholder,
        type: input,
        value: text,
        autocomplete: 'off',
      })
    const area = h('textarea', { ...common, ...ids, placeholder, rows: 1 }, keepFirstLine(text))
    return [area, acceptsNull && sentAs === 'string' && renderNullBox(name, value === null)]
  })
}

/** The types of inputs by kind; other kinds have a text area. */
const inputTypes: Readonly<Record<string, string>> = {
  ...{ id: 'text', uuid: 'text', integer: 'text', number: 'text', decimal: 'text', time: 'text' },
  ...{ integer64: 'text', datetime: 'text', date: 'date', email: 'email', url: 'url' },
}

/** The only values of a kind; `undefined` if there are too many to choose from. */
function listChoices({ schema }: Kind<unknown>): readonly JsonValue[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum
  return schema.type === 'boolean' ? [true, false] : undefined
}

/**
 * Returns how the script converts the text of an input: `number`, `string` or `json`.
 * @param type - the keyword `type` of a JSON Schema
 */
function toSentAs(type: unknown): string {
  if (type === 'integer' || type === 'number') return 'number'
  return type === 'string' ? 'string' : 'json'
}

function formatInput(value: JsonValue | undefined, sentAs: string): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' && sentAs !== 'json' ? value : serializeJson(value)
}

/** HTML ignores a line break at the beginning of a text area. */
function keepFirstLine(text: string): string {
  return text.startsWith('\n') ? `\n${text}` : text
}

/**
 * Renders the choices as JSON, which the script sends. A stored value that is not a choice is one, too. Without the empty choice there
 * is always a value, and the HTML Standard allows no `required`.
 */
function renderSelect(
  { required = false, ...attributes }: Readonly<Record<string, string | boolean>>,
  choices: readonly JsonValue[],
  { value, acceptsNull }: Readonly<{ value: JsonValue | undefined; acceptsNull: boolean }>,
): Html {
  const current = formatInput(value, 'json')
  const hasEmpty = acceptsNull || current === ''
  const values = choices.map((choice) => [serializeJson(choice), formatInput(choice, 'string')])
  const isKnown = current === '' || values.some(([json]) => json === current)
  const empty = hasEmpty ? [['', '']] : []
  const options = [...empty, ...values, ...(isKnown ? [] : [[current, current]])]
  return h(
    'select',
    { ...attributes, required: required && hasEmpty },
    options.map(([json, text]) => h('option', { value: json, selected: json === current }, text)),
  )
}

/** A text that is empty differs from null. */
function renderNullBox(name: string, isNull: boolean): Html {
  return h(
    'label',
    { class: 'null-box' },
    h('input', {
      type: 'checkbox',
      'data-null': name,
      'aria-label': `null for ${name}`,
      checked: isNull,
    }),
    ' null',
  )
}

/** The id of an input, and the ids of the texts that describe it. */
type InputIds = Readonly<{ id: string; 'aria-describedby': string }>

/** Renders a label, an input, its description and the element for its error. */
function renderField(
  { pointer, form = '' }: InputPosition,
  { label, description }: InputTexts,
  renderControl: (ids: InputIds) => Html,
): Html {
  const id = `field-${encodeURIComponent(form + pointer).replaceAll('%', '_')}`
  const hint = description === undefined ? [] : [`${id}-hint`]
  return h(
    'div',
    { class: 'field', 'data-pointer': pointer },
    h('label', { for: id }, h('bdi', null, label)),
    renderControl({ id, 'aria-describedby': [...hint, `${id}-error`].join(' ') }),
    description !== undefined && renderMarkdown(description, { class: 'hint', id: `${id}-hint` }),
    h('p', { class: 'field-error', id: `${id}-error` }),
  )
}
