import { listFields } from './form-fields.js'

/**
 * Removes the errors of a form.
 * @param {HTMLFormElement} form
 */
export function clearErrors(form) {
  for (const element of form.querySelectorAll('.field-error, .form-error')) element.textContent = ''
  for (const control of form.querySelectorAll('[aria-invalid]')) {
    control.removeAttribute('aria-invalid')
  }
}

/**
 * Shows each error at the field that its pointer names, and the others at the end of the form.
 * @param {HTMLFormElement} form
 * @param {readonly import('./request.js').ApiError[]} errors
 */
export function showErrors(form, errors) {
  const fields = listFields(form)
  const others = errors.filter((error) => {
    const found = fields.find(({ pointer }) => isWithin(error.source?.pointer, pointer))
    const element = found?.field.querySelector('.field-error')
    if (found === undefined || !element) return true
    element.textContent = [element.textContent, error.detail].filter(Boolean).join(' ')
    found.control.setAttribute('aria-invalid', 'true')
    return false
  })
  const element = form.querySelector('.form-error')
  if (element) element.textContent = others.map(({ detail, title }) => detail ?? title).join(' ')
  const invalid = form.querySelector('[aria-invalid]')
  focusError(invalid ?? element, invalid?.closest('.field') ?? element)
}

/**
 * Moves the focus to a control with an error, or to the error itself, so that all of it can be seen.
 * @param {Element | null} target
 * @param {Element | null} [area] - what is shown, if there is room for it
 */
export function focusError(target, area = target) {
  if (!(target instanceof HTMLElement)) return
  // A text can have the focus only with an index.
  if (target.matches('p')) target.tabIndex = -1
  target.focus()
  area?.scrollIntoView({ block: 'nearest' })
}

/**
 * @param {string | undefined} pointer
 * @param {string} ancestor
 */
function isWithin(pointer, ancestor) {
  return pointer === ancestor || pointer?.startsWith(`${ancestor}/`) === true
}
