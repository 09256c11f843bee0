import { send } from './request.js'

/** Fills the inputs of relationships with what is linked, when their form is opened: most resources are only read. */
export function enhanceLinkage() {
  for (const panel of document.querySelectorAll('details'))
    panel.addEventListener('toggle', () => void fillPanel(panel), { once: true })
}

/** @param {HTMLDetailsElement} panel */
async function fillPanel(panel) {
  const controls = [...panel.querySelectorAll('[data-linkage-at]')]
  for (const control of controls)
    if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement)
      await fillControl(control)
}

/**
 * Reads the ids that an input of a relationship shows, one per line.
 * @param {HTMLElement} control
 * @returns {Promise<{ isOk: boolean, text?: string }>} without a text if there are too many, or they cannot be loaded
 */
export async function readLinkage(control) {
  const { isOk, document } = await send('GET', control.dataset.linkageAt ?? '').catch(() => ({
    isOk: false,
    document: /** @type {import('./request.js').ApiDocument} */ ({}),
  }))
  const { data, links } = document
  if (!isOk || data === undefined || links?.next !== undefined) return { isOk }
  const ids = [data ?? []].flat().map(({ id }) => id)
  return { isOk, text: ids.join('\n') }
}

/**
 * Shows the linked ids. A relationship with further pages cannot be edited here: what is sent replaces all of it.
 * @param {HTMLInputElement | HTMLTextAreaElement} control
 */
async function fillControl(control) {
  const { isOk, text } = await readLinkage(control)
  if (text === undefined) {
    control.placeholder = isOk ? 'Too many to edit here: open the linkage' : 'Cannot be loaded'
    return
  }
  control.defaultValue = text
  control.dataset.seen = text
  control.disabled = false
}
