import type { ParsedExchange } from './parse-exchange.ts'
import {
  includedResources,
  linkageOf,
  primaryData,
  primaryResources,
  resourceKey,
} from './parse-exchange.ts'
import type { Members, Violations } from './rule-violation.ts'
import { appendToken, isObject } from './rule-violation.ts'

/** Checks `included`: present if requested, each resource once, each linked, and exactly the requested resources. */
export function* checkCompoundDocument(parsed: ParsedExchange): Violations {
  const { body, isSuccess, include } = parsed
  if (!isSuccess || !('data' in body)) return
  const isRequested = include !== undefined && body.data !== null
  if (isRequested !== 'included' in body) {
    const pointer = '/included'
    if (isRequested)
      yield {
        rule: 'service.md#documents',
        pointer,
        message: 'the request has include, so it must be present',
      }
    else yield { rule: 'INP-1', pointer, message: 'the request has no include, or data is null' }
    return
  }
  yield* checkUnique(parsed)
  yield* checkLinked(parsed)
  yield* checkRequested(parsed)
}

function* checkUnique(parsed: ParsedExchange): Violations {
  const seen = new Set<string>()
  const lists = { '/data': primaryResources(parsed), '/included': includedResources(parsed.body) }
  for (const [pointer, list] of Object.entries(lists)) {
    for (const [index, resource] of list.entries()) {
      if (seen.has(resourceKey(resource))) {
        yield {
          rule: 'INC-4',
          pointer: appendToken(pointer, index),
          message: `${resourceKey(resource)} appears more than once`,
        }
      }
      seen.add(resourceKey(resource))
    }
  }
}

/** Checks full linkage: linkage connects the primary data with every included resource, directly or indirectly. */
function* checkLinked(parsed: ParsedExchange): Violations {
  const resources = resourcesByKey(parsed)
  const linked = new Set(primaryData(parsed.body).map(resourceKey))
  for (const key of linked) {
    const { relationships } = resources.get(key) ?? {}
    for (const relationship of isObject(relationships) ? Object.keys(relationships) : []) {
      const identifiers = linkageOf(resources.get(key), relationship) ?? []
      for (const identifier of identifiers) linked.add(resourceKey(identifier))
    }
  }
  for (const [index, resource] of includedResources(parsed.body).entries()) {
    if (linked.has(resourceKey(resource))) continue
    const message = `no linkage connects the primary data with ${resourceKey(resource)}`
    yield { rule: 'INC-3', pointer: appendToken('/included', index), message }
  }
}

/** Follows the paths of `include` through the document. */
function* checkRequested(parsed: ParsedExchange): Violations {
  if (parsed.include === undefined || mayHidePrimaryRelationship(parsed)) return
  const resources = resourcesByKey(parsed)
  const requested = new Set<string>()
  for (const path of parsed.include) {
    let current = new Set(primaryData(parsed.body).map(resourceKey))
    let names = path
    if (parsed.relationship !== undefined) {
      for (const key of current) requested.add(key)
      names = path.slice(1)
    }
    for (const name of names) {
      const next = new Set<string>()
      for (const key of current) {
        const resource = resources.get(key)
        if (resource === undefined || isHidden(parsed, resource, name)) continue
        const identifiers = linkageOf(resource, name)
        if (identifiers === undefined) {
          const pointer = appendToken(pointerTo(parsed, resource), 'relationships')
          const message = 'it is requested but has no data'
          yield { rule: 'INP-5', pointer: appendToken(pointer, name), message }
        }
        for (const identifier of identifiers ?? []) next.add(resourceKey(identifier))
      }
      for (const key of next) requested.add(key)
      current = next
    }
  }
  yield* compareWithRequested(parsed, requested, resources)
}

function* compareWithRequested(
  { body }: ParsedExchange,
  requested: ReadonlySet<string>,
  resources: ReadonlyMap<string, Members>,
): Violations {
  for (const [index, resource] of includedResources(body).entries()) {
    if (requested.has(resourceKey(resource))) continue
    yield {
      rule: 'INP-4',
      pointer: appendToken('/included', index),
      message: `the request does not include ${resourceKey(resource)}`,
    }
  }
  for (const key of requested) {
    if (resources.has(key)) continue
    yield { rule: 'INP-5', pointer: '/included', message: `${key} is requested but missing` }
  }
}

