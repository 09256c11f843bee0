import { isExactNumber, isNumberText, parseExactJson } from './exact-json.js'

/**
 * A filter while it is built. A group joins its items; a condition compares an attribute; a relation has conditions on related
 * resources; a call has a text for each parameter of a query; anything else that a filter can contain is kept as JSON.
 * @typedef {{ is: 'group', word: 'and' | 'or', isNegated: boolean, items: Item[] }} Group
 * @typedef {{ is: 'condition', name: string, op: string, values: string[] }} Condition
 * @typedef {{ is: 'relation', name: string, group: Group }} Relation
 * @typedef {{ is: 'call', name: string, values: Record<string, string> }} Call
 * @typedef {{ is: 'json', text: string }} JsonItem
 * @typedef {Group | Condition | Relation | Call | JsonItem} Item
 * @typedef {import('./request.js').ValueDescription} ValueDescription
 * @typedef {import('./request.js').FieldDescription} FieldDescription
 * @typedef {import('./request.js').TypeDescription} TypeDescription
 * @typedef {Readonly<Record<string, TypeDescription>>} Model
 */

/** Operators that are written with null, by the names that the builder shows. */
export const nullOperators = { 'is null': 'is_', 'is not null': 'isnot' }

/** @returns {Group} */
export function createGroup() {
  return { is: 'group', word: 'and', isNegated: false, items: [] }
}

/**
 * Reads the text of the parameter `filter`. What the builder cannot show stays JSON.
 * @param {string} text
 * @param {Model} model
 * @param {string} type
 * @returns {Group}
 */
export function readFilter(text, model, type) {
  const group = createGroup()
  if (text === '') return group
  try {
    const clauses = parseExactJson(text)
    if (Array.isArray(clauses)) group.items = clauses.map((each) => readItem(each, model, type))
    else group.items = [{ is: 'json', text }]
  } catch {
    group.items = [{ is: 'json', text }]
  }
  return group
}

/**
 * @param {unknown} clause
 * @param {Model} model
 * @param {string} type
 * @returns {Item}
 */
function readItem(clause, model, type) {
  const json = /** @type {JsonItem} */ ({ is: 'json', text: JSON.stringify(clause) })
  if (typeof clause !== 'object' || clause === null) return json
  const { and, or, not, name, op, val, field } = /** @type {Record<string, unknown>} */ (clause)
  if (not !== undefined) {
    const inner = readItem(not, model, type)
    if (inner.is === 'group') return { ...inner, isNegated: !inner.isNegated }
    return { ...createGroup(), isNegated: true, items: [inner] }
  }
  const list = and ?? or
  if (Array.isArray(list)) {
    const items = list.map((each) => readItem(each, model, type))
    return { is: 'group', word: and === undefined ? 'or' : 'and', isNegated: false, items }
  }
  const fields = model[type]?.fields ?? []
  const isCounted = (/** @type {FieldDescription} */ each) =>
    each.countOf !== undefined && each.countOf === name && each.operators.includes(String(op))
  const known = fields.find(isCounted) ?? fields.find((each) => each.name === name)
  if (known === undefined || typeof op !== 'string' || field !== undefined) return json
  if (known.to !== undefined) return readRelation(json, known, { op, val }, model)
  if (known.parameters !== undefined) return op === 'call' ? readCall(json, known, val) : json
  return readCondition(json, known, op, val)
}

/**
 * @param {JsonItem} json
 * @param {FieldDescription} field
 * @param {{ op: string, val: unknown }} clause
 * @param {Model} model
 * @returns {Item}
 */
function readRelation(json, { name, to = '', operators }, { op, val }, model) {
  if (!operators.includes(op)) return json
  if (val === undefined || val === null) return { is: 'relation', name, group: createGroup() }
  const inner = readItem(val, model, to)
  const isPlain = inner.is === 'group' && !inner.isNegated
  return { is: 'relation', name, group: isPlain ? inner : { ...createGroup(), items: [inner] } }
}

/**
 * @param {JsonItem} json
 * @param {FieldDescription} query
 * @param {unknown} val
 * @returns {Item}
 */
function readCall(json, { name, parameters = [] }, val) {
  if (typeof val !== 'object' || val === null) return json
  const sent = Object.entries(val).filter(([, value]) => value !== null)
  const isKnown = sent.every(([sentName, value]) => {
    const parameter = parameters.find((each) => each.name === sentName)
    // An empty input stands for null, or for a parameter that is omitted.
    return parameter !== undefined && value !== '' && readValue(value, parameter) !== undefined
  })
  if (!isKnown) return json
  const values = parameters.map((each) => {
    const value = sent.find(([sentName]) => sentName === each.name)?.[1]
    return [each.name, value === undefined ? '' : (readValue(value, each) ?? '')]
  })
  return { is: 'call', name, values: Object.fromEntries(values) }
}

/**
 * The text of a value in an input; `undefined` if the input cannot show it.
 * @param {unknown} value
 * @param {ValueDescription} description
 */
function readValue(value, description) {
  if (isJson(description) || isExactNumber(value)) return JSON.stringify(value)
  return typeof value === 'object' ? undefined : String(value)
}

