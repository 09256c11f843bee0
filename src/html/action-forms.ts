import type { ActionDescription, TypeDescription } from '../describe/describe-type.ts'
import { type Html, h } from './element.ts'
import { renderValueInput } from './inputs.ts'
import { renderMarkdown } from './markdown.ts'
import { type PageContext, requireKey } from './page-context.ts'

/** Where actions are called. */
interface Callee {
  readonly type: TypeDescription
  readonly on: ActionDescription['on']
  /** The path of the resource, or of the collection. */
  readonly path: string
}

/** Renders a form for each action that the identity may call at the address; null if there is none. */
export function renderActionForms(context: PageContext, { type, on, path }: Callee): Html {
  const actions = type.actions.filter(
    (action) => action.on === on && context.rights.isCallable(action.name),
  )
  if (actions.length === 0) return null
  return h(
    'section',
    { class: 'scripted' },
    h('h2', null, 'Actions'),
    actions.map((action) => renderForm(action, path, requireKey(context, type.type, action.name))),
  )
}

function renderForm(
  { name, description, parameters }: ActionDescription,
  path: string,
  key: ReturnType<typeof requireKey>,
): Html {
  return h(
    'details',
    { class: 'panel' },
    h('summary', null, h('bdi', null, name)),
    h(
      'form',
      {
        ...{ 'data-method': 'POST', 'data-call': name, novalidate: true, autocomplete: 'off' },
        'data-action': `${path}/actions/${encodeURIComponent(name)}`,
        ...key,
      },
      description !== undefined && renderMarkdown(description),
      parameters.map((parameter) => {
        const position = { pointer: `/meta/${parameter.name}`, form: name }
        const value = { ...parameter, acceptsNull: !parameter.isRequired }
        return renderValueInput(value, undefined, position)
      }),
      h('p', { class: 'form-error', role: 'alert' }),
      h('p', { class: 'actions' }, h('button', null, 'Call ', h('bdi', null, name))),
    ),
  )
}
