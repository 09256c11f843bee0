import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { truncateLists } from '../../cli/doctor/exchange/json-schema.ts'
import type { RuleViolation } from '../../cli/doctor/exchange/rule-violation.ts'

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
 * Validates a document with the official JSON Schema, which accepts only ASCII in member names. The specification allows all characters
 * from U+0080 on (https://jsonapi.org/format/1.0/#document-member-names-allowed-characters). https://jsonapi.org/faq/#is-there-a-json-schema-describing-json-api
 */
export function checkSchema(body: unknown): RuleViolation[] {
  if (validate(truncateLists(body, 4, toAsciiName))) return []
  return (validate.errors ?? []).map(({ instancePath, message }) => {
    return { rule: 'DOC-7', pointer: instancePath, message: `official schema: ${message}` }
  })
}

function toAsciiName(name: string): string {
  return name.replace(/[\u{80}-\u{10ffff}]/gu, (letter) => `u${letter.codePointAt(0)}`)
}
