import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Violation } from './violation.ts'

const file = new URL('../schemas/schema.json', import.meta.url)
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  validateSchema: false,
  code: { optimize: false },
})
addFormats.default(ajv)
const { uri: isUri } = ajv.formats
if (typeof isUri !== 'function') throw new Error('ajv-formats has no function for "uri"')

// The official schema accepts only absolute links. The specification also allows relative ones.
ajv.addFormat('uri', (text: string) =>
  Boolean(isUri(/^\/(?!\/)/.test(text) ? `http://host${text}` : text)),
)
const validate = ajv.compile(JSON.parse(readFileSync(file, 'utf8')))

/**
 * Of longer lists only the first and the last entries are validated, because the schema compares every pair of entries.
 * Our own checks read complete lists.
 */
const maxListLength = 20

/**
 * Validates a document with the official JSON Schema, which accepts only ASCII in member names. The specification allows all characters
 * from U+0080 on (https://jsonapi.org/format/1.0/#document-member-names-allowed-characters). https://jsonapi.org/faq/#is-there-a-json-schema-describing-json-api
 */
export function checkSchema(body: unknown): Violation[] {
  if (validate(truncateLists(body, 4, toAsciiName))) return []
  return (validate.errors ?? []).map(({ instancePath, message }) => {
    return { rule: 'DOC-7', pointer: instancePath, message: `official schema: ${message}` }
  })
}

const beyondAscii = /[\u{80}-\u{10ffff}]/u

function toAsciiName(name: string): string {
  return name.replace(/[\u{80}-\u{10ffff}]/gu, (letter) => `u${letter.codePointAt(0)}`)
}

/**
 * Shortens long lists. Returns the value itself if there is nothing to change.
 * @param depth - how many levels of the document may hold lists: linkage is four below the top
 * @param rename - makes names with characters beyond ASCII others
 */
export function truncateLists(
  value: unknown,
  depth: number,
  rename?: (name: string) => string,
): unknown {
  const isChanged = hasLongList(
    value,
    depth,
    (name) => rename !== undefined && beyondAscii.test(name),
  )
  return isChanged ? truncate(value, depth, rename ?? ((name) => name)) : value
}

/** Whether a value has a long list, or a member with such a name. */
function hasLongList(value: unknown, depth: number, isFound: (name: string) => boolean): boolean {
  if (typeof value !== 'object' || value === null || depth < 0) return false
  if (Array.isArray(value))
    return value.length > maxListLength || value.some((each) => hasLongList(each, depth, isFound))
  return Object.entries(value).some(
    ([name, each]) => isFound(name) || hasLongList(each, depth - 1, isFound),
  )
}

function truncate(value: unknown, depth: number, rename: (name: string) => string): unknown {
  if (typeof value !== 'object' || value === null || depth < 0) return value
  if (!Array.isArray(value)) {
    const members = Object.entries(value)
    return Object.fromEntries(
      members.map(([name, each]) => [rename(name), truncate(each, depth - 1, rename)]),
    )
  }
  const half = maxListLength / 2
  const some =
    value.length > maxListLength ? [...value.slice(0, half), ...value.slice(-half)] : value
  return some.map((each) => truncate(each, depth, rename))
}
