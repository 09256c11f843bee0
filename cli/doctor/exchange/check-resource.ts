import { isMemberName } from './check-document.ts'
import { checkLink } from './check-links.ts'
import type { ParsedExchange } from './parse-exchange.ts'
import { resourceKey } from './parse-exchange.ts'
import type { Members, RuleViolation, Violations } from './rule-violation.ts'
import { appendToken, checkMembers, isNonEmptyString, isObject } from './rule-violation.ts'

/** Checks the structure of the primary data and of `included`. */
export function* checkData({ body, relationship }: ParsedExchange): Violations {
  const { data, included } = body
  const check = (value: unknown, pointer: string) => {
    const rest = withoutCursor(value)
    return relationship === undefined
      ? checkResource(rest, pointer)
      : checkIdentifier(rest, pointer)
  }
  if (Array.isArray(data)) {
    for (const [index, item] of data.entries()) yield* check(item, appendToken('/data', index))
    if (relationship !== undefined) yield* checkRepeats(data, '/data')
  } else if (data !== undefined && data !== null) {
    yield* check(data, '/data')
  }
  if (included === undefined) return
  if (!Array.isArray(included)) {
    yield { rule: 'INC-2', pointer: '/included', message: 'it must be a list' }
    return
  }
  for (const [index, item] of included.entries()) {
    yield* checkResource(item, appendToken('/included', index))
  }
}

/** Leaves out the cursor of a resource or an identifier: `page` in `meta`. */
function withoutCursor(value: unknown): unknown {
  if (!isObject(value)) return value
  const { meta, ...rest } = value
  if (!isObject(meta) || !isObject(meta.page) || !isNonEmptyString(meta.page.cursor)) return value
  const { page: _page, ...others } = meta
  return Object.keys(others).length === 0 ? rest : { ...rest, meta: others }
}

function* checkResource(value: unknown, pointer: string): Violations {
  if (!isObject(value)) {
    yield { rule: 'DOC-9', pointer, message: 'it must be a resource object' }
    return
  }
  const members = ['type', 'id', 'attributes', 'relationships', 'links', 'meta']
  yield* checkMembers(value, members, { rule: 'RES-3', pointer })
  if ('meta' in value) yield* checkVersion(value.meta, `${pointer}/meta`)
  yield* checkNamed(value, pointer, ['RES-1', 'RES-2'])
  const self = yield* checkSelf(value, pointer)
  yield* checkAttributes(value, pointer)
  yield* checkRelationships(value, pointer, self)
}

/** The member `meta` of a resource is its version alone. */
function* checkVersion(meta: unknown, pointer: string): Violations {
  if (isObject(meta) && isNonEmptyString(meta.version) && Object.keys(meta).length === 1) return
  const message = 'it must be an object with the version, a string that is not empty'
  yield { rule: 'service.md#conditional-requests', pointer, message }
}

function* checkNamed(
  value: Members,
  pointer: string,
  [presenceRule, typeRule]: [string, string],
): Violations {
  for (const name of ['type', 'id']) {
    const memberPointer = appendToken(pointer, name)
    if (value[name] === undefined)
      yield { rule: presenceRule, pointer: memberPointer, message: 'it is missing' }
    else if (!isNonEmptyString(value[name])) {
      yield {
        rule: typeRule,
        pointer: memberPointer,
        message: 'it must be a string that is not empty',
      }
    }
  }
  if (isNonEmptyString(value.type) && !isMemberName(value.type)) {
    yield {
      rule: 'RES-5',
      pointer: appendToken(pointer, 'type'),
      message: 'a type must follow the rules of member names',
    }
  }
}

function* checkSelf(value: Members, pointer: string): Generator<RuleViolation, string | undefined> {
  const { links, id } = value
  const memberPointer = `${pointer}/links`
  if (!isObject(links)) {
    const rule = links === undefined ? 'RES-10' : 'LNK-1'
    yield { rule, pointer: memberPointer, message: 'it must be an object with self' }
    return undefined
  }
  yield* checkMembers(links, ['self'], { rule: 'RES-10', pointer: memberPointer })
  yield* checkLink(links.self, `${memberPointer}/self`, 'path')
  if (typeof links.self !== 'string') return undefined
  if (isNonEmptyString(id) && !links.self.endsWith(`/${encodeURIComponent(id)}`)) {
    yield {
      rule: 'RES-10',
      pointer: `${memberPointer}/self`,
      message: `it must end with the id, ${id}`,
    }
  }
  return links.self
}

function* checkAttributes({ attributes, relationships }: Members, pointer: string): Violations {
  const memberPointer = `${pointer}/attributes`
  if (attributes === undefined) return
  if (!isObject(attributes)) {
    yield { rule: 'RES-7', pointer: memberPointer, message: 'it must be an object' }
    return
  }
  for (const [name, value] of Object.entries(attributes)) {
    const isReserved = ['id', 'type'].includes(name)
    if (isReserved || (isObject(relationships) && Object.hasOwn(relationships, name))) {
      yield {
        rule: 'RES-6',
        pointer: appendToken(memberPointer, name),
        message: 'the name is used by another member',
      }
    }
    if (typeof value === 'object') yield* checkNested(value, appendToken(memberPointer, name))
  }
}

function* checkNested(value: unknown, pointer: string): Violations {
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    if (name === 'links' || name === 'relationships') {
      yield {
        rule: 'RES-8',
        pointer: appendToken(pointer, name),
        message: 'an attribute must not contain it',
      }
    }
    yield* checkNested(inner, appendToken(pointer, name))
  }
}

