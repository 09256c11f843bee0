import type { RequestContext } from './request-context.ts'

/**
 * A profile of the application, by whose rules documents have a member of `meta` that JSON:API leaves open.
 * @see https://jsonapi.org/format/1.1/#profiles
 */
export interface Profile {
  /** The member of the `meta` of a document, e.g. `quota`. */
  readonly member: string
  /** Returns the value of the member, a JSON object, for the document of a read. */
  meta(request: RequestContext): object
}

/** The members of `meta` that documents have without profiles. */
export const ownMetaMembers: readonly string[] = ['count', 'page', 'filtered']

/** The longest URI of a profile, in characters. */
export const maxProfileUri = 500
/** The most profiles of a model. */
export const maxProfiles = 20
/** The longest value of the member of a profile, as JSON, in characters. */
export const maxProfileMeta = 10_000
