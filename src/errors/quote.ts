/** The longest quoted name or value in an error detail, in characters. */
const maxLength = 80

/** Quotes a name or value for an error detail, as JSON of at most 80 characters; longer text ends with `…`. */
export function quote(value: unknown): string {
  const text =
    typeof value === 'bigint' ? String(value) : (JSON.stringify(firstParts(value)) ?? 'nothing')
  return text.length <= maxLength
    ? text
    : `${truncate(text, maxLength - 3)}…${text.startsWith('"') ? '"' : ''}`
}

/** Lists names for a message, each in quotation marks. */
export function quoteNames(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}

/** Returns the first `length` characters of a text, without splitting a surrogate pair. */
export function truncate(text: string, length: number): string {
  return text.slice(0, length).toWellFormed()
}

/**
 * Copies only as much of a value as an error detail can show. A client's value may be long and deeply nested; the cost of
 * the copy is limited, because each visited part adds at least one character to the detail.
 */
function firstParts(value: unknown): unknown {
  let remaining = maxLength + 1
  const copy = (part: unknown): unknown => {
    remaining -= 1
    if (typeof part === 'string') return part.slice(0, maxLength + 1)
    if (typeof part === 'bigint') return String(part)
    if (typeof part !== 'object' || part === null || 'toJSON' in part) return part
    if (Array.isArray(part)) {
      const elements: unknown[] = []
      for (const element of part) {
        if (remaining <= 0) break
        elements.push(copy(element))
      }
      return elements
    }
    const members: [string, unknown][] = []
    for (const [name, member] of Object.entries(part)) {
      if (remaining <= 0) break
      members.push([name.slice(0, maxLength + 1), copy(member)])
    }
    return Object.fromEntries(members)
  }
  return copy(value)
}
