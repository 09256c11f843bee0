import { createElement } from './element.js'
import { parseExactJson } from './exact-json.js'

/** The entry of the session storage with the result of a call, until the page is loaded again. */
const entry = 'lapidary.result'
/** The resources of a result that are listed. */
const maxResources = 100
/** The characters of a result's JSON that are shown. */
const maxLength = 100_000

/** @typedef {Readonly<{ name: string, path: string, lines: string[], members: [string, string][], resources: { href: string, text: string }[], json: string }>} ActionResult */

/**
 * Loads the page again, because an action can change everything that it shows, and then shows the result of the call.
 * @param {HTMLFormElement} form
 * @param {string} text - the document of the response
 */
export function keepActionResult(form, text) {
  const { call = '', action = '' } = form.dataset
  sessionStorage.setItem(entry, JSON.stringify(describeResult(call, action, text)))
  location.reload()
}

/** Shows the result of the call that has loaded the page, in its form. */
export function showActionResult() {
  const text = sessionStorage.getItem(entry)
  if (text === null) return
  sessionStorage.removeItem(entry)
  /** @type {ActionResult} */
  const result = JSON.parse(text)
  const element = renderResult(result)
  const forms = [...document.querySelectorAll('form[data-call]')]
  const form = forms.find((each) => each.getAttribute('data-action') === result.path)
  const panel = form?.closest('details')
  if (panel) panel.open = true
  if (form) form.append(element)
  // The action has deleted the resource, or the identity may not call it again.
  else document.querySelector('main')?.prepend(element)
  element.focus()
}

/**
 * @param {string} name
 * @param {string} path
 * @param {string} text
 * @returns {ActionResult}
 */
function describeResult(name, path, text) {
  // The server has sent the document, and its numbers are only shown.
  const document = /** @type {import('./request.js').ApiDocument} */ (parseExactJson(text))
  const { data, meta = {} } = document
  const { message, ...members } = meta
  const all = [data ?? []].flat()
  const count = `${all.length.toLocaleString('en')} resource${all.length === 1 ? '' : 's'}`
  const isList = Array.isArray(data)
  const more = all.length - maxResources
  const lines = [
    ...(typeof message === 'string' ? [message] : []),
    ...(isList ? [more > 0 ? `${count}; the first ${maxResources} are` : count] : []),
  ]
  const json = JSON.stringify(document, null, 2)
  return {
    ...{ name, path, lines },
    members: data === undefined ? Object.entries(members).map(formatMember) : [],
    resources: all.slice(0, maxResources).map(({ type, id, links }) => ({
      href: links?.self ?? '',
      text: `${type} ${id}`,
    })),
    json: json.length > maxLength ? `${json.slice(0, maxLength)}…` : json,
  }
}

/**
 * @param {[string, unknown]} member
 * @returns {[string, string]}
 */
function formatMember([name, value]) {
  return [name, typeof value === 'string' ? value : JSON.stringify(value)]
}

/** @param {ActionResult} result */
function renderResult({ name, lines, members, resources, json }) {
  const heading = createElement('h3', {}, 'Result of ', createElement('bdi', {}, name))
  const element = createElement('section', { className: 'result', tabIndex: -1 }, heading)
  element.setAttribute('aria-label', `Result of ${name}`)
  for (const line of lines) element.append(createElement('p', {}, line))
  if (members.length > 0) element.append(renderMembers(members))
  if (resources.length > 0) element.append(renderResources(resources))
  const code = createElement('pre', { tabIndex: 0, ariaLabel: 'JSON of the result' }, json)
  code.setAttribute('role', 'region')
  element.append(createElement('details', {}, createElement('summary', {}, 'JSON'), code))
  return element
}

/** @param {ActionResult['members']} members */
function renderMembers(members) {
  const list = createElement('dl', { className: 'attributes' })
  for (const [name, value] of members)
    list.append(
      createElement('dt', {}, createElement('bdi', {}, name)),
      createElement('dd', {}, createElement('bdi', {}, value)),
    )
  return list
}

/** @param {ActionResult['resources']} resources */
function renderResources(resources) {
  const list = createElement('ul', { className: 'members' })
  for (const { href, text } of resources) {
    const name = createElement('bdi', {}, text)
    const item = href === '' ? name : createElement('a', { href }, name)
    list.append(createElement('li', {}, item))
  }
  return list
}
