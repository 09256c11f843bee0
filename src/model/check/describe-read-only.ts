import type { Field, RelationshipField } from '../model.ts'

/** Says that an update must not change a field. */
export function describeImmutable({ name }: Pick<Field, 'name'>): string {
  return `${name} cannot be changed after the resource is created.`
}

/** Says that no request can change a relationship, and why if it is not the declaration's choice. */
export function describeReadOnly(relationship: RelationshipField): string {
  const { name, to, isImmutable, isPartOfIds } = relationship
  if (isImmutable) return describeImmutable(relationship)
  const reason = isPartOfIds
    ? `, because its foreign key is a part of the id of each ${to}, and an id never changes; create and delete ${to} resources instead`
    : ''
  return `the relationship "${name}" is read-only${reason}.`
}
