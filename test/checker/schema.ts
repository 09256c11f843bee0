import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Breach } from './breach.ts'
import { isObject } from './breach.ts'

const file = new URL('../schemas/schema.json', import.meta.url)
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
const { uri: isUri } = ajv.formats
if (typeof isUri !== 'function') throw new Error('ajv-formats brings no function for "uri"')

// The official schema knows absolute links only; the specification allows paths as well.
ajv.addFormat('uri', (text: string) =>
  Boolean(isUri(/^\/(?!\/)/.test(text) ? `http://host${text}` : text)),
)
const validate = ajv.compile(JSON.parse(readFileSync(file, 'utf8')))

/**
 * Long lists are cut before the schema sees them: it compares every entry with every other one, and our own
 * checks read all of them anyway.
 */
const longest = 200

/** What the official JSON Schema has against a document. */
export function checkSchema(body: unknown): Breach[] {
  if (validate(shortened(body))) return []
  return (validate.errors ?? []).map(({ instancePath, message }) => {
    return { rule: 'DOC-7', at: instancePath, why: `official schema: ${message}` }
  })
}

function shortened(body: unknown): unknown {
  if (!isObject(body)) return body
  const cut = Object.entries(body).map(([name, value]) => {
    return [name, Array.isArray(value) ? value.slice(0, longest) : value]
  })
  return Object.fromEntries(cut)
}
