import type { TenantOptions } from './access.ts'
import type { FieldDeclaration } from './fields.ts'
import { toList } from './resolve.ts'
import type { ResourceDeclaration } from './resource.ts'

/** Checks the rules of a resource type that need no database: fields that the server sets, and the column of the tenant. */
export function findAccessErrors(
  resource: ResourceDeclaration,
  tenant: TenantOptions | undefined,
): string[] {
  return Object.entries(resource.fields).flatMap(([name, field]) =>
    [...findSetErrors(field), ...findTenantErrors(name, field, resource, tenant)].map(
      (error) => `${resource.type}.fields.${name}${error}`,
    ),
  )
}

function findSetErrors(field: FieldDeclaration): string[] {
  if (!('set' in field) || field.set === undefined) return []
  if (field.is === 'attribute') {
    if (field.required)
      return ['.required: has no effect with "set", which gives every create its value; remove it']
    return field.default === undefined
      ? []
      : ['.default: has no effect with "set", which gives every create its value; remove it']
  }
  return field.is === 'toOne' && field.foreignKey === 'other'
    ? ['.set: the foreign key is in the other table; "set" needs an own foreign key']
    : []
}

/** A field that clients write must not store another tenant. */
function findTenantErrors(
  name: string,
  field: FieldDeclaration,
  { tenant: isTenant, access }: ResourceDeclaration,
  tenant: TenantOptions | undefined,
): string[] {
  if (tenant === undefined || isTenant === false || access === 'read-only') return []
  const isStored =
    field.is === 'attribute'
      ? (field.column ?? name) === tenant.column
      : field.is === 'toOne' &&
        field.foreignKey !== 'other' &&
        toList(field.column).includes(tenant.column)
  if (isStored && 'set' in field && field.set !== undefined)
    return [`.set: the column "${tenant.column}" stores the tenant of the row; remove "set"`]
  if (!isStored || ('access' in field && field.access === 'read-only')) return []
  return [
    `.access: must be "read-only", because the column "${tenant.column}" stores the tenant of the row`,
  ]
}
