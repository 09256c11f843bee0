import type { FieldDeclaration } from './fields.ts'
import { resolveIdOptions, toList } from './resolve.ts'
import type { ResourceDeclaration } from './resource.ts'

/** A declared relationship. */
type RelationshipDeclaration = Extract<FieldDeclaration, { is: 'toOne' | 'toMany' }>

/**
 * Reports foreign keys with another number of columns than they reference, and relationships whose change would change the ids
 * of the other type.
 * @returns each error without the path of the field
 */
export function findKeyErrors(
  field: RelationshipDeclaration,
  resource: ResourceDeclaration,
  all: readonly ResourceDeclaration[],
): string[] {
  const target = all.find(({ type }) => type === field.to)
  if (target === undefined) return []
  if ('through' in field)
    return [
      ...findCountErrors('.through.from', field.through.from, resource),
      ...findCountErrors('.through.to', field.through.to, target),
    ]
  const isOwn = field.is === 'toOne' && field.foreignKey !== 'other'
  const { column, references } = field
  if (references !== undefined && toList(references).length !== toList(column).length)
    return [
      `.references: must have as many columns as "column", ${toList(column).length}; it has ${toList(references).length}`,
    ]
  const counts =
    references === undefined ? findCountErrors('.column', column, isOwn ? target : resource) : []
  if (counts.length > 0) return counts
  return isOwn ? findOwnIdErrors(field, resource, target) : findForeignIdErrors(field, target)
}

/** Reports a writable relationship over the columns of the type's composite id that references another column than an id. */
function findOwnIdErrors(
  { column, references, access }: Exclude<RelationshipDeclaration, { through: unknown }>,
  resource: ResourceDeclaration,
  target: ResourceDeclaration,
): string[] {
  const id = resolveIdOptions(resource).parts
  const isPart = (name: string) => id.some((part) => part.column === name)
  const shared = toList(column).find(isPart)
  if (id.length === 1 || shared === undefined || access === 'read-only') return []
  const targetId = resolveIdOptions(target).parts.map((part) => part.column)
  if (toList(references ?? targetId).every((name) => targetId.includes(name))) return []
  return [
    `.references: "${shared}" is a column of the id, so the relationship must reference the id of ${target.type}; set access: "read-only"`,
  ]
}

/** Compares the number of columns with that of the id that they reference. */
function findCountErrors(
  location: string,
  columns: string | readonly string[],
  referenced: ResourceDeclaration,
): string[] {
  const id = resolveIdOptions(referenced).parts
  const { length } = toList(columns)
  if (length === id.length) return []
  const names = id.map((part) => `"${part.column}"`).join(', ')
  return [
    `${location}: must have as many columns as the id of ${referenced.type}, ${id.length} (${names}); it has ${length}`,
  ]
}

/** Reports a writable relationship over the columns of the other type's composite id: a change would change ids. */
function findForeignIdErrors(
  { column, access }: Exclude<RelationshipDeclaration, { through: unknown }>,
  target: ResourceDeclaration,
): string[] {
  const id = resolveIdOptions(target).parts
  const isPart = (name: string) => id.some((part) => part.column === name)
  const shared = toList(column).find(isPart)
  if (id.length === 1 || shared === undefined || access === 'read-only') return []
  return [
    `.column: "${shared}" is a column of the id of ${target.type}, which cannot change; set access: "read-only"`,
  ]
}
