import { createButton, createElement, createSelect } from './element.js'
import { createGroup, nullOperators, operandOf, takesList } from './filter-tree.js'

/**
 * @typedef {import('./filter-tree.js').Group} Group
 * @typedef {import('./filter-tree.js').Item} Item
 * @typedef {import('./filter-tree.js').Condition} Condition
 * @typedef {import('./filter-tree.js').Relation} Relation
 * @typedef {import('./filter-tree.js').Call} Call
 * @typedef {import('./filter-tree.js').JsonItem} JsonItem
 * @typedef {import('./filter-tree.js').ValueDescription} ValueDescription
 * @typedef {import('./filter-tree.js').Model} Model
 * @typedef {Readonly<{ model: Model, type: string, redraw: () => void }>} BuilderContext
 */

/**
 * Shows the controls that change a filter, inside a container.
 * @param {HTMLElement} container
 * @param {Group} filter - changed by the controls
 * @param {Model} model
 * @param {string} type
 */
export function showFilterBuilder(container, filter, model, type) {
  const legend = container.querySelector('legend')
  const redraw = () => {
    const focused = getPosition(container)
    container.replaceChildren(
      ...(legend ? [legend] : []),
      ...drawGroup(filter, { model, type, redraw }),
    )
    restoreFocus(container, focused)
  }
  redraw()
}

const focusable = 'select, input, textarea, button'

/**
 * The position of the focused control, which a redraw replaces.
 * @param {HTMLElement} container
 */
function getPosition(container) {
  const { activeElement } = document
  return activeElement === null
    ? -1
    : [...container.querySelectorAll(focusable)].indexOf(activeElement)
}

/**
 * @param {HTMLElement} container
 * @param {number} position
 */
function restoreFocus(container, position) {
  const control = [...container.querySelectorAll(focusable)][position]
  if (control instanceof HTMLElement) control.focus()
}

/**
 * @param {Group} group
 * @param {BuilderContext} context
 * @returns {Node[]}
 */
function drawGroup(group, context) {
  const words = /** @type {const} */ ([
    ['and', 'all of these'],
    ['or', 'at least one of these'],
    ['not and', 'not all of these'],
    ['not or', 'none of these'],
  ])
  const select = createSelect(
    'Match',
    words,
    (group.isNegated ? 'not ' : '') + group.word,
    (value) => {
      group.isNegated = value.startsWith('not ')
      group.word = value.endsWith('or') ? 'or' : 'and'
    },
  )
  const list = createElement('ul', { className: 'conditions' })
  group.items.forEach((item, index) => {
    const remove = createButton('✕', 'Remove condition', () => {
      group.items.splice(index, 1)
      context.redraw()
    })
    const parts = drawItem(item, group, index, context)
    // A nested group is on lines of its own, below the button.
    const nested = parts.at(-1) instanceof HTMLDivElement ? parts.splice(-1) : []
    list.append(createElement('li', {}, ...parts, remove, ...nested))
  })
  return [select, list, drawAdders(group, context)]
}

/**
 * @param {Group} group
 * @param {BuilderContext} context
 */
function drawAdders(group, { model, type, redraw }) {
  const [first] = model[type]?.fields ?? []
  /** @param {Item} item */
  const add = (item) => {
    group.items.push(item)
    redraw()
  }
  return createElement(
    'p',
    { className: 'actions' },
    createButton('+ Condition', 'Add condition', () => first && add(createItem(first))),
    createButton('+ Group', 'Add group', () => add({ ...createGroup(), word: 'or' })),
  )
}

/**
 * Creates the item of a field, with its first operator, or of a query.
 * @param {import('./request.js').FieldDescription} field
 * @returns {Item}
 */
function createItem({ name, to, operators, parameters }) {
  if (to !== undefined) return { is: 'relation', name, group: createGroup() }
  if (parameters !== undefined) return { is: 'call', name, values: {} }
  const [first = 'is null'] = operators.includes('eq') ? ['eq'] : operators
  return { is: 'condition', name, op: first, values: first in nullOperators ? [] : [''] }
}

/**
 * @param {Item} item
 * @param {Group} group
 * @param {number} index
 * @param {BuilderContext} context
 * @returns {(Node | string)[]}
 */
