/**
 * Parses JSON so that `JSON.stringify` writes its numbers with all digits, where the browser can (`JSON.rawJSON`).
 * @param {string} text
 * @returns {unknown}
 * @throws {SyntaxError}
 */
export function parseExactJson(text) {
  const rawJson = Reflect.get(JSON, 'rawJSON')
  if (typeof rawJson !== 'function') return JSON.parse(text)
  /** @type {(key: string, value: unknown, context?: { source?: string }) => unknown} */
  const keepDigits = (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined ? rawJson(context.source) : value
  return JSON.parse(text, keepDigits)
}

/**
 * True for a number that `parseExactJson` has kept with its digits; `JSON.stringify` returns them.
 * @param {unknown} value
 */
export function isExactNumber(value) {
  const isRawJson = Reflect.get(JSON, 'isRawJSON')
  return typeof isRawJson === 'function' && isRawJson(value) === true
}

/** A number as JSON writes it. */
const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * True for the JSON of a number.
 * @param {string} text
 */
export function isNumberText(text) {
  return numberPattern.test(text)
}
