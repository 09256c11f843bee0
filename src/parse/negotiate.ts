import { HeaderError, quoted } from '../errors/errors.ts'

/** The one media type of every document, without any parameter (JSON:API 1.0, Content Negotiation). */
export const mediaType = 'application/vnd.api+json'

/** What the headers of a request say about media types. */
export interface MediaHeaders {
  readonly accept: string | undefined
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  /** Whether bytes of a body follow. */
  readonly hasBody: boolean
}

/**
 * Refuses media types that JSON:API 1.0 tells a server to refuse.
 *
 * @throws HeaderError `unsupported_media_type` (415) for the JSON:API type with any parameter on any method, and for
 *   a body of another type or of none; `not_acceptable` (406) when `Accept` names the type only with parameters
 * @see JSON:API 1.0, Server Responsibilities; SERVICE §7
 */
export function negotiate({ accept, contentType, contentEncoding, hasBody }: MediaHeaders): void {
  if (contentType !== undefined && contentType !== mediaType) checkContentType(contentType, hasBody)
  if (contentType === undefined && hasBody) {
    throw new HeaderError(
      'unsupported_media_type',
      `A body needs "Content-Type: ${mediaType}"; the request has none.`,
    )
  }
  if (contentEncoding !== undefined && hasBody && contentEncoding.toLowerCase() !== 'identity') {
    const detail = `The body is sent with Content-Encoding ${quoted(contentEncoding)}; send it plain.`
    throw new HeaderError('unsupported_media_type', detail)
  }
  if (accept !== undefined && accept !== mediaType) checkAccept(accept)
}

function checkContentType(header: string, hasBody: boolean): void {
  const [range, ...others] = rangesOf(header)
  const isOurs = range?.type === mediaType && others.length === 0
  if (isOurs && range.parameters.length > 0) {
    throw new HeaderError(
      'unsupported_media_type',
      `Content-Type is ${mediaType} with the parameter ${quoted(range.parameters[0])}; send it without any.`,
    )
  }
  if (hasBody && !isOurs) {
    throw new HeaderError(
      'unsupported_media_type',
      `The body is sent as ${quoted(header)}; send it as ${mediaType}.`,
    )
  }
}

function checkAccept(header: string): void {
  const ours = rangesOf(header)
    .filter(({ type }) => type === mediaType)
    .map(({ parameters }) => ownParameters(parameters))
  if (ours.length === 0 || ours.some((parameters) => parameters.length === 0)) return
  throw new HeaderError(
    'not_acceptable',
    `Accept names ${mediaType} only with parameters (${quoted(ours[0]?.[0])}); name it once without any.`,
  )
}

/** One element of a media type list: the type in lower case, and its parameters as sent. */
interface MediaRange {
  readonly type: string
  readonly parameters: readonly string[]
}

/** In `Accept`, the weight `q` and what follows it are no parameters of the type (RFC 9110 §12.5.1). */
function ownParameters(parameters: readonly string[]): readonly string[] {
  const weight = parameters.findIndex((parameter) => /^q\s*=/i.test(parameter))
  return weight === -1 ? parameters : parameters.slice(0, weight)
}

function rangesOf(header: string): MediaRange[] {
  return splitOutsideQuotes(header, ',').map((element) => {
    const [type = '', ...rest] = splitOutsideQuotes(element, ';').map((part) => part.trim())
    return { type: type.toLowerCase(), parameters: rest.filter((parameter) => parameter !== '') }
  })
}

/** Splits where a quoted string (RFC 9110 §5.6.4) does not hold the separator. */
function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = []
  let start = 0
  let quotes = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (quotes && character === '\\') at += 1
    else if (character === '"') quotes = !quotes
    else if (character === separator && !quotes) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  return [...parts, text.slice(start)]
}
