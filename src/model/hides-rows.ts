import type { Model } from './model.ts'

/**
 * Whether a row may exist for one identity and not for another: a rule for `read` depends on the row or on the auth context, rows belong
 * to tenants, or the session of a request restricts what PostgreSQL reads.
 */
export function hidesRows({ types, access, session }: Model): boolean {
  if (access?.tenant !== undefined || session !== undefined) return true
  return [...types.values()].some((resource) => {
    const read = resource.access?.read
    return read !== undefined && typeof read !== 'boolean'
  })
}
