import {
  getRelationship,
  getResourceType,
  type Model,
  type ResourceType,
  type Table,
} from '../../model/model.ts'
import { collectConditions } from '../../plan/affected-types.ts'
import type { ReadShape } from '../../plan/read.ts'
import { getAttribute } from '../tables.ts'

/**
 * Lists the tables that determine the number of resources of a list; a table may occur more than once.
 * @returns `undefined` if the SQL of a declaration is involved, which may depend on the time or on anything else
 */
export function countedTables(shape: ReadShape, model: Model): readonly Table[] | undefined {
  const resource = getResourceType(model, shape.type)
  const resources: ResourceType[] = [resource]
  const joinTables: Table[] = []
  const follow = (from: ResourceType, relationship: string) => {
    const { link, to } = getRelationship(from, relationship)
    resources.push(getResourceType(model, to))
    if (link.foreignKey === 'join table') joinTables.push(link.joinTable)
  }
  let usesColumnsOnly = true
  const checkField = (from: ResourceType, field: string) => {
    if (getAttribute(from, field).column === undefined) usesColumnsOnly = false
  }
  if (shape.addressed.is === 'related') {
    const parent = getResourceType(model, shape.addressed.type)
    resources.push(parent)
    follow(parent, shape.addressed.relationship)
  }
  for (const [from, condition] of collectConditions(shape.where, resource, model)) {
    if ('relationship' in condition) follow(from, condition.relationship)
    if (condition.is === 'call') usesColumnsOnly = false
    if ('field' in condition) checkField(from, condition.field)
    if ('other' in condition) checkField(from, condition.other)
  }
  if (!usesColumnsOnly || resources.some(({ scope }) => scope !== undefined)) return undefined
  return [...resources.map(({ table }) => table), ...joinTables]
}
