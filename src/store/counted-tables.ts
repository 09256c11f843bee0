import {
  getRelationship,
  getResourceType,
  type Model,
  type ResourceType,
  type Table,
} from '../model/model.ts'
import { collectConditions } from '../plan/affected-types.ts'
import type { ReadShape } from '../plan/read.ts'
import { getAttribute } from './tables.ts'

/**
 * The tables whose rows alone decide how many resources a list has over all pages, each as often as it is asked;
 * `undefined` where SQL of a declaration has a say in it, which may ask for the time or for anything else.
 */
export function countedTables(shape: ReadShape, model: Model): readonly Table[] | undefined {
  const resource = getResourceType(model, shape.type)
  const asked: ResourceType[] = [resource]
  const tables: Table[] = []
  const follow = (from: ResourceType, relationship: string) => {
    const { link, to } = getRelationship(from, relationship)
    asked.push(getResourceType(model, to))
    if (link.foreignKey === 'join table') tables.push(link.joinTable)
  }
  let isOfColumns = true
  const read = (from: ResourceType, field: string) => {
    if (getAttribute(from, field).column === undefined) isOfColumns = false
  }
  if (shape.scope.is === 'related') {
    const parent = getResourceType(model, shape.scope.type)
    asked.push(parent)
    follow(parent, shape.scope.relationship)
  }
  for (const [from, condition] of collectConditions(shape.where, resource, model)) {
    if (condition.is === 'related') follow(from, condition.relationship)
    if ('field' in condition) read(from, condition.field)
    if ('other' in condition) read(from, condition.other)
  }
  if (!isOfColumns || asked.some(({ scope }) => scope !== undefined)) return undefined
  return [...asked.map(({ table }) => table), ...tables]
}
