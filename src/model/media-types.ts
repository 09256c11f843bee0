// The typed client bundles this file, so it imports nothing.

/**
 * The media type of every document, without parameters.
 * @see https://jsonapi.org/format/1.0/#content-negotiation
 */
export const mediaType = 'application/vnd.api+json'

/** The extension Atomic Operations. @see https://jsonapi.org/ext/atomic */
export const atomicExtension = 'https://jsonapi.org/ext/atomic'

/** The profile of pages between cursors. @see https://jsonapi.org/profiles/ethanresnick/cursor-pagination */
export const cursorProfile = 'https://jsonapi.org/profiles/ethanresnick/cursor-pagination'

/** The media type of the documents of a batch. */
export const atomicMediaType = `${mediaType};ext="${atomicExtension}"`

/** Says where the document of a batch belongs, behind what is wrong with one that was sent elsewhere. */
export const atomicRemedy = `an API with atomic operations takes them at /operations, with Content-Type: ${atomicMediaType}`