/**
 * True for kinds whose values are arrays or objects, which inputs show as JSON.
 * @param {ValueDescription} description
 */
function isJson({ type }) {
  return [type].flat().some((each) => each === 'array' || each === 'object')
}

/**
 * The values of an operator: those of the field, or of its own.
 * @param {FieldDescription} field
 * @param {string} op
 * @returns {ValueDescription}
 */
export function operandOf(field, op) {
  const { operands = {} } = field
  return operands[op] ?? field
}

/**
 * @param {JsonItem} json
 * @param {FieldDescription} field
 * @param {string} op
 * @param {unknown} val
 * @returns {Item}
 */
function readCondition(json, field, op, val) {
  const { name, operators } = field
  if (val === null) {
    const word = Object.entries(nullOperators).find(([, operator]) => operator === op)?.[0]
    return word === undefined ? json : { is: 'condition', name, op: word, values: [] }
  }
  if (!operators.includes(op)) return json
  const operand = operandOf(field, op)
  const list = Array.isArray(val) && !isJson(operand) ? val : [val]
  const values = list.map((each) => readValue(each, operand))
  if (values.some((each) => each === undefined)) return json
  return { is: 'condition', name, op, values: values.map((each) => each ?? '') }
}

/**
 * Writes a filter as the text of the parameter; empty without a condition.
 * @param {Group} group
 * @param {Model} model
 * @param {string} type
 * @returns {string}
 */
export function writeFilter(group, model, type) {
  const clauses = writeItems(group.items, model, type)
  if (clauses.length === 0) return ''
  const isPlain = group.word === 'and' && !group.isNegated
  return `[${isPlain ? clauses.join(',') : writeGroup(group, clauses)}]`
}

/**
 * @param {readonly Item[]} items
 * @param {Model} model
 * @param {string} type
 */
function writeItems(items, model, type) {
  return items.map((item) => writeItem(item, model, type)).filter((text) => text !== '')
}

/**
 * @param {Group} group
 * @param {readonly string[]} clauses
 */
function writeGroup({ word, isNegated }, clauses) {
  const joined = clauses.length === 1 ? clauses.join('') : `{"${word}":[${clauses.join(',')}]}`
  return isNegated ? `{"not":${joined}}` : joined
}

/**
 * @param {Item} item
 * @param {Model} model
 * @param {string} type
 * @returns {string} JSON; empty for a group without items
 */
function writeItem(item, model, type) {
  if (item.is === 'json') return item.text
  if (item.is === 'group') {
    const clauses = writeItems(item.items, model, type)
    return clauses.length === 0 ? '' : writeGroup(item, clauses)
  }
  const field = model[type]?.fields.find(({ name }) => name === item.name)
  if (field === undefined) return ''
  if (item.is === 'condition') return writeCondition(item, field)
  if (item.is === 'call') return writeCall(item, field)
  const clauses = writeItems(item.group.items, model, field.to ?? '')
  const val = clauses.length === 0 ? 'null' : writeGroup(item.group, clauses)
  return `{"name":${JSON.stringify(item.name)},"op":"${field.operators[0]}","val":${val}}`
}

/**
 * Writes a call of a query. A parameter without text is omitted, or null if it is required.
 * @param {Call} call
 * @param {FieldDescription} query
 */
function writeCall({ name, values }, { parameters = [] }) {
  const members = parameters.flatMap((parameter) => {
    const text = values[parameter.name] ?? ''
    if (text === '' && !parameter.required) return []
    const value = text === '' ? 'null' : writeValue(text, parameter)
    return [`${JSON.stringify(parameter.name)}:${value}`]
  })
  return `{"name":${JSON.stringify(name)},"op":"call","val":{${members.join(',')}}}`
}

/**
 * @param {Condition} condition
 * @param {FieldDescription} field
 */
function writeCondition({ op, values }, field) {
  const name = field.countOf ?? field.name
  const operator = /** @type {Record<string, string>} */ (nullOperators)[op]
  const written = values.map((value) => writeValue(value, operandOf(field, op)))
  const val =
    operator !== undefined
      ? 'null'
      : takesList(op)
        ? `[${written.join(',')}]`
        : (written[0] ?? '""')
  return `{"name":${JSON.stringify(name)},"op":${JSON.stringify(operator ?? op)},"val":${val}}`
}

/**
 * True for the operators that take an array.
 * @param {string} op
 */
export function takesList(op) {
  return op === 'in_' || op === 'notin_' || op === 'between'
}

/**
 * Writes a value as the JSON type of its kind. Another text is sent as a text: the server reports the error.
 * @param {string} value
 * @param {ValueDescription} description
 */
function writeValue(value, description) {
  const { type } = description
  const isNumber = type === 'integer' || type === 'number'
  if (isNumber && isNumberText(value)) return value
  if (isJson(description) && isObjectText(value)) return value
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value
  return JSON.stringify(value)
}

/**
 * True for the JSON of an array or an object.
 * @param {string} text
 */
function isObjectText(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}
