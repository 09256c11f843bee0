import type { Model, ResourceType } from './model.ts'

/**
 * Whether a row may exist for one identity and not for another: a rule for `read` depends on the row or on the auth context, rows belong
 * to tenants, or the session of a request restricts what PostgreSQL reads.
 */
export function hidesRows({ types, access, session }: Model): boolean {
  if (access?.tenant !== undefined || session !== undefined) return true
  return [...types.values()].some(hasReadRule)
}

/** Whether a row that is referenced may not exist for a request: linkage to it is null then, although its key is not. */
export function mayHideRow({ session }: Model, resource: ResourceType): boolean {
  const { scope } = resource.unrestricted ?? resource
  return scope !== undefined || session !== undefined || hasReadRule(resource)
}

function hasReadRule({ access }: ResourceType): boolean {
  return access?.read !== undefined && typeof access.read !== 'boolean'
}
