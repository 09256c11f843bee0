import { JSDOM } from 'jsdom'

// Imported before React: the globals of a browser.

const options = { url: 'http://localhost/', pretendToBeVisual: true }
const { window } = new JSDOM('<!doctype html><body></body>', options)

/** Those of Node.js that the components must not get instead. */
const replaced = [
  'navigator',
  'localStorage',
  'sessionStorage',
  'Event',
  'CustomEvent',
  'EventTarget',
]
const names = Object.getOwnPropertyNames(window).filter((name) => !(name in globalThis))
for (const name of [...names, ...replaced, 'window', 'document'])
  Object.defineProperty(globalThis, name, {
    value: name === 'window' ? window : window[name],
    configurable: true,
    writable: true,
  })
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
Object.assign(window, { scrollTo: () => {} })

/** Stops the timers of the page. */
export function closeWindow(): void {
  window.close()
}
