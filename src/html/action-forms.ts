import type { Action, ActionTarget } from '../model/action.ts'
import type { ResourceType } from '../model/model.ts'
import { resolveParameter } from '../model/parameter.ts'
import { type Html, h } from './element.ts'
import { renderValueInput } from './inputs.ts'
import { renderMarkdown } from './markdown.ts'
import type { PageContext } from './page-context.ts'

/** Where actions are called. */
interface Callee {
  readonly resource: ResourceType
  readonly on: ActionTarget
  /** The path of the resource, or of the collection. */
  readonly path: string
}

/** Renders a form for each action that the identity may call at the address; null if there is none. */
export function renderActionForms(context: PageContext, { resource, on, path }: Callee): Html {
  const actions = [...resource.actions].filter(
    ([name, action]) =>
      action.on === on &&
      context.rights.isAllowed({ is: 'action', resource, action: { name, action } }, 'POST'),
  )
  if (actions.length === 0) return null
  return h(
    'section',
    { class: 'scripted' },
    h('h2', null, 'Actions'),
    actions.map(([name, action]) => renderForm(name, action, path)),
  )
}

function renderForm(name: string, action: Action, path: string): Html {
  const { description, parameters } = action
  return h(
    'details',
    { class: 'panel' },
    h('summary', null, h('bdi', null, name)),
    h(
      'form',
      {
        ...{ 'data-method': 'POST', 'data-call': name, novalidate: true, autocomplete: 'off' },
        'data-action': `${path}/actions/${encodeURIComponent(name)}`,
      },
      description !== undefined && renderMarkdown(description),
      Object.entries(parameters).map(([parameter, declared]) => {
        const { kind, isRequired } = resolveParameter(declared)
        const position = { pointer: `/meta/${parameter}`, form: name }
        return renderValueInput(
          { name: parameter, kind, required: isRequired },
          undefined,
          position,
        )
      }),
      h('p', { class: 'form-error', role: 'alert' }),
      h('p', { class: 'actions' }, h('button', null, 'Call ', h('bdi', null, name))),
    ),
  )
}
