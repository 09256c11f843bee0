import type { Page } from 'playwright-core'

/**
 * Finds content of a page that a viewer cannot see or read: a page that scrolls sideways, boxes that cut their content off, boxes
 * beyond the viewport, and texts that overlap. What scrolls by itself, such as a table, may be wider than the viewport.
 */
export function findCutContent(page: Page): Promise<readonly string[]> {
  return page.evaluate(script)
}

/** A function as text, because its types are those of a browser. */
const script = `(() => {
  const root = document.documentElement
  const found = []
  if (root.scrollWidth > root.clientWidth) found.push('the page is ' + root.scrollWidth + ' wide')
  const name = (element) =>
    element.localName + ' ' + JSON.stringify(element.textContent.trim().slice(0, 30))
  const isShown = (element) => element.checkVisibility() && !element.closest('.hidden, .skip')
  const clipping = (element) =>
    element && element !== document.body &&
    (getComputedStyle(element).overflowX === 'visible' ? clipping(element.parentElement) : element)
  const texts = []
  for (const element of document.body.querySelectorAll('*')) {
    if (!isShown(element)) continue
    const { overflowX } = getComputedStyle(element)
    const excess = element.scrollWidth - element.clientWidth
    if (overflowX === 'hidden' && excess > 1) found.push(name(element) + ' cuts ' + excess)
    const clip = (clipping(element) || root).getBoundingClientRect()
    const own = element.getBoundingClientRect()
    if (!clipping(element.parentElement) && own.right > root.clientWidth + 1)
      found.push(name(element) + ' is beyond the viewport')
    for (const node of element.childNodes) {
      if (node.nodeType !== Node.TEXT_NODE || node.data.trim() === '') continue
      const range = document.createRange()
      range.selectNodeContents(node)
      for (const box of range.getClientRects()) {
        const left = Math.max(box.left, clip.left)
        const right = Math.min(box.right, clip.right)
        const top = Math.max(box.top, clip.top)
        const bottom = Math.min(box.bottom, clip.bottom)
        if (right - left > 2 && bottom - top > 2) texts.push({ left, right, top, bottom, element })
      }
    }
  }
  // The boxes of two lines overlap a little where a line is lower than the font.
  for (const [index, one] of texts.entries())
    for (const other of texts.slice(index + 1)) {
      const width = Math.min(one.right, other.right) - Math.max(one.left, other.left)
      const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
      if (width > 2 && height > 6) found.push(name(one.element) + ' overlaps ' + name(other.element))
    }
  return found
})()`
