import { sql } from 'kysely'
import { findTable } from '../model/catalog.ts'
import type { Expression } from '../model/declare/fields.ts'
import type { Field, Model, ResourceType } from '../model/model.ts'
import type { DatabaseFacts } from './database-facts.ts'
import { isKeyPresent } from './keys/keys.ts'
import { and } from './tables.ts'

/** What the served model depends on. */
type ServedFacts = Pick<DatabaseFacts, 'catalog' | 'rowsWithoutId' | 'expressions' | 'collations'>

/**
 * Creates the model that SQL is compiled for: the declared one, except that the scopes of types exclude rows without an id, and that
 * columns are compared as the database has them.
 * @returns the declared model if nothing differs
 */
export function serveModel(model: Model, facts: ServedFacts): Model {
  const types = [...model.types].map(
    ([type, resource]) => [type, serveType(resource, facts)] as const,
  )
  const isChanged = types.some(([type, served]) => served !== model.types.get(type))
  return isChanged ? { ...model, types: new Map(types) } : model
}

function serveType(resource: ResourceType, facts: ServedFacts): ResourceType {
  const fields = [...resource.fields].map(
    ([name, field]) => [name, serveField(field, facts)] as const,
  )
  const isChanged = fields.some(([name, served]) => served !== resource.fields.get(name))
  const served = isChanged ? { ...resource, fields: new Map(fields) } : resource
  const hasId = compileHasId(resource, facts)
  return hasId ? narrowScope(served, hasId) : served
}

function serveField(field: Field, facts: ServedFacts): Field {
  if (field.is === 'attribute') {
    const expression = facts.expressions.get(field)
    return expression ? { ...field, expression } : field
  }
  if (field.is === 'computed') return field
  const collations = facts.collations.get(field)
  return collations ? { ...field, link: { ...field.link, collations } } : field
}

/**
 * Compiles whether a row of a type has an id; `undefined` if all rows have. Those of a view are excluded if it is null: the start refuses
 * a view that has some, but its tables may get some later. Types of views have no SQL in the shorter forms of types without a scope
 * then; types of tables are unchanged.
 */
function compileHasId(
  { type, id, table }: ResourceType,
  { catalog, rowsWithoutId }: ServedFacts,
): Expression | undefined {
  const found = rowsWithoutId.get(type)
  if (found) return found.hasId
  const isView = table.call === undefined && findTable(catalog, table)?.is === 'view'
  return isView ? (column) => and(isKeyPresent(id.columns.map(column))) : undefined
}

/** Adds a condition to the scope of a type: rows that do not meet it do not belong to the type. */
function narrowScope(resource: ResourceType, condition: Expression): ResourceType {
  const { scope } = resource
  const narrowed: Expression = (column) =>
    scope ? sql`(${scope(column)}) and ${condition(column)}` : condition(column)
  return { ...resource, scope: narrowed }
}
