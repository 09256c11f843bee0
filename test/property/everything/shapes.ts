import { getRelationship, getType, type Schema } from '../schema.ts'

/**
 * Names the properties of a relationship that matter to the databases: how many resources it leads to, where the key is, and
 * whether it leads back to its own type, to rows of a type with a scope, or from a column that is not the id.
 */
export function shapeOf(schema: Schema, type: string, name: string): string {
  const { to, many, link } = getRelationship(schema, type, name)
  const { id, scope } = getType(schema, to)
  const own = getType(schema, type).id.column
  const ofId = link.foreignKey === 'own' ? link.otherKey === id.column : link.ownKey === own
  const words = [
    many ? 'to-many' : 'to-one',
    link.foreignKey,
    to === type ? 'itself' : '',
    scope ? 'partly hidden' : '',
    ofId ? '' : 'by another column',
  ]
  return words.filter((word) => word !== '').join(' ')
}
