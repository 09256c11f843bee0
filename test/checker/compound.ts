import type { Breaches, Members } from './breach.ts'
import { below, isObject } from './breach.ts'
import type { Reading } from './reading.ts'
import { includedResources, key, linkage, primaryData, primaryResources } from './reading.ts'

/** `included`: there when asked for, each resource once, each linked, and neither more nor less than asked for. */
export function* checkCompound(reading: Reading): Breaches {
  const { body, success, include } = reading
  if (!success || !('data' in body)) return
  const wanted = include !== undefined && body.data !== null
  if (wanted !== 'included' in body) {
    const at = '/included'
    if (wanted)
      yield { rule: 'service.md#documents', at, why: 'include was sent, so it must stand here' }
    else yield { rule: 'INP-1', at, why: 'nothing was to be included' }
    return
  }
  yield* checkUnique(reading)
  yield* checkLinked(reading)
  yield* checkRequested(reading)
}

function* checkUnique(reading: Reading): Breaches {
  const seen = new Set<string>()
  const lists = { '/data': primaryResources(reading), '/included': includedResources(reading.body) }
  for (const [at, list] of Object.entries(lists)) {
    for (const [index, resource] of list.entries()) {
      if (seen.has(key(resource))) {
        yield { rule: 'INC-4', at: below(at, index), why: `${key(resource)} stands here again` }
      }
      seen.add(key(resource))
    }
  }
}

/** Full linkage: a chain of identifiers leads from the primary data to every included resource. */
function* checkLinked(reading: Reading): Breaches {
  const resources = everyResource(reading)
  const reached = new Set(primaryData(reading.body).map(key))
  for (const name of reached) {
    const { relationships } = resources.get(name) ?? {}
    for (const relationship of isObject(relationships) ? Object.keys(relationships) : []) {
      const named = linkage(resources.get(name), relationship) ?? []
      for (const identifier of named) reached.add(key(identifier))
    }
  }
  for (const [index, resource] of includedResources(reading.body).entries()) {
    if (reached.has(key(resource))) continue
    const why = `no chain of linkage leads from the primary data to ${key(resource)}`
    yield { rule: 'INC-3', at: below('/included', index), why }
  }
}

/** Walks the paths of `include` through the document. */
function* checkRequested(reading: Reading): Breaches {
  if (reading.include === undefined || hidesItself(reading)) return
  const resources = everyResource(reading)
  const requested = new Set<string>()
  for (const path of reading.include) {
    let here = new Set(primaryData(reading.body).map(key))
    let steps = path
    if (reading.relationship !== undefined) {
      for (const name of here) requested.add(name)
      steps = path.slice(1)
    }
    for (const step of steps) {
      const next = new Set<string>()
      for (const name of here) {
        const resource = resources.get(name)
        if (resource === undefined || hides(reading, resource, step)) continue
        const named = linkage(resource, step)
        if (named === undefined) {
          const at = below(placeOf(reading, resource), 'relationships')
          yield { rule: 'INP-5', at: below(at, step), why: 'it was asked for, but has no data' }
        }
        for (const identifier of named ?? []) next.add(key(identifier))
      }
      for (const name of next) requested.add(name)
      here = next
    }
  }
  yield* compare(reading, requested, resources)
}

function* compare(
  { body }: Reading,
  requested: ReadonlySet<string>,
  resources: ReadonlyMap<string, Members>,
): Breaches {
  for (const [index, resource] of includedResources(body).entries()) {
    if (requested.has(key(resource))) continue
    yield { rule: 'INP-4', at: below('/included', index), why: `nobody asked for ${key(resource)}` }
  }
  for (const name of requested) {
    if (resources.has(name)) continue
    yield { rule: 'INP-5', at: '/included', why: `${name} was asked for, but is missing` }
  }
}

/** Nothing a fieldset leaves out is told, and linkage stands where, and only where, it was asked for. */
export function* checkFields(reading: Reading): Breaches {
  if (!reading.success) return
  const steps = new Set(reading.include?.flat())
  const walked = stepsByType(reading)
  for (const resource of everyResource(reading).values()) {
    const listed = reading.fields.get(String(resource.type))
    for (const group of ['attributes', 'relationships']) {
      const members = resource[group]
      for (const name of isObject(members) ? Object.keys(members) : []) {
        if (!listed || listed.has(name)) continue
        const at = below(below(placeOf(reading, resource), group), name)
        yield { rule: 'FLD-3', at, why: `fields[${resource.type}] does not list it` }
      }
    }
    yield* checkLoaded(reading, resource, (name) => {
      if (listed || !steps.has(name)) return listed?.has(name) ?? false
      // Another type may have a relationship of the same name, and the document need not show which was meant.
      return walked.has(`${resource.type} ${name}`) || undefined
    })
  }
}

/** The steps of `include` that start at a resource which the document shows, each with that resource's type. */
function stepsByType(reading: Reading): ReadonlySet<string> {
  const resources = everyResource(reading)
  const found = new Set<string>()
  for (const path of reading.include ?? []) {
    let here = new Set(primaryData(reading.body).map(key))
    for (const step of reading.relationship === undefined ? path : path.slice(1)) {
      const from = [...here].map((name) => resources.get(name)).filter(isObject)
      for (const { type } of from) found.add(`${type} ${step}`)
      here = new Set(from.flatMap((resource) => (linkage(resource, step) ?? []).map(key)))
    }
  }
  return found
}

/** @param isLoaded - whether a relationship was asked for with its data; `undefined` where that cannot be told */
function* checkLoaded(
  reading: Reading,
  resource: Members,
  isLoaded: (name: string) => boolean | undefined,
): Breaches {
  const { relationships } = resource
  for (const name of isObject(relationships) ? Object.keys(relationships) : []) {
    const told = linkage(resource, name) !== undefined
    const expected = isLoaded(name) ?? told
    if (told === expected) continue
    const at = below(below(placeOf(reading, resource), 'relationships'), name)
    const why = told ? 'its data was not asked for' : 'it was asked for, but has no data'
    yield { rule: 'service.md#documents', at, why }
  }
}

function everyResource(reading: Reading): Map<string, Members> {
  const all = [...includedResources(reading.body), ...primaryResources(reading)]
  return new Map(all.map((resource) => [key(resource), resource]))
}

function placeOf(reading: Reading, resource: Members): string {
  const { data } = reading.body
  if (data === resource) return '/data'
  const index = Array.isArray(data) ? data.indexOf(resource) : -1
  if (index >= 0) return below('/data', index)
  return below('/included', includedResources(reading.body).indexOf(resource))
}

/** A step whose relationship is not listed in that type's `fields` does nothing. */
function hides({ fields }: Reading, resource: Members, step: string): boolean {
  return fields.get(String(resource.type))?.has(step) === false
}

/**
 * On a relationship route the first step starts at a resource that the document does not show. When no
 * `fields` of any type lists it, it may be hidden, and an empty `included` is right.
 */
function hidesItself({ relationship, fields, body }: Reading): boolean {
  if (relationship === undefined || includedResources(body).length > 0) return false
  return [...fields.values()].some((names) => !names.has(relationship))
}
