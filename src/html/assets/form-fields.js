/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Control */

/**
 * Lists the inputs of a form that stand for a member of the document.
 * @param {HTMLFormElement} form
 * @returns {{ field: HTMLElement, control: Control, pointer: string }[]}
 */
export function listFields(form) {
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
