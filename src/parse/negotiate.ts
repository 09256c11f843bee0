import { HttpError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { atomicExtension, atomicRemedy, mediaType } from '../model/media-types.ts'

/** The parts of a request that concern its media types. */
interface MediaHeaders {
  readonly method: string
  readonly accept: string | undefined
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  /** True if the request has a body of at least one byte. */
  readonly hasBody: boolean
}

/**
 * Rejects the media types that JSON:API 1.0 requires a server to reject.
 *
 * @throws HttpError `unsupported_media_type` (415) if `Content-Type` is the JSON:API type with a parameter, with or
 *   without a body, and for a body of another type or without one. A POST or PATCH has a body, which may be empty: a browser sends it
 *   without a preflight request if it has the type of a form or none. `not_acceptable` (406) if `Accept` contains the JSON:API type
 *   only with parameters
 * @see https://jsonapi.org/format/1.0/#content-negotiation-servers
 */
export function negotiate(headers: MediaHeaders): void {
  const { method, accept, contentType, contentEncoding, hasBody } = headers
  const needsType = hasBody || method === 'POST' || method === 'PATCH'
  if (method === 'QUERY') readQueryType(contentType)
  else if (contentType === undefined) {
    if (needsType) throw createMissingType(hasBody ? 'body' : method)
  } else if (contentType !== mediaType) checkContentType(contentType, needsType)
  if (contentEncoding !== undefined) checkEncoding(contentEncoding, hasBody)
  if (accept !== undefined && accept !== mediaType) checkAccept(accept)
}

function checkEncoding(contentEncoding: string, hasBody: boolean): void {
  if (!hasBody || contentEncoding.toLowerCase() === 'identity') return
  const detail = `The body is sent with Content-Encoding ${quote(contentEncoding)}; send it without a content encoding.`
  throw new HttpError('unsupported_media_type', detail, {}, { field: 'Content-Encoding' })
}

/** The parameters of the media type in version 1.1. */
const extensionParameters: readonly string[] = ['ext', 'profile']

/**
 * Checks the media types of a request to a server of version 1.1: they may have profiles, of which the server knows none. No route but that
 * of an extension has documents of one.
 *
 * @param extensions - the URIs of the extensions of the server, which `Accept` may have
 * @throws HttpError as `negotiate`, `unsupported_media_type` (415) for a body with an extension or another parameter
 * @see https://jsonapi.org/format/1.1/#content-negotiation-servers
 */
export function negotiateProfiles(headers: MediaHeaders, extensions: readonly string[]): void {
  const { accept, contentType, ...others } = headers
  const plainType = contentType && withoutProfiles(contentType)
  negotiate({ ...others, contentType: plainType, accept: undefined })
  if (accept !== undefined && accept !== mediaType) checkExtensionAccept(accept, extensions)
}

/** Returns the media type of a body without its profiles, as which version 1.0 knows it. */
function withoutProfiles(contentType: string): string {
  const [range, ...others] = parseMediaRanges(contentType)
  if (range?.type !== mediaType || others.length > 0) return contentType
  const isProfile = (parameter: string) => readParameter(parameter).name === 'profile'
  return [range.type, ...range.parameters.filter((each) => !isProfile(each))].join(';')
}

/**
 * Checks the media types of a route whose documents are those of an extension.
 *
 * @param extension - the URI of the extension, which the body must have
 * @throws HttpError `unsupported_media_type` (415) for a body without the extension, with another one or another parameter;
 *   `not_acceptable` (406) if every JSON:API type in `Accept` has an extension that is not supported
 * @see https://jsonapi.org/format/1.1/#content-negotiation-servers
 */
export function negotiateExtension(
  { method, accept, contentType, contentEncoding, hasBody }: MediaHeaders,
  extension: string,
): void {
  const expected = `${mediaType};ext="${extension}"`
  const fail = (problem: string) =>
    new HttpError('unsupported_media_type', `${problem}; send Content-Type: ${expected}`)
  if (method === 'POST' || hasBody) {
    if (contentType === undefined) throw fail('A body needs a media type')
    const [range, ...others] = parseMediaRanges(contentType)
    if (range?.type !== mediaType || others.length > 0)
      throw fail(`The body is sent as ${quote(contentType)}`)
    const parameters = range.parameters.map(readParameter)
    const unknown = parameters.find(({ name }) => !extensionParameters.includes(name))
    if (unknown) throw fail(`Content-Type has the parameter ${quote(unknown.name)}`)
    const extensions = listUris(parameters, 'ext')
    const unsupported = extensions.find((uri) => uri !== extension)
    if (unsupported !== undefined)
      throw fail(`The extension ${quote(unsupported)} is not supported`)
    if (extensions.length === 0) throw fail('The body is sent without the extension')
  }
  if (contentEncoding !== undefined) checkEncoding(contentEncoding, hasBody)
  if (accept !== undefined) checkExtensionAccept(accept, [extension])
}

/** @param extensions - the URIs of those that the server has */
function checkExtensionAccept(header: string, extensions: readonly string[]): void {
  const named = parseMediaRanges(header).filter(({ type }) => type === mediaType)
  if (named.length === 0) return
  const isAcceptable = ({ parameters }: MediaRange) => {
    const read = withoutWeight(parameters).map(readParameter)
    const isKnown = read.every(({ name }) => extensionParameters.includes(name))
    return isKnown && listUris(read, 'ext').every((uri) => extensions.includes(uri))
  }
  if (named.some(isAcceptable)) return
  const remedy = extensions.map((uri) => `with ext="${uri}", or `).join('')
  const detail = `Accept contains ${mediaType} only with parameters or extensions that are not supported here; send it once ${remedy}without parameters.`
  throw new HttpError('not_acceptable', detail)
}

/**
 * Returns the profiles that a client accepts, which need not be known: those of the acceptable JSON:API type with the greatest weight, of
 * equal ones the first.
 * @see https://jsonapi.org/format/1.1/#profiles-processing
 */
export function parseProfiles(accept: string): ReadonlySet<string> {
  let profiles: readonly string[] = []
  let weight = 0
  for (const range of parseMediaRanges(accept)) {
    const parameters = withoutWeight(range.parameters).map(readParameter)
    const isPlain = parameters.every(({ name }) => name === 'profile')
    if (range.type !== mediaType || !isPlain || readWeight(range) <= weight) continue
    weight = readWeight(range)
    profiles = listUris(parameters, 'profile')
  }
  return new Set(profiles)
}

/** A parameter of a media type. */
interface MediaParameter {
  /** In lower case. */
  readonly name: string
  /** Without quotation marks. */
  readonly value: string
}

function readParameter(text: string): MediaParameter {
  const equals = text.indexOf('=')
  const [name, value] = equals === -1 ? [text, ''] : [text.slice(0, equals), text.slice(equals + 1)]
  const [, quoted] = /^\s*"((?:[^"\\]|\\.)*)"\s*$/s.exec(value) ?? []
  return {
    name: name.trim().toLowerCase(),
    value: quoted === undefined ? value.trim() : quoted.replaceAll(/\\(.)/gs, '$1'),
  }
}

