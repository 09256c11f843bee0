import type { Kind } from './kinds.ts'
import type { IdPart } from './model.ts'
import type { ReadResult } from './value-result.ts'

// The text of an id over several columns (docs/decisions/0063): the texts of its parts, joined by commas. In a part `~0` stands for
// `~` and `~1` for a comma, as in a JSON Pointer (RFC 6901). Each row has exactly one text, and each text at most one row.

/** Joins the texts of the parts of an id. */
export function joinId(parts: readonly string[]): string {
  return parts.map((part) => part.replaceAll('~', '~0').replaceAll(',', '~1')).join(',')
}

/** Splits an id into the texts of its parts, `undefined` if it contains a `~` that stands for nothing. */
export function splitId(id: string): string[] | undefined {
  if (/~(?![01])/.test(id)) return undefined
  return id.split(',').map((part) => part.replaceAll('~1', ',').replaceAll('~0', '~'))
}

/** Creates the kind of an id over several columns. */
export function createIdKind(parts: readonly IdPart[]): Kind<string> {
  const columns = parts.map(({ column }) => column).join(', ')
  const read = (json: unknown): ReadResult<string> => {
    const texts = typeof json === 'string' ? splitId(json) : undefined
    const values = texts?.length === parts.length ? readParts(texts, parts) : undefined
    if (values) return { value: joinId(values) }
    return { expected: `an id, the values of ${columns} joined by commas` }
  }
  const isOrdered = parts.every(({ kind }) => kind.operators !== 'plain')
  return {
    name: `id of ${columns}`,
    comparesAs: 'key',
    operators: isOrdered ? 'ordered' : 'plain',
    readBody: read,
    readFilterValue: read,
    readFilterText: read,
    serialize: JSON.stringify,
    schema: { type: 'string' },
    codec: 'text',
  }
}

/** Reads the texts of the parts as values in canonical form; `undefined` if one of them is invalid. */
function readParts(texts: readonly string[], parts: readonly IdPart[]): string[] | undefined {
  const values = parts.flatMap(({ kind }, index) => {
    const result = kind.readBody(texts[index])
    return 'value' in result ? [result.value] : []
  })
  return values.length === parts.length ? values : undefined
}
