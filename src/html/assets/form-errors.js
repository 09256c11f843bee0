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
  if (invalid instanceof HTMLElement) invalid.focus()
}

/**
 * @param {string | undefined} pointer
 * @param {string} ancestor
 */
function isWithin(pointer, ancestor) {
  return pointer === ancestor || pointer?.startsWith(`${ancestor}/`) === true
}