/** The URIs of a parameter, which are separated by spaces. */
function listUris(parameters: readonly MediaParameter[], of: string): readonly string[] {
  return parameters.flatMap(({ name, value }) =>
    name === of ? value.split(' ').filter((uri) => uri !== '') : [],
  )
}

/** The media types of the body of a QUERY, as in `Accept-Query` (RFC 10008). */
export const acceptQuery = 'application/json, application/x-www-form-urlencoded'

/**
 * Returns what the body of a QUERY is. Its type may have parameters, such as a charset.
 * @throws HttpError `invalid_request` (400) without a type, `unsupported_media_type` (415) for another one
 */
export function readQueryType(contentType: string | undefined): 'json' | 'form' {
  const fields = { 'accept-query': acceptQuery }
  if (contentType === undefined) {
    const detail = `A QUERY needs the Content-Type of its query: ${acceptQuery}; the request has none.`
    throw new HttpError('invalid_request', detail, fields, { field: 'Content-Type' })
  }
  const [range, ...others] = parseMediaRanges(contentType)
  const isUtf8 = range?.parameters.map(readParameter).every(isUtf8Charset)
  if (others.length === 0 && isUtf8) {
    if (range?.type === 'application/json') return 'json'
    if (range?.type === 'application/x-www-form-urlencoded') return 'form'
  }
  const detail = `The query is sent as ${quote(contentType)}; send it as one of ${acceptQuery}.`
  throw new HttpError('unsupported_media_type', detail, fields)
}

