/** The entry of the session storage with the control that has the focus when the page is loaded again. */
const entry = 'lapidary.focus'

/**
 * Loads the page again, because a change can alter everything that it shows, and keeps the place of the focus: the panel of the
 * control, which is closed then, or the control itself.
 * @param {Element} control
 */
export function reloadPage(control) {
  const kept = control.closest('details')?.querySelector('summary') ?? control
  const selector = toSelector(kept)
  const index = [...document.querySelectorAll(selector)].indexOf(kept)
  sessionStorage.setItem(entry, JSON.stringify({ path: location.pathname, selector, index }))
  location.reload()
}

/** Returns the focus to its place before the page was loaded again. */
export function restoreFocus() {
  const text = sessionStorage.getItem(entry)
  if (text === null) return
  sessionStorage.removeItem(entry)
  /** @type {{ path: string, selector: string, index: number }} */
  const { path, selector, index } = JSON.parse(text)
  if (path !== location.pathname) return
  const places = [...document.querySelectorAll(selector)]
  // What was removed is followed by the next of its kind, or it was the last one.
  const found = places[index] ?? places.at(-1) ?? document.querySelector('main [data-as]')
  const place = found ?? document.querySelector('main')
  if (place instanceof HTMLElement) place.focus()
}

/** @param {Element} control */
function toSelector({ id, localName }) {
  if (id !== '') return `#${CSS.escape(id)}`
  return localName === 'summary' ? 'main summary' : 'main button[data-send]'
}

/** The Escape key closes the innermost panel around the focus. What has been entered in it stays. */
export function closePanelsOnEscape() {
  document.addEventListener('keydown', (event) => {
    const { key, target, isComposing, defaultPrevented } = event
    if (key !== 'Escape' || isComposing || defaultPrevented || !(target instanceof Element)) return
    const panel = target.closest('details[open]')
    if (!(panel instanceof HTMLDetailsElement)) return
    panel.open = false
    panel.querySelector('summary')?.focus()
  })
}
