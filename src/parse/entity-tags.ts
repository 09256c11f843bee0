import { collectErrors } from '../errors/collector.ts'
import { HttpError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'

/** An entity tag (RFC 9110 §8.8.3). */
interface EntityTag {
  /** The text between the quotation marks. */
  readonly opaque: string
  /** Whether it begins with `W/`. */
  readonly isWeak: boolean
}

/** The value of `If-Match` or `If-None-Match`: `*`, or a list of entity tags, which may be empty. */
export type EntityTags = '*' | readonly EntityTag[]

/** The header fields that make a request conditional, as sent. */
export interface ConditionFields {
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
}

/** One element of a list and the comma or the end behind it. No two parts match the same character, so its time is linear. */
const element = /[\t ]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[\t ]*)?(?:,|$)/y

/**
 * Parses `If-Match` or `If-None-Match`.
 * @returns `undefined` for a text that is neither `*` nor a list of entity tags
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1
 */
function parseEntityTags(text: string): EntityTags | undefined {
  if (text.trim() === '*') return '*'
  const tags: EntityTag[] = []
  element.lastIndex = 0
  while (element.lastIndex < text.length) {
    const found = element.exec(text)
    if (found === null) return undefined
    const [, weak, opaque] = found
    if (opaque !== undefined) tags.push({ opaque, isWeak: weak !== undefined })
  }
  return tags
}

/**
 * Parses a condition of a write.
 * @param name - the header field, for the error
 * @throws HttpError `invalid_request` (400): a condition that cannot be read must not be ignored, because the client relies on it
 */
export function parseCondition(name: 'If-Match' | 'If-None-Match', text: string): EntityTags {
  const tags = parseEntityTags(text)
  if (tags !== undefined && tags.length > 0) return tags
  const isBare = /^[\w.-]{1,64}$/.test(text)
  const example = isBare ? `"${text}"` : '"<version>"'
  const found = isBare ? `${text} without them` : quote(text)
  const detail = `${name} must be * or a list of entity tags in quotation marks, such as ${name}: ${example}; it is ${found}.`
  throw new HttpError('invalid_request', detail, {}, { field: name })
}

/** Checks that the conditions of a write can be read. @throws HttpError | ManyErrors `invalid_request` (400) */
export function checkConditions({ ifMatch, ifNoneMatch }: ConditionFields): void {
  collectErrors({
    ifMatch: () => ifMatch !== undefined && parseCondition('If-Match', ifMatch),
    ifNoneMatch: () => ifNoneMatch !== undefined && parseCondition('If-None-Match', ifNoneMatch),
  })
}

/**
 * Whether `If-None-Match` has the entity tag of a representation, by weak comparison (RFC 9110 §8.8.3.2). A value that cannot be read
 * matches nothing: the client gets the representation.
 * @param etag - with its quotation marks
 */
export function matchesNone(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag) return true
  const tags = parseEntityTags(ifNoneMatch)
  return tags === '*' || (tags?.some(({ opaque }) => `"${opaque}"` === etag) ?? false)
}