/** Whether a parameter of the media type of a query says that it is UTF-8, or nothing of its characters. */
function isUtf8Charset({ name, value }: MediaParameter): boolean {
  return name !== 'charset' || /^utf-?8$/i.test(value)
}

function createMissingType(subject: string): HttpError {
  const detail = `A ${subject} needs "Content-Type: ${mediaType}"; the request has none.`
  return new HttpError('unsupported_media_type', detail)
}

function checkContentType(header: string, needsType: boolean): void {
  const [range, ...others] = parseMediaRanges(header)
  const isJsonApi = range?.type === mediaType && others.length === 0
  if (isJsonApi && range.parameters.length > 0) {
    const isBatch = range.parameters.some((each) => each.includes(atomicExtension))
    const remedy = isBatch ? `; ${atomicRemedy}` : ''
    throw new HttpError(
      'unsupported_media_type',
      `Content-Type is ${mediaType} with the parameter ${quote(range.parameters[0])}; send it without parameters${remedy}.`,
    )
  }
  if (needsType && !isJsonApi) {
    throw new HttpError(
      'unsupported_media_type',
      `The body is sent as ${quote(header)}; send it as ${mediaType}.`,
    )
  }
}

function checkAccept(header: string): void {
  const ranges = parseMediaRanges(header)
    .filter(({ type }) => type === mediaType)
    .map(({ parameters }) => withoutWeight(parameters))
  if (ranges.length === 0 || ranges.some((parameters) => parameters.length === 0)) return
  throw new HttpError(
    'not_acceptable',
    `Accept contains ${mediaType} only with parameters (${quote(ranges[0]?.[0])}); send it once without parameters.`,
  )
}

/**
 * True if `Accept` names `text/html` with a higher weight than it gives to JSON: a browser that opens an address, and no
 * client of the API. Equal weights, wildcards and an absent field mean JSON (`docs/decisions/0059`).
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1
 */
export function prefersHtml(accept: string | undefined): boolean {
  // Two cheap tests first, because most requests are from clients of the API.
  if (accept === undefined || accept === mediaType || !/text\/html/i.test(accept)) return false
  const ranges = parseMediaRanges(accept)
  const weightOf = (types: readonly string[]): number | undefined => {
    const weights = ranges.filter(({ type }) => types.includes(type)).map(readWeight)
    return weights.length === 0 ? undefined : Math.max(...weights)
  }
  const json = weightOf(jsonTypes) ?? weightOf(['application/*']) ?? weightOf(['*/*']) ?? 0
  return (weightOf(['text/html']) ?? 0) > json
}

/** The media types with which clients ask for a document of JSON:API. */
const jsonTypes: readonly string[] = [mediaType, 'application/json']

/** Returns the weight of an element of `Accept`, from 0 to 1; 1 without a valid `q`. */
function readWeight({ parameters }: MediaRange): number {
  const weight = parameters.find((parameter) => /^q\s*=/i.test(parameter))
  const value = weight === undefined ? 1 : Number(weight.slice(weight.indexOf('=') + 1))
  return value >= 0 && value <= 1 ? value : 1
}

/** One element of `Accept` or `Content-Type`. */
interface MediaRange {
  /** In lower case. */
  readonly type: string
  /** As sent. */
  readonly parameters: readonly string[]
}

/** Removes the weight `q` of an `Accept` element and what follows it: these are not parameters of the type (RFC 9110 §12.5.1). */
function withoutWeight(parameters: readonly string[]): readonly string[] {
  const weight = parameters.findIndex((parameter) => /^q\s*=/i.test(parameter))
  return weight === -1 ? parameters : parameters.slice(0, weight)
}

function parseMediaRanges(header: string): MediaRange[] {
  return splitOutsideQuotes(header, ',').map((element) => {
    const [type = '', ...rest] = splitOutsideQuotes(element, ';').map((part) => part.trim())
    return { type: type.toLowerCase(), parameters: rest.filter((parameter) => parameter !== '') }
  })
}

/** Splits at separators outside quoted strings (RFC 9110 §5.6.4). */
function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = []
  let start = 0
  let isQuoted = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (isQuoted && character === '\\') index += 1
    else if (character === '"') isQuoted = !isQuoted
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(start, index))
      start = index + 1
    }
  }
  return [...parts, text.slice(start)]
}
