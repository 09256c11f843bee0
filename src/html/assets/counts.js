import { send } from './request.js'

/** The counts that are requested at the same time. */
const concurrency = 4

/** Shows the number of resources of each type on the landing page. A count that fails stays absent. */
export async function showCounts() {
  /** @type {HTMLElement[]} */
  const cells = [...document.querySelectorAll('[data-count-of]')].filter(
    (cell) => cell instanceof HTMLElement,
  )
  const next = async () => {
    for (let cell = cells.shift(); cell !== undefined; cell = cells.shift()) await showCount(cell)
  }
  await Promise.all(Array.from({ length: concurrency }, next))
}

/** @param {HTMLElement} cell */
async function showCount(cell) {
  const query = new URLSearchParams({ 'page[size]': '1' })
  try {
    const { document } = await send('GET', `${cell.dataset.countOf}?${query}`)
    const { count } = document.meta ?? {}
    if (typeof count === 'number') cell.textContent = count.toLocaleString('en')
  } catch {
    // The table shows a dash.
  }
}
