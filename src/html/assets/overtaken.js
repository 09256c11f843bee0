import { getCredentials } from './credentials.js'
import { focusError } from './form-errors.js'
import { listFields } from './form-fields.js'
import { adoptText, adoptValue, isTextChanged } from './form-values.js'
import { readLinkage } from './linkage.js'

/** The characters of a value that are shown. */
const maxLength = 300

/** @typedef {import('./request.js').ApiDocument} ApiDocument */

/**
 * The condition of a write: what the page shows has not changed since. A page with a part of a relationship has no version; who removes
 * a member of it only needs that its owner exists.
 * @param {string} method
 * @returns {Record<string, string>}
 */
export function getCondition(method) {
  const { version } = document.body.dataset
  if (method === 'POST') return {}
  if (version !== undefined) return { 'If-Match': `"${version}"` }
  return method === 'DELETE' ? { 'If-Match': '*' } : {}
}

/**
 * True if a write was rejected because something has changed since the page was loaded.
 * @param {ApiDocument} document
 */
export function isOvertaken({ errors = [] }) {
  return errors.some(({ code }) => code === 'version_conflict')
}

/**
 * True if a relationship that the user changes in a form is no longer what the form shows. The version of a resource does not contain
 * the members of its relationships.
 * @param {HTMLFormElement} form
 */
export async function isLinkageOvertaken(form) {
  for (const control of listLinkage(form)) {
    if (!isTextChanged(control)) continue
    const { text } = await readLinkage(control)
    if (text !== undefined && text !== control.defaultValue) return true
  }
  return false
}

/**
 * Says what has changed since the page was loaded, and keeps what the user has entered. What is sent next replaces it.
 * @param {HTMLElement} place - an element for the text
 * @param {string} again - the text of the button that sends it again
 * @param {HTMLFormElement} [form]
 * @returns {Promise<boolean>} false if there is no such page any more
 */
export async function showOvertaken(place, again, form) {
  const page = await loadPresentPage()
  if (page === undefined) return false
  const changes = [...listValueChanges(page), ...listMemberChanges(page)]
  if (form) changes.push(...(await adoptPresent(form, page)))
  const { version } = page.body.dataset
  if (version === undefined) delete document.body.dataset.version
  else document.body.dataset.version = version
  place.textContent = [
    'Since this page was loaded, somebody else has changed what it is about. Nothing was sent; what you have entered is kept.',
    ...(changes.length > 0 ? changes : ['The change is in something that the page does not show.']),
    `To send it all the same, press ${again} again.`,
  ].join('\n')
  focusError(place)
  return true
}

/** @returns {Promise<Document | undefined>} */
async function loadPresentPage() {
  const headers = { Accept: 'text/html', ...getCredentials() }
  const response = await fetch(location.href, { headers, cache: 'no-store' }).catch(() => undefined)
  if (!response?.ok) return undefined
  return new DOMParser().parseFromString(await response.text(), 'text/html')
}

/**
 * Lists the shown attributes that have another value in the present page.
 * @param {Document} page
 */
function listValueChanges(page) {
  const present = readValues(page)
  return [...readValues(document)].flatMap(([name, text]) => {
    const now = present.get(name)
    return now === undefined || now === text ? [] : [describeChange(name, text, now)]
  })
}

/** @param {Document} page */
function readValues(page) {
  const names = [...page.querySelectorAll('main dl.attributes dt')]
  return new Map(
    names.map((each) => [each.textContent, each.nextElementSibling?.textContent ?? '']),
  )
}

/**
 * Lists the members of a relationship that were added and removed.
 * @param {Document} page
 */
function listMemberChanges(page) {
  const [seen, present] = [readMembers(document), readMembers(page)]
  return [
    ...present.filter((each) => !seen.includes(each)).map((each) => `added: ${toShown(each)}`),
    ...seen.filter((each) => !present.includes(each)).map((each) => `removed: ${toShown(each)}`),
  ]
}

/** @param {Document} page */
function readMembers(page) {
  return [...page.querySelectorAll('main ul.members a')].map((each) => each.textContent ?? '')
}

/**
 * Shows the present values in a form, but for what the user has changed.
 * @param {HTMLFormElement} form
 * @param {Document} page
 * @returns {Promise<string[]>} the changes of relationships, which a page shows in its forms only
 */
async function adoptPresent(form, page) {
  for (const { control } of listFields(form)) {
    const present = page.getElementById(control.id)
    if (control.dataset.linkageAt === undefined && isControl(present))
      adoptValue(form, control, present)
  }
  const changes = []
  for (const control of listLinkage(form)) {
    const { text } = await readLinkage(control)
    if (text === undefined) continue
    const { seen = text } = control.dataset
    if (text !== seen) changes.push(describeChange(control.name, seen, text))
    adoptText(control, text, isTextChanged(control))
  }
  return changes
}

/**
 * Lists the inputs of relationships that have been loaded.
 * @param {HTMLFormElement} form
 */
function listLinkage(form) {
  return listFields(form).flatMap(({ control }) =>
    control instanceof HTMLSelectElement || control.dataset.seen === undefined ? [] : [control],
  )
}

/**
 * @param {Element | null} element
 * @returns {element is import('./form-fields.js').Control}
 */
function isControl(element) {
  return element !== null && 'value' in element
}

/**
 * @param {string} name
 * @param {string} seen
 * @param {string} present
 */
function describeChange(name, seen, present) {
  return `${name}: ${toShown(seen)} is now ${toShown(present)}`
}

/**
 * Quotes a text of any direction in one line.
 * @param {string} text
 */
function toShown(text) {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  const shown = line.length > maxLength ? `${line.slice(0, maxLength).toWellFormed()}…` : line
  return `\u2068“${shown}”\u2069`
}