function* checkRelationships(
  { relationships }: Members,
  above: string,
  self: string | undefined,
): Violations {
  const pointer = `${above}/relationships`
  if (relationships === undefined) return
  if (!isObject(relationships)) {
    yield { rule: 'REL-1', pointer, message: 'it must be an object' }
    return
  }
  for (const [name, value] of Object.entries(relationships)) {
    const memberPointer = appendToken(pointer, name)
    if (['id', 'type'].includes(name))
      yield { rule: 'RES-6', pointer: memberPointer, message: 'the name is used by another member' }
    if (!isObject(value))
      yield { rule: 'REL-2', pointer: memberPointer, message: 'it must be an object' }
    else
      yield* checkRelationship(
        value,
        memberPointer,
        self &&
          ['relationships/', ''].map((route) => `${self}/${route}${encodeURIComponent(name)}`),
      )
  }
}

function* checkRelationship(
  value: Members,
  pointer: string,
  urls: string[] | undefined | '',
): Violations {
  yield* checkMembers(value, ['links', 'data', 'meta'], { rule: 'REL-2', pointer })
  if ('meta' in value) yield* checkRelationshipMeta(value, `${pointer}/meta`)
  if ('data' in value) yield* checkLinkage(value.data, `${pointer}/data`)
  const { links } = value
  const memberPointer = `${pointer}/links`
  if (!isObject(links)) {
    const rule = links === undefined ? 'REL-2' : 'LNK-1'
    yield { rule, pointer: memberPointer, message: 'it must be an object with self and related' }
    return
  }
  const isPage = isObject(value.meta) && value.meta.page !== undefined
  const names = ['self', 'related', ...(isPage ? ['prev', 'next'] : [])]
  yield* checkMembers(links, names, { rule: 'REL-3', pointer: memberPointer })
  for (const name of ['prev', 'next'])
    if (isPage && links[name] !== null)
      yield* checkLink(links[name], appendToken(memberPointer, name), 'path')
  for (const [index, name] of ['self', 'related'].entries()) {
    const link = links[name]
    if (link === undefined)
      yield { rule: 'REL-2', pointer: appendToken(memberPointer, name), message: 'it is missing' }
    else yield* checkLink(link, appendToken(memberPointer, name), 'path')
    if (typeof link === 'string' && urls && link !== urls[index]) {
      yield {
        rule: 'REL-2',
        pointer: appendToken(memberPointer, name),
        message: `it must be ${urls[index]}`,
      }
    }
  }
}

/**
 * Checks `meta` of a relationship: the number of related resources, and of linkage that is a page, whether there are more. All other
 * linkage is complete, unless a filter left out members.
 */
function* checkRelationshipMeta({ meta, data }: Members, pointer: string): Violations {
  const { count, filtered, page, ...others } = isObject(meta) ? meta : {}
  const isCount = count === undefined || (Number.isSafeInteger(count) && Number(count) >= 0)
  const hasMember = [count, filtered, page].some((member) => member !== undefined)
  if (!isCount || !hasMember || Object.keys(others).length > 0)
    yield { rule: 'REL-2', pointer, message: 'it must have a count, filtered or page' }
  if (filtered !== undefined && filtered !== true)
    yield { rule: 'REL-2', pointer: `${pointer}/filtered`, message: 'it must be true' }
  const hasMore = isObject(page) && page.hasMore
  if (page !== undefined && typeof hasMore !== 'boolean')
    yield {
      rule: 'REL-2',
      pointer: `${pointer}/page`,
      message: 'it must say whether there is more',
    }
  if (count === undefined || filtered || !Array.isArray(data)) return
  if (hasMore ? Number(count) <= data.length : Number(count) !== data.length)
    yield {
      rule: 'REL-2',
      pointer,
      message: `it must be ${hasMore ? 'more than ' : ''}the number of identifiers, ${data.length}`,
    }
}

function* checkLinkage(data: unknown, pointer: string): Violations {
  if (data === null) return
  if (!Array.isArray(data)) {
    yield* checkIdentifier(data, pointer)
    return
  }
  for (const [index, item] of data.entries())
    if (!isIdentifier(item)) yield* checkIdentifier(item, appendToken(pointer, index))
  yield* checkRepeats(data, pointer)
}

/** True if `checkIdentifier` finds nothing; faster for long lists. */
function isIdentifier(value: unknown): boolean {
  if (!isObject(value) || Object.keys(value).length !== 2) return false
  return isNonEmptyString(value.id) && isMemberName(value.type)
}

function* checkIdentifier(value: unknown, pointer: string): Violations {
  if (!isObject(value)) {
    yield { rule: 'LKG-1', pointer, message: 'it must be a resource identifier' }
    return
  }
  yield* checkMembers(value, ['type', 'id'], { rule: 'LKG-3', pointer })
  yield* checkNamed(value, pointer, ['LKG-2', 'LKG-2'])
}

function* checkRepeats(data: readonly unknown[], pointer: string): Violations {
  const seen = new Set<string>()
  for (const [index, item] of data.entries()) {
    if (!isObject(item)) continue
    if (seen.has(resourceKey(item))) {
      yield {
        rule: 'RUP-8',
        pointer: appendToken(pointer, index),
        message: 'a relationship must not contain the same identifier twice',
      }
    }
    seen.add(resourceKey(item))
  }
}