function drawItem(item, group, index, context) {
  if (item.is === 'group')
    return [createElement('div', { className: 'group' }, ...drawGroup(item, context))]
  if (item.is === 'json') return [drawJson(item)]
  const fields = context.model[context.type]?.fields ?? []
  const names = fields.map((field) => /** @type {const} */ ([field.name, labelField(field)]))
  const select = createSelect('Field', names, item.name, (value) => {
    const field = fields.find(({ name }) => name === value)
    if (field) group.items[index] = createItem(field)
    context.redraw()
  })
  const field = fields.find(({ name }) => name === item.name)
  if (item.is === 'condition') return [select, ...drawCondition(item, field, context.redraw)]
  if (item.is === 'call') return [select, ...drawCall(item, field)]
  const nested = { ...context, type: field?.to ?? '' }
  const words = ` ${field?.many ? 'any' : 'has'} ${field?.to}: `
  return [
    select,
    words,
    createElement('div', { className: 'group' }, ...drawGroup(item.group, nested)),
  ]
}

/**
 * The text of a field in the list: an arrow leads to related resources, parentheses call a query.
 * @param {import('./request.js').FieldDescription} field
 */
function labelField({ name, to, parameters }) {
  if (parameters !== undefined) return `${name}(${parameters.map((each) => each.name).join(', ')})`
  return to === undefined ? name : `${name} →`
}

/**
 * An input for each parameter of a query, with its name.
 * @param {Call} call
 * @param {import('./request.js').FieldDescription | undefined} query
 * @returns {Node[]}
 */
function drawCall(call, query) {
  return (query?.parameters ?? []).map((parameter) => {
    const { name, kind = '', required } = parameter
    const label = `${name} (${kind}${required ? '' : ', optional'})`
    const input = drawInput(parameter, call.values[name] ?? '', label, (changed) => {
      call.values[name] = changed
    })
    return createElement('label', {}, `${label} `, input)
  })
}

/** @param {JsonItem} item */
function drawJson(item) {
  const area = createElement('textarea', {
    value: item.text,
    ariaLabel: 'Condition as JSON',
    rows: 2,
  })
  area.addEventListener('input', () => {
    item.text = area.value
  })
  return area
}

/**
 * @param {Condition} condition
 * @param {import('./request.js').FieldDescription | undefined} field
 * @param {() => void} redraw
 * @returns {Node[]}
 */
function drawCondition(condition, field, redraw) {
  const operators = [...(field?.operators ?? []), ...Object.keys(nullOperators)]
  const choices = operators.map((name) => {
    const { kind } = field?.operands?.[name] ?? {}
    return /** @type {const} */ ([name, kind === undefined ? name : `${name} (${kind})`])
  })
  const select = createSelect('Operator', choices, condition.op, (value) => {
    condition.op = value
    const count = value in nullOperators ? 0 : value === 'between' ? 2 : 1
    condition.values = Array.from({ length: count }, (_, at) => condition.values[at] ?? '')
    redraw()
  })
  if (condition.op in nullOperators) return [select]
  if (takesList(condition.op) && condition.op !== 'between') return [select, drawList(condition)]
  return [select, ...condition.values.map((_, at) => drawValue(condition, at, field))]
}

/**
 * The values of `in_`, one in a line.
 * @param {Condition} condition
 */
function drawList(condition) {
  const area = createElement('textarea', {
    value: condition.values.join('\n'),
    ariaLabel: 'Values, one in a line',
    placeholder: 'one value in a line',
    rows: 3,
  })
  area.addEventListener('input', () => {
    condition.values = area.value.split('\n').filter((line) => line !== '')
  })
  return area
}

/**
 * @param {Condition} condition
 * @param {number} at
 * @param {import('./request.js').FieldDescription | undefined} field
 * @returns {Node}
 */
function drawValue(condition, at, field) {
  const description = field ? operandOf(field, condition.op) : {}
  return drawInput(description, condition.values[at] ?? '', 'Value', (changed) => {
    condition.values[at] = changed
  })
}

/**
 * An input for a value of a kind.
 * @param {ValueDescription} description
 * @param {string} value
 * @param {string} label
 * @param {(changed: string) => void} change
 * @returns {Node}
 */
function drawInput(description, value, label, change) {
  const choices = description.type === 'boolean' ? ['true', 'false'] : description.choices
  if (choices !== undefined) {
    const listed = ['', ...choices].map((each) => /** @type {const} */ ([each, each]))
    return createSelect(label, listed, value, change)
  }
  const type = description.kind === 'date' ? 'date' : 'text'
  const input = createElement('input', { type, value, ariaLabel: label, autocomplete: 'off' })
  input.placeholder = description.hint ?? ''
  input.addEventListener('input', () => change(input.value))
  return input
}
