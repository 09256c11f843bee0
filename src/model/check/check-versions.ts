import type { FieldDeclaration } from '../declare/fields.ts'
import type { ResourceDeclaration } from '../declare/resource.ts'

/** Checks the options of a resource type that concern versions and caches, as far as that needs no database. */
export function findVersionErrors(
  { type, version, cache, access, tenant, fields }: ResourceDeclaration,
  { hasTenant }: Readonly<{ hasTenant: boolean }>,
): string[] {
  const errors: string[] = []
  const column = typeof version === 'string' ? version : version?.column
  if (column !== undefined && column !== 'content') {
    const reveals = typeof version === 'object' && version.reveals === true
    const ruled = Object.entries(fields).find(([, field]) => isRuled(field))
    if (ruled && !reveals)
      errors.push(
        `${type}.version: the column "${column}" also changes with the field "${ruled[0]}", which not everybody may read; remove it, or set version: { column: "${column}", reveals: true }`,
      )
    const written = Object.entries(fields).find(
      ([name, field]) =>
        field.is === 'attribute' &&
        (field.column ?? name) === column &&
        field.access !== 'read-only',
    )
    if (written)
      errors.push(
        `${type}.fields.${written[0]}.access: must be "read-only", because its column is the version of the type`,
      )
  }
  const isPublic = cache?.public === true
  if (isPublic && (typeof access === 'object' || (hasTenant && tenant !== false)))
    errors.push(
      `${type}.cache.public: not allowed with ${typeof access === 'object' ? 'access rules' : 'a tenant'}, because a shared cache would give the response to another user; remove it`,
    )
  return errors
}

function isRuled({ readable }: FieldDeclaration): boolean {
  return readable !== undefined && readable !== true
}
