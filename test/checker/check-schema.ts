import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Violation } from './violation.ts'
import { isObject } from './violation.ts'

const file = new URL('../schemas/schema.json', import.meta.url)
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
const { uri: isUri } = ajv.formats
if (typeof isUri !== 'function') throw new Error('ajv-formats has no function for "uri"')

// The official schema accepts only absolute links. The specification also allows relative ones.
ajv.addFormat('uri', (text: string) =>
  Boolean(isUri(/^\/(?!\/)/.test(text) ? `http://host${text}` : text)),
)
const validate = ajv.compile(JSON.parse(readFileSync(file, 'utf8')))

/**
 * Longer lists are truncated before validation, because the schema compares every pair of entries. Our own checks read
 * whole lists.
 */
const maxListLength = 200

/** Validates a document with the official JSON Schema. https://jsonapi.org/faq/#is-there-a-json-schema-describing-json-api */
export function checkSchema(body: unknown): Violation[] {
  if (validate(truncateLists(body))) return []
  return (validate.errors ?? []).map(({ instancePath, message }) => {
    return { rule: 'DOC-7', pointer: instancePath, message: `official schema: ${message}` }
  })
}

function truncateLists(body: unknown): unknown {
  if (!isObject(body)) return body
  const truncated = Object.entries(body).map(([name, value]) => {
    return [name, Array.isArray(value) ? value.slice(0, maxListLength) : value]
  })
  return Object.fromEntries(truncated)
}
