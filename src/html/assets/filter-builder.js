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
 * @typedef {Readonly<{ model: Model, type: string }>} BuilderContext
 */

/**
 * Shows the controls that change a filter, inside a container. A control that stays is not drawn again, so that it keeps the focus,
 * and a list its keyboard search.
 * @param {HTMLElement} container
 * @param {Group} filter - changed by the controls
 * @param {Model} model
 * @param {string} type
 */
export function showFilterBuilder(container, filter, model, type) {
  container.append(...drawGroup(filter, { model, type }))
}

/**
 * Moves the focus to the first control of the first element that has one.
 * @param {...(Element | null)} elements
 */
function focusFirst(...elements) {
  const found = elements.map((each) => each?.querySelector('select, input, textarea, button'))
  const control = found.find((each) => each instanceof HTMLElement)
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
  const rows = group.items.map((item) => drawRow(item, group, context))
  const list = createElement('ul', { className: 'conditions' }, ...rows)
  return [select, list, drawAdders(group, list, context)]
}

/**
 * @param {Group} group
 * @param {HTMLElement} list - of the group's rows
 * @param {BuilderContext} context
 */
function drawAdders(group, list, context) {
  const [first] = context.model[context.type]?.fields ?? []
  /** @param {Item} item */
  const add = (item) => {
    group.items.push(item)
    const row = drawRow(item, group, context)
    list.append(row)
    // The first control of a new group is the one that removes it.
    focusFirst(row.querySelector('.group'), row)
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
 * Draws an item of a group: its field, what belongs to the field, the button that removes it, and on lines of its own a nested group.
 * @param {Item} item
 * @param {Group} group
 * @param {BuilderContext} context
 */
function drawRow(item, group, context) {
  const operands = createElement('span', {})
  const nested = createElement('div', {})
  let current = item
  const show = () => {
    operands.replaceChildren(...drawOperands(current, context))
    nested.replaceChildren(...drawNested(current, context))
  }
  const select = drawFields(item, context, (changed) => {
    group.items[group.items.indexOf(current)] = changed
    current = changed
    show()
  })
  const remove = createButton('✕', `Remove ${item.is === 'group' ? 'group' : 'condition'}`, () => {
    group.items.splice(group.items.indexOf(current), 1)
    focusFirst(
      row.nextElementSibling,
      row.previousElementSibling,
      row.parentElement?.nextElementSibling ?? null,
    )
    row.remove()
  })
  const row = createElement('li', {}, ...select, operands, remove, nested)
  show()
  return row
}

/**
 * The list of fields of a condition, a relation or a call.
 * @param {Item} item
 * @param {BuilderContext} context
 * @param {(changed: Item) => void} change
 */
function drawFields(item, { model, type }, change) {
  if (item.is === 'group' || item.is === 'json') return []
  const fields = model[type]?.fields ?? []
  const names = fields.map((field) => /** @type {const} */ ([field.name, labelField(field)]))
  return [
    createSelect('Field', names, item.name, (value) => {
      const field = fields.find(({ name }) => name === value)
      if (field) change(createItem(field))
    }),
  ]
}

/**
 * @param {Item} item
 * @param {BuilderContext} context
 * @returns {(Node | string)[]}
 */
function drawOperands(item, { model, type }) {
  if (item.is === 'group') return ['Group ']
  if (item.is === 'json') return [drawJson(item)]
  const field = model[type]?.fields.find(({ name }) => name === item.name)
  if (item.is === 'condition') return drawCondition(item, field)
  if (item.is === 'call') return drawCall(item, field)
  return [` ${field?.many ? 'any' : 'has'} ${field?.to}: `]
}

/**
 * The group of an item that is or has one.
 * @param {Item} item
 * @param {BuilderContext} context
 */
function drawNested(item, { model, type }) {
  if (item.is !== 'group' && item.is !== 'relation') return []
  const field =
    item.is === 'group' ? undefined : model[type]?.fields.find(({ name }) => name === item.name)
  const group = item.is === 'group' ? item : item.group
  const parts = drawGroup(group, { model, type: field?.to ?? type })
  return [createElement('div', { className: 'group' }, ...parts)]
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
 * @returns {Node[]}
 */
function drawCondition(condition, field) {
  const isNullable = field?.countOf === undefined
  const operators = [...(field?.operators ?? []), ...(isNullable ? Object.keys(nullOperators) : [])]
  const choices = operators.map((name) => {
    const { kind } = field?.operands?.[name] ?? {}
    return /** @type {const} */ ([name, kind === undefined ? name : `${name} (${kind})`])
  })
  const values = createElement('span', {}, ...drawValues(condition, field))
  const select = createSelect('Operator', choices, condition.op, (value) => {
    condition.op = value
    condition.values = chooseValues(value, condition.values)
    values.replaceChildren(...drawValues(condition, field))
  })
  return [select, values]
}

/**
 * Returns the values of a condition after a change of its operator. A list has no empty text that nobody has entered.
 * @param {string} op
 * @param {readonly string[]} values
 */
function chooseValues(op, values) {
  if (takesList(op) && op !== 'between') return values.filter((each) => each !== '')
  const count = op in nullOperators ? 0 : op === 'between' ? 2 : 1
  return Array.from({ length: count }, (_, at) => values[at] ?? '')
}

/**
 * @param {Condition} condition
 * @param {import('./request.js').FieldDescription | undefined} field
 * @returns {Node[]}
 */
function drawValues(condition, field) {
  if (condition.op in nullOperators) return []
  if (takesList(condition.op) && condition.op !== 'between') {
    const choices = field && listChoices(operandOf(field, condition.op))
    return [choices ? drawChoices(condition, choices) : drawList(condition)]
  }
  return condition.values.map((_, at) => drawValue(condition, at, field))
}

/**
 * The choices of `in_` for a kind with few values.
 * @param {Condition} condition
 * @param {readonly string[]} choices
 */
function drawChoices(condition, choices) {
  const labels = choices.map((value) => {
    const checked = condition.values.includes(value)
    const box = createElement('input', { type: 'checkbox', checked })
    box.addEventListener('change', () => {
      const others = condition.values.filter((each) => each !== value)
      condition.values = box.checked ? [...others, value] : others
    })
    return createElement('label', {}, box, ' ', createElement('bdi', {}, value))
  })
  return createElement('fieldset', { className: 'choices', ariaLabel: 'Values' }, ...labels)
}

/**
 * The values of `in_`, one per line.
 * @param {Condition} condition
 */
function drawList(condition) {
  const area = createElement('textarea', {
    value: condition.values.join('\n'),
    ariaLabel: 'Values, one per line',
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
 * The only values of a kind; `undefined` if there are too many to choose from.
 * @param {ValueDescription} description
 */
function listChoices({ type, choices }) {
  return type === 'boolean' ? ['true', 'false'] : choices?.map(String)
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
  const choices = listChoices(description)
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
