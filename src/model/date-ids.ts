import { createIdKind } from './composite-ids.ts'
import type { Kind } from './kinds.ts'
import type { IdPart } from './model.ts'

/** The kind of an id that is a date: a column of PostgreSQL may contain dates that no attribute can have. */
export function toDateId(parts: readonly IdPart[], kind: Kind<string>): Kind<string> {
  const stored = createIdKind(parts)
  const read = (json: unknown) => {
    const result = stored.readFilterValue(json)
    return 'value' in result ? result : kind.readFilterValue(json)
  }
  return { ...kind, readFilterValue: read, readFilterText: read, schema: { type: 'string' } }
}
