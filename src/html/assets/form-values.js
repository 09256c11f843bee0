import { isNumberText, parseExactJson } from './exact-json.js'
import { listFields } from './form-fields.js'

/** @typedef {import('./form-fields.js').Control} Control */

/**
 * Builds the document of a form from its inputs.
 * @param {HTMLFormElement} form
 */
export function collectBody(form) {
  const { method, type, id, linkage, call } = form.dataset
  if (method === 'DELETE') return undefined
  if (call !== undefined) return collectParameters(form)
  if (linkage !== undefined) return collectLinkage(form, linkage === 'many')
  /** @type {Record<string, unknown>} */
  const attributes = {}
  /** @type {Record<string, unknown>} */
  const relationships = {}
  /** @type {Record<string, unknown>} */
  const data = { type, ...(id !== undefined && { id }) }
  for (const { control, pointer } of listFields(form)) {
    if (!isChanged(form, control)) continue
    const [, member, name] = pointer.split('/').slice(1)
    if (member === 'id') data.id = control.value
    else if (member === 'attributes') attributes[name ?? ''] = readValue(form, control)
    else relationships[name ?? ''] = { data: readIdentifiers(control) }
  }
  if (Object.keys(attributes).length > 0) data.attributes = attributes
  if (Object.keys(relationships).length > 0) data.relationships = relationships
  return { data }
}

/**
 * Builds the document of the call of an action. A parameter that the user has not entered is not sent.
 * @param {HTMLFormElement} form
 */
function collectParameters(form) {
  const fields = listFields(form)
  if (fields.length === 0) return undefined
  const entered = fields.filter(({ control }) => isChanged(form, control))
  const toName = (/** @type {string} */ pointer) => pointer.slice('/meta/'.length)
  return {
    meta: Object.fromEntries(
      entered.map(({ control, pointer }) => [toName(pointer), readValue(form, control)]),
    ),
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {boolean} isMany
 */
function collectLinkage(form, isMany) {
  const [field] = listFields(form)
  const identifier = field && readIdentifiers(field.control)
  return { data: isMany ? [identifier].filter((each) => each !== null) : identifier }
}

/**
 * Finds the box that makes a text null.
 * @param {HTMLFormElement} form
 * @param {Control} control
 */
function findNullBox(form, control) {
  const boxes = [...form.querySelectorAll('input[data-null]')]
  const box = boxes.find(
    (each) => each instanceof HTMLInputElement && each.dataset.null === control.name,
  )
  return box instanceof HTMLInputElement ? box : undefined
}

/**
 * True if the input differs from what the server sent.
 * @param {HTMLFormElement} form
 * @param {Control} control
 */
function isChanged(form, control) {
  const box = findNullBox(form, control)
  if (box !== undefined && box.checked !== box.defaultChecked) return true
  return isTextChanged(control)
}

/**
 * Shows the present value of the server in an input, unless the user has changed it.
 * @param {HTMLFormElement} form
 * @param {Control} control
 * @param {Control} present - the input of the same field in the present page
 */
export function adoptValue(form, control, present) {
  const isKept = isChanged(form, control)
  const box = findNullBox(form, control)
  const presentForm = present.closest('form')
  const presentBox = presentForm ? findNullBox(presentForm, present) : undefined
  if (control instanceof HTMLSelectElement && present instanceof HTMLSelectElement) {
    const { value } = control
    control.replaceChildren(...[...present.options].map((each) => each.cloneNode(true)))
    if (isKept) control.value = value
  } else if (!(control instanceof HTMLSelectElement) && 'defaultValue' in present)
    adoptText(control, present.defaultValue, isKept)
  if (!box || !presentBox) return
  box.defaultChecked = presentBox.defaultChecked
  if (!isKept) box.checked = box.defaultChecked
}

/**
 * @param {HTMLInputElement | HTMLTextAreaElement} control
 * @param {string} text - what the server has
 * @param {boolean} isKept - whether the user has changed the input
 */
export function adoptText(control, text, isKept) {
  const { value } = control
  control.defaultValue = text
  control.value = isKept ? value : text
}

/**
 * True if the text of an input differs from that of the page. A browser shows only what is valid for the type of an input, and a text
 * that it cannot show has not been changed by the user.
 * @param {Control} control
 */
export function isTextChanged(control) {
  if (control instanceof HTMLSelectElement) {
    const options = [...control.options]
    return control.value !== (options.find(({ defaultSelected }) => defaultSelected)?.value ?? '')
  }
  const unchanged = /** @type {HTMLInputElement | HTMLTextAreaElement} */ (control.cloneNode())
  unchanged.value = control.defaultValue
  return control.value !== unchanged.value
}

/**
 * Reads the value of an attribute. A text that is not a value of its kind is sent unchanged: the server reports the error.
 * @param {HTMLFormElement} form
 * @param {Control} control
 * @returns {unknown}
 */
function readValue(form, control) {
  const { value, dataset } = control
  const box = findNullBox(form, control)
  if (box?.checked && (value === '' || !isTextChanged(control))) return null
  if (value === '' && !(control instanceof HTMLTextAreaElement && dataset.as === 'string'))
    return null
  if (dataset.as === 'number' && isNumberText(value)) return parseExactJson(value)
  return dataset.as === 'json' ? parseJson(value) : value
}

/** @param {string} text */
function parseJson(text) {
  try {
    return parseExactJson(text)
  } catch {
    return text
  }
}

/**
 * Reads the linkage in an input.
 * @param {Control} control
 */
function readIdentifiers({ value, dataset }) {
  const toIdentifier = (/** @type {string} */ id) => ({ type: dataset.to, id: id.trim() })
  if (dataset.as === 'ids')
    return value
      .split('\n')
      .filter((id) => id.trim() !== '')
      .map(toIdentifier)
  return value.trim() === '' ? null : toIdentifier(value)
}
