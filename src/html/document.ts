import { isObject, type JsonValue, parseExactJson } from '../model/kinds/json.ts'

/** A resource identifier object. */
export interface ShownIdentifier {
  readonly type: string
  readonly id: string
}

/** A relationship object; `data` is absent unless the document has linkage, and `meta` unless the resources are counted or a page. */
export interface ShownRelationship {
  readonly meta?: Readonly<{ count?: JsonValue; page?: Readonly<{ hasMore: boolean }> }>
  readonly links?: Readonly<Record<string, string>>
  readonly data?: ShownIdentifier | readonly ShownIdentifier[] | null
}

/** A resource object; of an identifier, the other members are absent. */
export interface ShownResource extends ShownIdentifier {
  readonly attributes?: Readonly<Record<string, JsonValue>>
  readonly relationships?: Readonly<Record<string, ShownRelationship>>
  readonly links?: Readonly<Record<string, string>>
}

/** An error object. */
export interface ShownError {
  readonly status?: string
  readonly code?: string
  readonly title?: string
  readonly detail?: string
  readonly source?: Readonly<{ pointer?: string; parameter?: string; header?: string }>
  /** Where its type is described; in JSON:API 1.1. */
  readonly links?: Readonly<{ type?: string }>
}

/** A JSON:API document of this server. */
export interface ShownDocument {
  readonly data?: ShownResource | readonly ShownResource[] | null
  readonly included?: readonly ShownResource[]
  readonly errors?: readonly ShownError[]
  readonly links?: Readonly<Record<string, string>>
  readonly meta?: Readonly<Record<string, JsonValue>>
}

/** Parses the text of a document of this server. All digits of its numbers are kept. */
export function parseDocument(text: string): ShownDocument {
  const document = parseExactJson(text)
  // The serializer of the engine wrote the text.
  return isObject(document) ? (document as ShownDocument) : {}
}

/** Returns the resources of `data` as a list. */
export function listData({ data }: ShownDocument): readonly ShownResource[] {
  if (data === undefined || data === null) return []
  return isArray(data) ? data : [data]
}

/** True for an array; the signature of `Array.isArray` does not cover readonly arrays. */
export function isArray<Item>(value: unknown | readonly Item[]): value is readonly Item[] {
  return Array.isArray(value)
}
