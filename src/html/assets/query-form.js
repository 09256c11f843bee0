import { showFilterBuilder } from './filter-builder.js'
import { readFilter, writeFilter } from './filter-tree.js'
import { clearErrors, focusError } from './form-errors.js'
import { loadModel, send } from './request.js'

/** Lets the forms of lists build a filter, and open the address with the parameters of JSON:API. */
export function enhanceQueryForms() {
  for (const details of document.querySelectorAll('details[data-query]')) {
    if (details instanceof HTMLDetailsElement)
      details.addEventListener('toggle', () => void enhance(details), { once: true })
  }
}

/** @param {HTMLDetailsElement} details */
async function enhance(details) {
  const form = details.querySelector('form')
  const container = details.querySelector('[data-filter]')
  const type = details.dataset.query ?? ''
  if (!form || !(container instanceof HTMLElement)) return
  const model = await loadModel()
  const filter = readFilter(container.dataset.filter ?? '', model, type)
  showFilterBuilder(container, filter, model, type)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void open(form, writeUrl(form, writeFilter(filter, model, type)))
  })
}

/**
 * Opens an address, unless its response is an error: then the form shows it, and keeps what has been entered.
 * @param {HTMLFormElement} form
 * @param {URL} url
 */
async function open(form, url) {
  clearErrors(form)
  const shortest = new URL(url)
  if (url.searchParams.get('page[size]') === null) shortest.searchParams.set('page[size]', '1')
  const {
    isOk,
    document: { errors = [] },
  } = await send('GET', shortest.href).catch(() => ({
    isOk: true,
    document: /** @type {import('./request.js').ApiDocument} */ ({}),
  }))
  if (isOk) return location.assign(url)
  const element = form.querySelector('.form-error')
  if (element) element.textContent = errors.map(({ detail, title }) => detail ?? title).join(' ')
  const names = new Set(errors.map(({ source }) => source?.parameter))
  const inputs = [...form.querySelectorAll('input[name]')]
  const invalid = inputs.filter((each) => each instanceof HTMLInputElement && names.has(each.name))
  for (const input of invalid) input.setAttribute('aria-invalid', 'true')
  focusError(invalid[0] ?? element)
}

/**
 * Writes the address that a form describes. Parameters that it does not show, such as `filter[name]`, stay.
 * @param {HTMLFormElement} form
 * @param {string} filter
 */
function writeUrl(form, filter) {
  const url = new URL(location.href)
  const parameters = url.searchParams
  for (const name of ['number', 'after', 'before']) parameters.delete(`page[${name}]`)
  set(parameters, 'filter', filter)
  for (const input of form.querySelectorAll('input[name]'))
    if (input instanceof HTMLInputElement) set(parameters, input.name, input.value.trim())
  for (const list of form.querySelectorAll('[data-list]')) {
    if (!(list instanceof HTMLElement)) continue
    const boxes = [...list.querySelectorAll('input')]
    const chosen = boxes.filter(({ checked }) => checked).map(({ value }) => value)
    const name = list.dataset.list ?? ''
    const isFieldset = name.startsWith('fields[')
    const isDefault = isFieldset && chosen.length === boxes.length
    set(parameters, name, isDefault ? '' : chosen.join(','))
    // An empty list of fields is a value: it means no fields.
    if (isFieldset && chosen.length === 0) parameters.set(name, '')
  }
  return url
}

/**
 * @param {URLSearchParams} parameters
 * @param {string} name
 * @param {string} value
 */
function set(parameters, name, value) {
  if (value === '') parameters.delete(name)
  else parameters.set(name, value)
}
