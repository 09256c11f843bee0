import type { Members } from './rule-violation.ts'
import { isObject } from './rule-violation.ts'

/** The media type of JSON:API. */
export const mediaType = 'application/vnd.api+json'

/** A response as it was received, with its request. */
export interface Exchange {
  readonly method: string
  /** The absolute URL of the request, spelled as it was sent. */
  readonly url: string
  /** The body that was sent; empty when there was none. */
  readonly sent: string
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** True if the request is random. Then the description need not allow the request, but it must describe the response. */
  readonly isRandom?: boolean
}

/** The title of each error code in the first response with it. Later responses must have the same title. */
export type TitleByCode = Map<string, string>

/** A response whose body is a JSON object, with the parsed URL of its request. */
export interface ParsedExchange {
  readonly exchange: Exchange
  readonly body: Members
  readonly titleByCode: TitleByCode
  /** True for a document of JSON:API 1.1, which may have more members. */
  readonly isModern: boolean
  /** True if the status is in the range 200 to 299. */
  readonly isSuccess: boolean
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
  /** The paths of `include`, each split into relationship names; `undefined` if the request has no `include`. */
  readonly include: readonly (readonly string[])[] | undefined
  /** The names that `fields[type]` lists, by type. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>
  /** The relationship name in a relationship URL; `undefined` for other URLs. */
  readonly relationship: string | undefined
}

/** Parses the URL of a request and combines it with the body of its response. */
export function parseExchange(
  exchange: Exchange,
  body: Members,
  titleByCode: TitleByCode,
): ParsedExchange {
  const { path, query } = splitUrl(getUrl(exchange))
  const include = query.find(([name]) => name === 'include')?.[1]
  return {
    exchange,
    body,
    titleByCode,
    isModern: isObject(body.jsonapi) && body.jsonapi.version === '1.1',
    isSuccess: exchange.status >= 200 && exchange.status < 300,
    path,
    query,
    include: include?.split(',').flatMap((path) => (path === '' ? [] : [path.split('.')])),
    fields: new Map(query.flatMap(parseFieldset)),
    relationship: findRelationshipName(exchange.url),
  }
}

/** The URL of a request, or that of the GET which means the same as a QUERY. */
function getUrl({ method, url, headers }: Exchange): string {
  return method === 'QUERY' ? (headers.location ?? url) : url
}

/** Finds the relationship name in `/collection/id/relationships/name`. An id may be `relationships`, or contain `%2F`. */
function findRelationshipName(url: string): string | undefined {
  const [path = ''] = url.replace(origin, '').split('?')
  const name = /\/[^/]+\/[^/]+\/relationships\/([^/]+)\/?$/.exec(path)?.[1]
  return name === undefined ? undefined : decode(name)
}

const origin = /^https?:\/\/[^/?]+/

/** Splits a URL into its path, without a trailing slash, and the parameters of its query. Both are decoded. */
export function splitUrl(url: string): Pick<ParsedExchange, 'path' | 'query'> {
  const [rawPath = '', ...rest] = url.replace(origin, '').split('?')
  const path = rawPath.length > 1 ? rawPath.replace(/\/$/, '') : rawPath
  return { path: decode(path), query: [...new URLSearchParams(rest.join('?'))] }
}

/** The resource objects of the primary data. A relationship document has none: its data are identifiers. */
export function primaryResources({ body, relationship }: ParsedExchange): Members[] {
  return relationship === undefined ? primaryData(body) : []
}

/** The primary data as a list, also if it is a single object or null. */
export function primaryData(body: Members): Members[] {
  return [body.data].flat().filter(isObject)
}

/** The resource objects of `included`. */
export function includedResources(body: Members): Members[] {
  return Array.isArray(body.included) ? body.included.filter(isObject) : []
}

/** A key that identifies a resource in its document. */
export function resourceKey(resource: Members): string {
  return `${resource.type} ${resource.id}`
}

/** The identifiers in the `data` of a relationship; `undefined` if it has no `data`. */
export function linkageOf(resource: Members | undefined, name: string): Members[] | undefined {
  const relationships = resource?.relationships
  const relationship = isObject(relationships) ? relationships[name] : undefined
  return isObject(relationship) && Object.hasOwn(relationship, 'data')
    ? primaryData(relationship)
    : undefined
}

function parseFieldset([name, value]: readonly [string, string]): [string, Set<string>][] {
  const type = /^fields\[(.*)\]$/.exec(name)?.[1]
  return type === undefined ? [] : [[type, new Set(value.split(','))]]
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
