import type { Identifier } from '../reference/reference-document.ts'
import { getType, type JsonValue, type Schema } from '../schema.ts'
import { resourcePath } from './collection-request.ts'
import { jsonOf } from './exact-json.ts'

/** The linkage of a relationship in a document. */
export type Linkage = Identifier | readonly Identifier[] | null

/** A relationship of one resource, in a path. */
export interface Target {
  readonly type: string
  readonly id: string
  readonly relationship: string
}

/** The parts of the document of a resource; `says` is its `type`. */
export interface ParsedResource {
  readonly says: string
  readonly attributes: Readonly<Record<string, JsonValue>>
  readonly relationships: Readonly<Record<string, Linkage>>
}

/** A request that writes. */
export type Write =
  | (ParsedResource &
      Readonly<{ is: 'create'; type: string; id?: JsonValue; parent?: Target | undefined }>)
  | (ParsedResource & Readonly<{ is: 'update'; type: string; id: string }>)
  | Readonly<{
      is: 'relate'
      target: Target
      change: 'add' | 'remove' | 'replace'
      linkage: Linkage
    }>
  | Readonly<{ is: 'delete'; type: string; id: string }>

/** A request as it is sent. */
interface WriteRequest {
  readonly method: string
  readonly path: string
  /** The text of the body; absent for none. */
  readonly raw?: string
}

const methods = { add: 'POST', remove: 'DELETE', replace: 'PATCH' } as const

/** Makes the HTTP request of a write. */
export function requestOf(schema: Schema, write: Write): WriteRequest {
  switch (write.is) {
    case 'create': {
      const { parent, type } = write
      const path = parent
        ? `${resourcePath(schema, parent.type, parent.id)}/${parent.relationship}`
        : getType(schema, type).path
      return { method: 'POST', path, raw: jsonOf({ data: resource(write, write.id) }) }
    }
    case 'update': {
      const path = resourcePath(schema, write.type, write.id)
      return { method: 'PATCH', path, raw: jsonOf({ data: resource(write, write.id) }) }
    }
    case 'relate': {
      const { type, id, relationship } = write.target
      const path = `${resourcePath(schema, type, id)}/relationships/${relationship}`
      return { method: methods[write.change], path, raw: jsonOf({ data: write.linkage }) }
    }
    case 'delete':
      return { method: 'DELETE', path: resourcePath(schema, write.type, write.id) }
  }
}

function resource(words: ParsedResource, id: JsonValue | undefined): unknown {
  const relationships = Object.entries(words.relationships).map(([name, data]) => [name, { data }])
  return {
    type: words.says,
    id,
    attributes: words.attributes,
    relationships: Object.fromEntries(relationships),
  }
}
