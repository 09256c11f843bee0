import { quoteNames } from '../../errors/quote.ts'
import { findTenantColumn, type TenantOptions } from '../declare/access.ts'
import type { FieldDeclaration } from '../declare/fields.ts'
import { isPartOfIds, resolveIdOptions, toList } from '../declare/resolve.ts'
import type { ResourceDeclaration } from '../declare/resource.ts'

/** A declared relationship. */
type RelationshipDeclaration = Extract<FieldDeclaration, { is: 'toOne' | 'toMany' }>

/** The types of a model and its tenant. */
export interface ModelContext {
  readonly all: readonly ResourceDeclaration[]
  readonly byType: ReadonlyMap<string, ResourceDeclaration>
  readonly tenant: TenantOptions | undefined
}

/**
 * Reports foreign keys with another number of columns than they reference, and relationships whose change would change the ids
 * of the other type.
 * @returns each error without the path of the field
 */
export function findKeyErrors(
  field: RelationshipDeclaration,
  resource: ResourceDeclaration,
  { all, byType, tenant }: ModelContext,
): string[] {
  const target = byType.get(field.to)
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
  if (isOwn) {
    const shared = findSharedColumn(field, resource, tenant)
    return shared === undefined ? [] : findOwnIdErrors(field, shared, target)
  }
  const shared = findSharedColumn(field, target, tenant)
  if (shared === undefined) return []
  const name = `"${shared}" is a column of the id of ${target.type}`
  return isPartOfIds(field, all, tenant)
    ? [
        `.column: ${name}, which cannot change: to add or remove a member would change its id; set access: "read-only", and create and delete ${target.type} instead`,
      ]
    : findForeignIdErrors(field, name, resource)
}

/** A relationship over a foreign key. */
type KeyRelationship = Exclude<RelationshipDeclaration, { through: unknown }>

/** Finds a column of a writable relationship that is a part of a composite id, and not the tenant, which the server sets. */
function findSharedColumn(
  { column, access }: KeyRelationship,
  resource: ResourceDeclaration,
  tenant: TenantOptions | undefined,
): string | undefined {
  const id = resolveIdOptions(resource).parts
  if (id.length === 1 || access === 'read-only') return undefined
  const ofTenant = findTenantColumn(resource, tenant)
  return toList(column).find((name) => name !== ofTenant && id.some((part) => part.column === name))
}

/** Reports a writable relationship over the columns of the type's composite id that references another column than an id. */
function findOwnIdErrors(
  { references }: KeyRelationship,
  shared: string,
  target: ResourceDeclaration,
): string[] {
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
  const names = quoteNames(id.map(({ column }) => column))
  return [
    `${location}: must have as many columns as the id of ${referenced.type}, ${id.length} (${names}); it has ${length}`,
  ]
}

/**
 * Reports a writable relationship whose foreign key in the other table shares columns with the composite id of its type. Other columns of
 * the key can be written if the shared ones are known, which are those of an id on both sides; an id never changes.
 */
function findForeignIdErrors(
  { references }: KeyRelationship,
  name: string,
  resource: ResourceDeclaration,
): string[] {
  const ownId = resolveIdOptions(resource).parts.map((part) => part.column)
  if (toList(references ?? ownId).every((each) => ownId.includes(each))) return []
  return [
    `.references: ${name}, so the relationship must reference the id of ${resource.type}; set access: "read-only"`,
  ]
}
