import type { TestResponse } from '../test-response.ts'
import type { Engine } from './engine.ts'

/** A create with attributes as JSON texts. */
export function create(
  app: Engine,
  attributes: Readonly<Record<string, string>>,
): Promise<TestResponse> {
  const members = Object.entries(attributes).map(([name, json]) => `"${name}":${json}`)
  const raw = `{"data":{"type":"thing","attributes":{${members.join(',')}}}}`
  return app.call('POST', '/things', jsonApi(raw))
}

/** A body as it is written, with its header fields. */
export const jsonApi = (raw: string) => ({
  raw,
  headers: {
    'Content-Type': 'application/vnd.api+json',
    'Content-Length': String(Buffer.byteLength(raw)),
  },
})

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown

/** Numbers as they are spelled in the document (JSON.parse source text access, ES2026), all else as JSON. */
const keepSpelling: Reviver = (_key, value, context) => {
  if (typeof value === 'number') return context?.source
  return typeof value === 'object' && value !== null ? value : JSON.stringify(value)
}

/** Serializes a value of `asSpelled` as JSON text without spaces. */
function joinSpelled(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return `[${value.map(joinSpelled).join(',')}]`
  const members = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}:${joinSpelled(each)}`,
  )
  return `{${members.join(',')}}`
}

/** The attribute of the one resource of a response, as JSON text. */
export function attributeText({ text: body }: TestResponse, name: string): unknown {
  const document: { data: { attributes: Record<string, unknown> } } = JSON.parse(body, keepSpelling)
  return joinSpelled(document.data.attributes[name])
}

/** The attribute of each resource of a list, as JSON text. */
export function attributeTexts({ text: body }: TestResponse, name: string): unknown[] {
  const document: { data: { attributes: Record<string, unknown> }[] } = JSON.parse(
    body,
    keepSpelling,
  )
  return document.data.map(({ attributes }) => joinSpelled(attributes[name]))
}
