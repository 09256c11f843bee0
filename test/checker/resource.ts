import type { Breach, Breaches, Members } from './breach.ts'
import { below, checkMembers, isFilled, isObject } from './breach.ts'
import { isMemberName } from './document.ts'
import { checkLinkText } from './links.ts'
import type { Reading } from './reading.ts'
import { key } from './reading.ts'

/** The form of the primary data and of `included`. */
export function* checkData({ body, relationship }: Reading): Breaches {
  const { data, included } = body
  const check = (value: unknown, at: string) =>
    relationship === undefined ? checkResource(value, at) : checkIdentifier(value, at)
  if (Array.isArray(data)) {
    for (const [index, item] of data.entries()) yield* check(item, below('/data', index))
    if (relationship !== undefined) yield* checkRepeats(data, '/data')
  } else if (data !== undefined && data !== null) {
    yield* check(data, '/data')
  }
  if (included === undefined) return
  if (!Array.isArray(included)) {
    yield { rule: 'INC-2', at: '/included', why: 'it must be a list' }
    return
  }
  for (const [index, item] of included.entries()) {
    yield* checkResource(item, below('/included', index))
  }
}

function* checkResource(value: unknown, at: string): Breaches {
  if (!isObject(value)) {
    yield { rule: 'DOC-9', at, why: 'it must be a resource object' }
    return
  }
  const members = ['type', 'id', 'attributes', 'relationships', 'links']
  yield* checkMembers(value, members, { rule: 'RES-3', at })
  yield* checkNamed(value, at, ['RES-1', 'RES-2'])
  const self = yield* checkSelf(value, at)
  yield* checkAttributes(value, at)
  yield* checkRelationships(value, at, self)
}

function* checkNamed(value: Members, at: string, [presence, form]: [string, string]): Breaches {
  for (const name of ['type', 'id']) {
    const place = below(at, name)
    if (value[name] === undefined) yield { rule: presence, at: place, why: 'it is missing' }
    else if (!isFilled(value[name])) {
      yield { rule: form, at: place, why: 'it must be a string that is not empty' }
    }
  }
  if (isFilled(value.type) && !isMemberName(value.type)) {
    yield { rule: 'RES-5', at: below(at, 'type'), why: 'a type keeps the rules of member names' }
  }
}

function* checkSelf(value: Members, at: string): Generator<Breach, string | undefined> {
  const { links, id } = value
  const place = `${at}/links`
  if (!isObject(links)) {
    const rule = links === undefined ? 'RES-10' : 'LNK-1'
    yield { rule, at: place, why: 'it must be an object with self' }
    return undefined
  }
  yield* checkMembers(links, ['self'], { rule: 'RES-10', at: place })
  yield* checkLinkText(links.self, `${place}/self`, 'path')
  if (typeof links.self !== 'string') return undefined
  if (isFilled(id) && !links.self.endsWith(`/${encodeURIComponent(id)}`)) {
    yield { rule: 'RES-10', at: `${place}/self`, why: `it must end with the id, ${id}` }
  }
  return links.self
}

function* checkAttributes({ attributes, relationships }: Members, at: string): Breaches {
  const place = `${at}/attributes`
  if (attributes === undefined) return
  if (!isObject(attributes)) {
    yield { rule: 'RES-7', at: place, why: 'it must be an object' }
    return
  }
  for (const [name, value] of Object.entries(attributes)) {
    const own = ['id', 'type'].includes(name)
    if (own || (isObject(relationships) && Object.hasOwn(relationships, name))) {
      yield { rule: 'RES-6', at: below(place, name), why: 'the name is taken' }
    }
    yield* checkNested(value, below(place, name))
  }
}

function* checkNested(value: unknown, at: string): Breaches {
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    if (name === 'links' || name === 'relationships') {
      yield { rule: 'RES-8', at: below(at, name), why: 'it may not stand inside an attribute' }
    }
    yield* checkNested(inner, below(at, name))
  }
}

function* checkRelationships(
  { relationships }: Members,
  above: string,
  self: string | undefined,
): Breaches {
  const at = `${above}/relationships`
  if (relationships === undefined) return
  if (!isObject(relationships)) {
    yield { rule: 'REL-1', at, why: 'it must be an object' }
    return
  }
  for (const [name, value] of Object.entries(relationships)) {
    const place = below(at, name)
    if (['id', 'type'].includes(name)) yield { rule: 'RES-6', at: place, why: 'the name is taken' }
    if (!isObject(value)) yield { rule: 'REL-2', at: place, why: 'it must be an object' }
    else
      yield* checkRelationship(
        value,
        place,
        self &&
          ['relationships/', ''].map((route) => `${self}/${route}${encodeURIComponent(name)}`),
      )
  }
}

function* checkRelationship(value: Members, at: string, urls: string[] | undefined | ''): Breaches {
  yield* checkMembers(value, ['links', 'data'], { rule: 'REL-2', at })
  if ('data' in value) yield* checkLinkage(value.data, `${at}/data`)
  const { links } = value
  const place = `${at}/links`
  if (!isObject(links)) {
    const rule = links === undefined ? 'REL-2' : 'LNK-1'
    yield { rule, at: place, why: 'it must be an object with self and related' }
    return
  }
  yield* checkMembers(links, ['self', 'related'], { rule: 'REL-3', at: place })
  for (const [index, name] of ['self', 'related'].entries()) {
    const link = links[name]
    if (link === undefined) yield { rule: 'REL-2', at: below(place, name), why: 'it is missing' }
    else yield* checkLinkText(link, below(place, name), 'path')
    if (typeof link === 'string' && urls && link !== urls[index]) {
      yield { rule: 'REL-2', at: below(place, name), why: `it must be ${urls[index]}` }
    }
  }
}

function* checkLinkage(data: unknown, at: string): Breaches {
  if (data === null) return
  if (!Array.isArray(data)) {
    yield* checkIdentifier(data, at)
    return
  }
  for (const [index, item] of data.entries()) yield* checkIdentifier(item, below(at, index))
  yield* checkRepeats(data, at)
}

function* checkIdentifier(value: unknown, at: string): Breaches {
  if (!isObject(value)) {
    yield { rule: 'LKG-1', at, why: 'it must be a resource identifier' }
    return
  }
  yield* checkMembers(value, ['type', 'id'], { rule: 'LKG-3', at })
  yield* checkNamed(value, at, ['LKG-2', 'LKG-2'])
}

function* checkRepeats(data: readonly unknown[], at: string): Breaches {
  const seen = new Set<string>()
  for (const [index, item] of data.entries()) {
    if (!isObject(item)) continue
    if (seen.has(key(item))) {
      yield { rule: 'RUP-8', at: below(at, index), why: 'a relationship names nothing twice' }
    }
    seen.add(key(item))
  }
}
