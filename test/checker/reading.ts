import type { Exchange } from '../client.ts'
import type { Members } from './breach.ts'
import { isObject } from './breach.ts'

/** An answer with a JSON object as its body, beside what its URL asked for. */
export interface Reading {
  readonly exchange: Exchange
  readonly body: Members
  /** Whether the status is one of 200 to 299. */
  readonly success: boolean
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
  /** The paths of `include`, step by step; `undefined` when it was not sent. */
  readonly include: readonly (readonly string[])[] | undefined
  /** The names listed by `fields[type]`, by type. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>
  /** The relationship that a relationship route names; `undefined` on every other route. */
  readonly relationship: string | undefined
}

/** Puts an answer beside its request. */
export function readExchange(exchange: Exchange, body: Members): Reading {
  const { path, query } = splitUrl(exchange.url)
  const include = query.find(([name]) => name === 'include')?.[1]
  return {
    exchange,
    body,
    success: exchange.status >= 200 && exchange.status < 300,
    path,
    query,
    include: include?.split(',').flatMap((steps) => (steps === '' ? [] : [steps.split('.')])),
    fields: new Map(query.flatMap(fieldset)),
    relationship: relationshipIn(exchange.url),
  }
}

/** What a relationship route names: below a collection and an id, which may hold a slash or be `relationships` itself. */
function relationshipIn(url: string): string | undefined {
  const [path = ''] = url.replace(origin, '').split('?')
  const name = /\/[^/]+\/[^/]+\/relationships\/([^/]+)\/?$/.exec(path)?.[1]
  return name === undefined ? undefined : decode(name)
}

const origin = /^https?:\/\/[^/?]+/

/** Takes a link apart: its path without the slash at the end, and the pairs of its query; both decoded. */
export function splitUrl(url: string): Pick<Reading, 'path' | 'query'> {
  const [whole = '', ...rest] = url.replace(origin, '').split('?')
  const path = whole.length > 1 ? whole.replace(/\/$/, '') : whole
  return { path: decode(path), query: [...new URLSearchParams(rest.join('?'))] }
}

/** The resource objects of the primary data; none on a relationship route, whose data are identifiers. */
export function primaryResources({ body, relationship }: Reading): Members[] {
  return relationship === undefined ? primaryData(body) : []
}

/** The primary data as a list, whichever form it has. */
export function primaryData(body: Members): Members[] {
  return [body.data].flat().filter(isObject)
}

/** The resource objects of `included`. */
export function includedResources(body: Members): Members[] {
  return Array.isArray(body.included) ? body.included.filter(isObject) : []
}

/** The name of a resource within its document. */
export function key(named: Members): string {
  return `${named.type} ${named.id}`
}

/** What the `data` of a relationship names. */
export function linkage(resource: Members | undefined, name: string): Members[] | undefined {
  const all = resource?.relationships
  const one = isObject(all) ? all[name] : undefined
  return isObject(one) && Object.hasOwn(one, 'data') ? primaryData(one) : undefined
}

function fieldset([name, value]: readonly [string, string]): [string, Set<string>][] {
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
