import { relationshipNamed, type Schema, typeNamed } from './schema.ts'

/**
 * What tells a relationship apart from others to the databases, in words: how many it leads to, where the key is, whether it
 * leads back to its own type, to rows of which a condition hides some, or from a column that is not the id.
 */
export function shapeOf(schema: Schema, type: string, name: string): string {
  const { to, many, link } = relationshipNamed(schema, type, name)
  const { id, where } = typeNamed(schema, to)
  const own = typeNamed(schema, type).id.column
  const ofId = link.key === 'here' ? link.there === id.column : link.here === own
  const words = [
    many ? 'to-many' : 'to-one',
    link.key,
    to === type ? 'itself' : '',
    where ? 'partly hidden' : '',
    ofId ? '' : 'by another column',
  ]
  return words.filter((word) => word !== '').join(' ')
}
