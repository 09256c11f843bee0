/** Writes a value as JSON text: `bigint`s with all of their digits, and −0 as `-0`. */
export function jsonOf(value: unknown): string {
  if (Object.is(value, -0)) return '-0'
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`
  const members = Object.entries(value).filter(([, each]) => each !== undefined)
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${jsonOf(each)}`).join(',')}}`
}

/** Parses JSON. Whole numbers beyond the exact range of a double become `bigint`s. */
export function parseExactly<Parsed>(text: string): Parsed {
  return JSON.parse(text, exact)
}

/** A reviver; its third argument (JSON.parse source text access, ES2026) is not in TypeScript's library yet. */
function exact(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const source = context?.source ?? ''
  return /^-?\d+$/.test(source) ? BigInt(source) : value
}
