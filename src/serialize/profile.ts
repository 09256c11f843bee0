import { cursorProfile, mediaType } from '../model/media-types.ts'

/** The profiles of a document of JSON:API 1.1, which it and its media type name. */
export interface NamedProfiles {
  readonly mediaType: string
  /** The member `jsonapi`. */
  readonly jsonapi: string
}

/** What the documents of a read have by profiles of the application. */
export interface AppliedProfiles {
  /** Their URIs, each once. */
  readonly uris: readonly string[]
  /** Members of `meta`, as JSON. */
  readonly meta: string
}

/** What the documents of a read have by their profiles. */
export interface DocumentProfiles {
  /** Of the other documents. */
  readonly other: NamedProfiles | undefined
  /** Of a document with a page between cursors. @see https://jsonapi.org/profiles/ethanresnick/cursor-pagination */
  readonly cursors: NamedProfiles | undefined
  /** Members of `meta`, as JSON; empty for none. */
  readonly meta: string
}

/** @param applied - absent for a request without profiles of the application */
export function nameProfiles(version: '1.0' | '1.1', applied?: AppliedProfiles): DocumentProfiles {
  const uris = applied?.uris ?? []
  return {
    other: uris.length === 0 ? undefined : name(uris),
    cursors: version === '1.0' ? undefined : name([cursorProfile, ...uris]),
    meta: applied?.meta ?? '',
  }
}

function name(uris: readonly string[]): NamedProfiles {
  return {
    mediaType: `${mediaType};profile="${uris.join(' ')}"`,
    jsonapi: `"jsonapi":{"version":"1.1","profile":${JSON.stringify(uris)}}`,
  }
}

/** Adds members to the text of an object. @returns an empty text for no object and no members */
export function addMembers(object: string | undefined, members: string): string {
  if (members === '') return object ?? ''
  return object === undefined || object === '{}'
    ? `{${members}}`
    : `${object.slice(0, -1)},${members}}`
}
