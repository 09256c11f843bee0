import { keepActionResult } from './action-results.js'
import { clearErrors, showErrors } from './form-errors.js'
import { collectBody } from './form-values.js'
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
  const { method = '', action = '', next, call } = form.dataset
  clearErrors(form)
  const button = form.querySelector('button')
  if (button) button.disabled = true
  try {
    const { isOk, document, text } = await send(method, action, collectBody(form))
    if (!isOk) return showErrors(form, document.errors ?? [])
    if (call !== undefined) return keepActionResult(form, text)
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
