import { isObject } from '../kinds/json.ts'

/** The name of the member of a plain object that has the version of the resource. No field has a dot in its name. */
export const versionMember = 'meta.version'

/** What a write depends on: the version of what it changes, a resource that was read with its version, or `*` for any version. */
export type IfMatch = string | Readonly<{ type: string; id: string }>

/** Returns the version of a resource that was read with `withVersions: true`; `undefined` for any other object. */
export function versionOf(resource: Exclude<IfMatch, string>): string | undefined {
  const version: unknown = Reflect.get(resource, versionMember)
  return typeof version === 'string' ? version : undefined
}

/**
 * Formats a version for `If-Match`.
 * @returns `undefined` for `undefined`: a write without a condition
 * @throws TypeError for an object that was read without its version: the write would not be conditional
 */
export function formatIfMatch(condition: unknown): string | undefined {
  if (condition === undefined) return undefined
  const version = isObject(condition) ? condition[versionMember] : condition
  if (typeof version !== 'string' || version === '')
    throw new TypeError(
      'ifMatch: must be a version, "*", or a resource that was read with withVersions: true; it has no version.',
    )
  return version === '*' ? '*' : `"${version}"`
}
