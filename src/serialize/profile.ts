import { mediaType } from '../model/media-types.ts'

/** The profile of documents with a page between cursors. @see https://jsonapi.org/profiles/ethanresnick/cursor-pagination */
const cursorProfile = 'https://jsonapi.org/profiles/ethanresnick/cursor-pagination'

/** A profile, which a document of JSON:API 1.1 and its media type name. */
export interface AppliedProfile {
  readonly mediaType: string
  /** The member `jsonapi`. */
  readonly jsonapi: string
}

const ofCursors: AppliedProfile = {
  mediaType: `${mediaType};profile="${cursorProfile}"`,
  jsonapi: `"jsonapi":{"version":"1.1","profile":["${cursorProfile}"]}`,
}

/** The profile of a page between cursors in the documents of each version; absent for none. */
export const cursorProfiles: Readonly<Record<'1.0' | '1.1', AppliedProfile | undefined>> = {
  '1.0': undefined,
  '1.1': ofCursors,
}
