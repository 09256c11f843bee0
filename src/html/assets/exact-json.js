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
