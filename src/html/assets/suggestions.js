import { createElement } from './element.js'
import { loadModel, send } from './request.js'

/** Milliseconds without a key before a search is sent. */
const delay = 200
/** A search for one letter reads much and finds nothing in particular. */
const minLength = 2

/** Suggests resources in inputs that take an id: it searches the text of the input in their first text attribute. */
export function enhanceSuggestions() {
  for (const input of document.querySelectorAll('input[data-as="id"][data-to]'))
    if (input instanceof HTMLInputElement) enhanceInput(input)
}

/** @param {HTMLInputElement} input */
function enhanceInput(input) {
  const list = createElement('datalist', { id: `${input.id}-list` })
  input.after(list)
  input.setAttribute('list', list.id)
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void suggest(input, list), delay)
  })
}

/**
 * @param {HTMLInputElement} input
 * @param {HTMLDataListElement} list
 */
async function suggest(input, list) {
  const type = (await loadModel())[input.dataset.to ?? '']
  const field = type?.fields.find(({ kind }) => kind === 'text')
  if (type === undefined || field === undefined || input.value.length < minLength) return
  const filter = JSON.stringify([{ name: field.name, op: 'ilike', val: input.value }])
  const query = new URLSearchParams({ filter, 'page[size]': '10' })
  const { document } = await send('GET', `${type.path}?${query}`)
  const found = Array.isArray(document.data) ? document.data : []
  list.replaceChildren(
    ...found.map(({ id, attributes }) =>
      createElement('option', { value: id }, String(attributes?.[field.name] ?? id)),
    ),
  )
}
