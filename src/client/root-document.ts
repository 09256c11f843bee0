import { isObject } from '../model/kinds/json.ts'
import type { ResponseDocument, Send } from './transport.ts'

/** A resource type as the root document describes it. */
export interface ResourceEntry {
  /** The path of the collection, e.g. `/api/persons`. */
  readonly path: string
  /** The related types of the relationships, by name. */
  readonly relationships?: Readonly<Record<string, string>>
  /** The parameters of the list, by name; absent for a table. */
  readonly parameters?: Readonly<Record<string, Readonly<{ kind: string; required: boolean }>>>
}

/** The root document of an API, `GET /`: the resource types with their paths and relationships. */
export interface RootDocument {
  readonly meta: Readonly<{ resources: Readonly<Record<string, ResourceEntry>> }>
  readonly links: Readonly<{ self: string }>
}

/** What a client knows of a resource type. */
interface ResourceLocation {
  readonly type: string
  /** The URL of the collection. */
  readonly url: string
  /** Returns the related type of a relationship; `undefined` for other names. */
  readonly relatedType: (name: string) => string | undefined
}

/** Returns the location of a type. @throws Error if the API has no such type */
export type LocationFinder = (type: string) => Promise<ResourceLocation>

/**
 * Creates the function that finds resource types. The root document is read before the first request; it is read again for a
 * type that it lacks, since its answer may depend on who reads it.
 *
 * @param url - the address of the API, without a slash at the end
 * @param given - the root document, which then is not read
 */
export function createLocationFinder(
  url: string,
  send: Send,
  given: RootDocument | undefined,
): LocationFinder {
  let reading = given && Promise.resolve(given)
  const read = (): Promise<RootDocument> => {
    const current = send({ method: 'GET', url: `${url}/` }).then((document) =>
      checkRoot(document, url),
    )
    reading = current
    // The next call tries again.
    current.catch(() => {
      if (reading === current) reading = undefined
    })
    return current
  }
  return async (type) => {
    const known = await (reading ?? read())
    const root = Object.hasOwn(known.meta.resources, type) || given ? known : await read()
    const entry = Object.hasOwn(root.meta.resources, type) ? root.meta.resources[type] : undefined
    if (entry) return locate(type, entry, root, url)
    const types = Object.keys(root.meta.resources).join(', ')
    throw new Error(`The API at ${url} has no resource type "${type}"; it has ${types}.`)
  }
}

/** Paths are relative to that of the root, so that a proxy may serve the API below another path. */
function locate(
  type: string,
  { path, relationships = {} }: ResourceEntry,
  { links }: RootDocument,
  url: string,
): ResourceLocation {
  const prefix = links.self.replace(/\/$/, '')
  return {
    type,
    url: url + (path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path),
    relatedType: (name) => (Object.hasOwn(relationships, name) ? relationships[name] : undefined),
  }
}

function checkRoot(document: ResponseDocument, url: string): RootDocument {
  if (isRoot(document)) return document
  throw new Error(`${url}/ is not the root document of an API of Lapidary; check the option url.`)
}

function isRoot(document: object): document is RootDocument {
  const { meta, links } = document as { readonly meta?: unknown; readonly links?: unknown }
  return (
    isObject(meta) && isObject(meta.resources) && isObject(links) && typeof links.self === 'string'
  )
}