/** Checks that fieldsets hide unlisted fields, and that relationships have `data` exactly where the request asks for it. */
export function* checkFields(parsed: ParsedExchange): Violations {
  if (!parsed.isSuccess) return
  const includedNames = new Set(parsed.include?.flat())
  const edges = includedEdges(parsed)
  for (const resource of resourcesByKey(parsed).values()) {
    const listed = parsed.fields.get(String(resource.type))
    for (const group of ['attributes', 'relationships']) {
      const members = resource[group]
      for (const name of isObject(members) ? Object.keys(members) : []) {
        if (!listed || listed.has(name)) continue
        const pointer = appendToken(appendToken(pointerTo(parsed, resource), group), name)
        yield { rule: 'FLD-3', pointer, message: `fields[${resource.type}] does not list it` }
      }
    }
    yield* checkLinkagePresence(parsed, resource, (name) => {
      if (listed || !includedNames.has(name)) return listed?.has(name) ?? false
      // Another type may have a relationship of the same name. The document may not show which one `include` names.
      return edges.has(`${resource.type} ${name}`) || undefined
    })
  }
}

/** The edges of `include` that start at a resource of the document, as `type name`. */
function includedEdges(parsed: ParsedExchange): ReadonlySet<string> {
  const resources = resourcesByKey(parsed)
  const edges = new Set<string>()
  for (const path of parsed.include ?? []) {
    let current = new Set(primaryData(parsed.body).map(resourceKey))
    for (const name of parsed.relationship === undefined ? path : path.slice(1)) {
      const from = [...current].map((key) => resources.get(key)).filter(isObject)
      for (const { type } of from) edges.add(`${type} ${name}`)
      current = new Set(
        from.flatMap((resource) => (linkageOf(resource, name) ?? []).map(resourceKey)),
      )
    }
  }
  return edges
}

/** @param isRequested - whether the request asks for the data of a relationship; `undefined` if that is unknown */
function* checkLinkagePresence(
  parsed: ParsedExchange,
  resource: Members,
  isRequested: (name: string) => boolean | undefined,
): Violations {
  const { relationships } = resource
  for (const name of isObject(relationships) ? Object.keys(relationships) : []) {
    const isPresent = linkageOf(resource, name) !== undefined
    const isExpected = isRequested(name) ?? isPresent
    if (isPresent === isExpected) continue
    const pointer = appendToken(appendToken(pointerTo(parsed, resource), 'relationships'), name)
    const message = isPresent ? 'its data is not requested' : 'it is requested but has no data'
    yield { rule: 'service.md#documents', pointer, message }
  }
}

function resourcesByKey(parsed: ParsedExchange): Map<string, Members> {
  const all = [...includedResources(parsed.body), ...primaryResources(parsed)]
  return new Map(all.map((resource) => [resourceKey(resource), resource]))
}

function pointerTo(parsed: ParsedExchange, resource: Members): string {
  const { data } = parsed.body
  if (data === resource) return '/data'
  const index = Array.isArray(data) ? data.indexOf(resource) : -1
  if (index >= 0) return appendToken('/data', index)
  return appendToken('/included', includedResources(parsed.body).indexOf(resource))
}

/** True if the fieldset of the resource's type does not list a relationship; then `include` ignores it. */
function isHidden({ fields }: ParsedExchange, resource: Members, name: string): boolean {
  return fields.get(String(resource.type))?.has(name) === false
}

/**
 * On a relationship URL the first edge of `include` starts at a resource that is not in the document. When a fieldset
 * does not list the relationship, it may be hidden, so that an empty `included` is correct.
 */
function mayHidePrimaryRelationship({ relationship, fields, body }: ParsedExchange): boolean {
  if (relationship === undefined || includedResources(body).length > 0) return false
  return [...fields.values()].some((names) => !names.has(relationship))
}
