// Runs in a page. Describes the element that has the focus, and what a user could not see of it. The element before is kept in
// the page: one that Tab reaches must not be above it, nor left of it on its line.
;(() => {
  const element = document.activeElement ?? document.body
  const isPage = element === document.body || element === document.documentElement

  function listViolations() {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
    // A link may begin at the end of a line.
    const [box] = element.getClientRects()
    const { left, top, right, bottom, width, height } = box ?? element.getBoundingClientRect()
    const isOutlined = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2
    // Only the target of the skip link is marked at its side.
    const isMarked = element.localName === 'main' && boxShadow !== 'none'
    const isInView = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth
    const x = Math.min(Math.max(left + 4, 1), innerWidth - 2)
    const y = Math.min(Math.max(top + Math.min(height / 2, 12), 1), innerHeight - 2)
    const onTop = document.elementFromPoint(x, y)
    const isCovered = onTop !== null && !element.contains(onTop) && !onTop.contains(element)
    return [
      ...(isOutlined || isMarked ? [] : ['has no focus indicator']),
      ...(isInView && width > 0 ? [] : ['is outside the viewport']),
      ...(isInView && isCovered ? [`is covered by ${onTop.localName}`] : []),
      ...[...document.querySelectorAll('a, button, input, select, textarea, summary')]
        .filter((each) => each !== element && getComputedStyle(each).outlineStyle !== 'none')
        .map((each) => `${each.localName} looks focused, too`),
    ]
  }

  // Cells of a row are beside each other, whatever the height of what is in them.
  function measure() {
    const area = element.closest('th, td') ?? element
    const { left, top, right, bottom } = area.getBoundingClientRect()
    const region = element.closest('nav, main, aside')
    return { element, area, region, left, right, top: top + scrollY, bottom: bottom + scrollY }
  }

  function isBefore(before, after) {
    if (before.region !== after.region || before.area === after.area) return false
    if (before.area.contains(after.area) || before.area.closest('pre')) return false
    if (after.bottom <= before.top) return true
    const isOnOneLine = after.top < before.bottom && before.top < after.bottom
    return isOnOneLine && after.right <= before.left
  }

  const violations = isPage ? [] : listViolations()
  const place = measure()
  const { placeBefore } = window
  const isBackwards = placeBefore !== undefined && isBefore(placeBefore, place)
  window.placeBefore = place
  const text = element.ariaLabel ?? element.labels?.[0]?.innerText ?? element.innerText ?? ''
  const describedBy = element.getAttribute('aria-describedby')?.split(' ') ?? []
  const descriptions = describedBy.map((id) => document.getElementById(id))
  const isSeen = (each) => {
    const { top, bottom } = each.getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  }
  const shown = descriptions.filter((each) => each?.innerText && isSeen(each))
  return {
    name: text.trim().slice(0, 80),
    tag: isPage ? 'body' : element.localName,
    value: element.value ?? '',
    isInvalid: element.ariaInvalid === 'true',
    description: shown.map((each) => each.innerText).join(' '),
    isBackwards,
    violations,
  }
})()
