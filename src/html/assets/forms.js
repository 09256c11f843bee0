import { send } from './request.js'

/** Makes the forms of a page send JSON:API, and its buttons change relationships. */
export function enhanceForms() {
  for (const form of document.querySelectorAll('form[data-method]')) {
    if (!(form instanceof HTMLFormElement)) continue
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void submit(form)
    })
  }
  for (const button of document.querySelectorAll('button[data-send]')) {
    if (button instanceof HTMLButtonElement)
      button.addEventListener('click', () => void run(button))
  }
}

/** @param {HTMLFormElement} form */
async function submit(form) {
  const { method = '', action = '', next } = form.dataset
  clearErrors(form)
  const button = form.querySelector('button')
  if (button) button.disabled = true
  try {
    const { isOk, document } = await send(method, action, collectBody(form))
    if (!isOk) return showErrors(form, document.errors ?? [])
    const { data } = document
    const self = data && 'links' in data ? data.links?.self : undefined
    if (method === 'POST' && self !== undefined) location.assign(self)
    else if (next === undefined) location.reload()
    else location.assign(next)
  } catch {
    showErrors(form, [{ detail: 'The server cannot be reached.' }])
  } finally {
    if (button) button.disabled = false
  }
}

/** @param {HTMLButtonElement} button */
async function run(button) {
  const { send: method = '', action = '', body = '' } = button.dataset
  const { isOk, document } = await send(method, action, JSON.parse(body))
  if (isOk) location.reload()
  else button.after(` ${document.errors?.map(({ detail }) => detail).join(' ')}`)
}

/**
 * Builds the document of a form from its inputs.
 * @param {HTMLFormElement} form
 */
function collectBody(form) {
  const { method, type, id, linkage } = form.dataset
  if (method === 'DELETE') return undefined
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
 * @param {HTMLFormElement} form
 * @param {boolean} isMany
 */
function collectLinkage(form, isMany) {
  const [field] = listFields(form)
  const identifier = field && readIdentifiers(field.control)
  return { data: isMany ? [identifier].filter((each) => each !== null) : identifier }
}

/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Control */

/**
 * Lists the inputs of a form that stand for a member of the document.
 * @param {HTMLFormElement} form
 * @returns {{ field: HTMLElement, control: Control, pointer: string }[]}
 */
function listFields(form) {
  return [...form.querySelectorAll('[data-pointer]')].flatMap((field) => {
    const control = field.querySelector('[data-as]')
    if (!(field instanceof HTMLElement) || !isControl(control)) return []
    return [{ field, control, pointer: field.dataset.pointer ?? '' }]
  })
}

/**
 * @param {Element | null} element
 * @returns {element is Control}
 */
function isControl(element) {
  return (
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement
  )
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

/** @param {Control} control */
function isTextChanged(control) {
  if (!(control instanceof HTMLSelectElement)) return control.value !== control.defaultValue
  const options = [...control.options]
  return control.value !== (options.find(({ defaultSelected }) => defaultSelected)?.value ?? '')
}

/** A number as JSON writes it. */
const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * Reads the value of an attribute. A text that is no value of its kind is sent as it is: the server says what is wrong.
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
  if (dataset.as === 'number' && numberPattern.test(value)) return toNumber(value)
  if (dataset.as === 'boolean') return value === 'true'
  return dataset.as === 'json' ? parseJson(value) : value
}

/**
 * Keeps all digits where the browser can (`JSON.rawJSON`).
 * @param {string} text
 */
function toNumber(text) {
  const rawJson = Reflect.get(JSON, 'rawJSON')
  return typeof rawJson === 'function' ? rawJson(text) : Number(text)
}

/** @param {string} text */
function parseJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * Reads the linkage that an input stands for.
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

/** @param {HTMLFormElement} form */
function clearErrors(form) {
  for (const place of form.querySelectorAll('.field-error, .form-error')) place.textContent = ''
  for (const control of form.querySelectorAll('[aria-invalid]')) {
    control.removeAttribute('aria-invalid')
    control.removeAttribute('aria-describedby')
  }
}

/**
 * Shows each error at the field that its pointer names, and the others at the end of the form.
 * @param {HTMLFormElement} form
 * @param {readonly import('./request.js').ApiError[]} errors
 */
function showErrors(form, errors) {
  const fields = listFields(form)
  const others = errors.filter((error) => {
    const found = fields.find(({ pointer }) => isWithin(error.source?.pointer, pointer))
    const place = found?.field.querySelector('.field-error')
    if (found === undefined || !place) return true
    place.textContent = [place.textContent, error.detail].filter(Boolean).join(' ')
    found.control.setAttribute('aria-invalid', 'true')
    found.control.setAttribute('aria-describedby', place.id)
    return false
  })
  const place = form.querySelector('.form-error')
  if (place) place.textContent = others.map(({ detail, title }) => detail ?? title).join(' ')
  const invalid = form.querySelector('[aria-invalid]')
  if (invalid instanceof HTMLElement) invalid.focus()
}

/**
 * @param {string | undefined} pointer
 * @param {string} ancestor
 */
function isWithin(pointer, ancestor) {
  return pointer === ancestor || pointer?.startsWith(`${ancestor}/`) === true
}
