import { LRUCache } from 'lru-cache'

/** A read whose client has a document, and asks whether it is current. */
export interface Revalidation {
  /** `If-None-Match`, as sent. */
  readonly ifNoneMatch: string
  /** Everything of the request that its document depends on, besides the identity and the database. */
  readonly representation: string
}

/** The entity tag of a document, and a state of the database in which it was read. */
interface KnownTag {
  readonly etag: string
  readonly state: string
}

/** The entity tags that clients have asked about, by request and what its identity sees. */
export type KnownTags = Pick<Map<string, KnownTag>, 'get'> &
  Readonly<{ set: (key: string, tag: KnownTag) => void }>

/** The most entity tags: at 150 bytes each, 1.5 MB. */
const maxTags = 10_000

/** Creates the memory of entity tags of an application. */
export function createKnownTags(): KnownTags {
  return new LRUCache<string, KnownTag>({ max: maxTags })
}
