/** A statement reads a larger value, or searches in more text, than the connection may (`value-limit.ts`): the read runs in a reader process. */
export class LargeValueError extends Error {}

/** A reader process found more text than a document in memory may have: the document is streamed. */
export class LargeResultError extends Error {}
