import { keepActionResult } from './action-results.js'
import { createElement } from './element.js'
import { reloadPage } from './focus.js'
import { clearErrors, showErrors } from './form-errors.js'
import { listFields } from './form-fields.js'
import { collectBody } from './form-values.js'
import { getCondition, isLinkageOvertaken, isOvertaken, showOvertaken } from './overtaken.js'
import { send } from './request.js'

/** @type {import('./request.js').ApiError} */
const unreachable = { detail: 'The server cannot be reached.' }

/** Makes the forms of a page send JSON:API, and its buttons change relationships. */
export function enhanceForms() {
  for (const form of document.querySelectorAll('form[data-method]')) {
    if (!(form instanceof HTMLFormElement)) continue
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void submit(form)
    })
  }
  // The second click of a double click is no second wish.
  document.addEventListener('click', (event) => {
    if (event.detail > 1 && event.target instanceof HTMLButtonElement) event.preventDefault()
  })
  // What is sent from a page to which the user goes back is another write.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return
    for (const element of document.querySelectorAll('[data-key]'))
      if (element instanceof HTMLElement) forgetKey(element)
  })
  for (const button of document.querySelectorAll('button[data-send]')) {
    if (button instanceof HTMLButtonElement)
      button.addEventListener('click', () => void run(button))
  }
}

/** @param {HTMLFormElement} form */
async function submit(form) {
  const { method = '', action = '', next, call } = form.dataset
  // A disabled button would lose the focus.
  if (form.ariaBusy === 'true') return
  form.ariaBusy = 'true'
  clearErrors(form)
  try {
    if (await isLinkageOvertaken(form)) return void (await explainOvertaken(form))
    const fields = { ...getCondition(method), ...getKey(form) }
    const { isOk, document, text } = await send(method, action, collectBody(form), fields)
    if (isOvertaken(document) && (await explainOvertaken(form))) return
    if (!isOk) return showErrors(form, document.errors ?? [])
    if (call !== undefined) {
      forgetKey(form)
      return keepActionResult(form, text)
    }
    const { data } = document
    const self = data && 'links' in data ? data.links?.self : undefined
    if (method === 'POST' && self !== undefined) location.assign(self)
    else if (next === undefined) reloadPage(form.closest('details') ?? getFirstControl(form))
    else location.assign(next)
  } catch {
    showErrors(form, [unreachable])
  } finally {
    form.ariaBusy = null
  }
}

/**
 * The idempotency key of a form or a button that needs one: the same until it has been written, so that a repetition after a lost response
 * writes nothing again.
 * @param {HTMLElement} element
 * @returns {Record<string, string>}
 */
function getKey({ dataset }) {
  if (dataset.key === undefined) return {}
  // A page without HTTPS has no crypto.randomUUID.
  dataset.key ||= crypto.getRandomValues(new Uint32Array(4)).join('-')
  return { 'Idempotency-Key': `"${dataset.key}"` }
}

/** @param {HTMLElement} element */
function forgetKey({ dataset }) {
  if (dataset.key !== undefined) dataset.key = ''
}

/** @param {HTMLFormElement} form */
async function explainOvertaken(form) {
  const place = form.querySelector('.form-error')
  const again = form.querySelector('.actions button')?.textContent ?? ''
  return place instanceof HTMLElement && showOvertaken(place, again, form)
}

/** @param {HTMLFormElement} form */
function getFirstControl(form) {
  return listFields(form)[0]?.control ?? form
}

/** @param {HTMLButtonElement} button */
async function run(button) {
  const { send: method = '', action = '', body = '' } = button.dataset
  const { isOk, document } = await send(method, action, JSON.parse(body), {
    ...getCondition(method),
    ...getKey(button),
  }).catch(() => ({ isOk: false, document: { errors: [unreachable] } }))
  if (isOk) return reloadPage(button)
  const place = button.nextElementSibling ?? createElement('p', { className: 'form-error' })
  place.setAttribute('role', 'alert')
  button.after(place)
  if (!(place instanceof HTMLElement)) return
  if (isOvertaken(document) && (await showOvertaken(place, button.textContent ?? ''))) return
  place.textContent = document.errors?.map(({ detail, title }) => detail ?? title).join(' ') ?? ''
}
