import type { IdPart } from '../model.ts'
import { furtherValues } from './further-values.ts'
import type { Kind } from './kinds.ts'
import type { ReadResult } from './value-result.ts'

// The text of an id over several columns (docs/decisions/0063): the texts of its parts, joined by commas. In a part `~0` stands for
// `~` and `~1` for a comma, as in a JSON Pointer (RFC 6901). Each row has exactly one text, and each text at most one row.

/** Joins the texts of the parts of an id. */
export function joinId(parts: readonly string[]): string {
  return parts.map((part) => part.replaceAll('~', '~0').replaceAll(',', '~1')).join(',')
}

/** Splits an id into the texts of its parts, `undefined` if it contains a `~` without `0` or `1` after it. */
export function splitId(id: string): string[] | undefined {
  if (/~(?![01])/.test(id)) return undefined
  return id.split(',').map((part) => part.replaceAll('~1', ',').replaceAll('~0', '~'))
}

/**
 * Creates the kind of an id over several columns. A filter value may be any stored id; the id of a new resource consists of values of
 * the kinds of its columns.
 */
export function createIdKind(parts: readonly IdPart[]): Kind<string> {
  const columns = parts.map(({ column }) => column).join(', ')
  const createRead = (readPart: typeof readNewPart) => {
    return (json: unknown): ReadResult<string> => {
      const texts = typeof json === 'string' ? splitId(json) : undefined
      const values = texts?.length === parts.length ? readParts(texts, parts, readPart) : undefined
      if (values) return { value: joinId(values) }
      return { expected: `an id, the values of ${columns} joined by commas` }
    }
  }
  const readStored = createRead(readStoredPart)
  const isOrdered = parts.every(({ kind }) => kind.operators !== 'plain')
  return {
    name: `id of ${columns}`,
    comparesAs: 'key',
    operators: isOrdered ? 'ordered' : 'plain',
    readBody: createRead(readNewPart),
    readFilterValue: readStored,
    readFilterText: readStored,
    serialize: JSON.stringify,
    schema: { type: 'string' },
    codec: 'text',
  }
}

/** Creates the kind of an id over one column: a path, or a filter, may have any stored id. */
export function createSingleIdKind(part: IdPart): Kind<string> {
  const { kind } = part
  if (!Object.hasOwn(furtherValues, String(kind.codec))) return kind
  const stored = createIdKind([part])
  const read = (json: unknown) => {
    const result = stored.readFilterValue(json)
    return 'value' in result ? result : kind.readFilterValue(json)
  }
  return { ...kind, readFilterValue: read, readFilterText: read, schema: { type: 'string' } }
}

/** Reads the texts of the parts as values in canonical form; `undefined` if one of them is invalid. */
function readParts(
  texts: readonly string[],
  parts: readonly IdPart[],
  readPart: typeof readNewPart,
): string[] | undefined {
  const values = parts.flatMap(({ kind }, index) => readPart(texts[index] ?? '', kind) ?? [])
  return values.length === parts.length ? values : undefined
}

function readNewPart(text: string, kind: Kind<string>): string | undefined {
  const result = kind.readBody(text)
  return 'value' in result ? result.value : undefined
}

/** Reads a part of a stored id. A column of PostgreSQL may contain values that no attribute can have. */
function readStoredPart(text: string, kind: Kind<string>): string | undefined {
  return furtherValues[String(kind.codec)]?.(text) ? text : readNewPart(text, kind)
}
