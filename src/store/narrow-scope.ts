import { sql } from 'kysely'
import type { Expression } from '../model/fields.ts'
import type { ResourceType } from '../model/model.ts'

/** Adds a condition to the scope of a type: rows that do not meet it do not belong to the type. */
export function narrowScope(resource: ResourceType, condition: Expression): ResourceType {
  const { scope } = resource
  const narrowed: Expression = (column) =>
    scope ? sql`(${scope(column)}) and ${condition(column)}` : condition(column)
  return { ...resource, scope: narrowed }
}
