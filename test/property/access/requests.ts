import { actionNames, collectionActionNames } from './declared-calls.ts'
import type { Random } from './random.ts'
import {
  newIds,
  nextOf,
  otherTenant,
  relationshipsOf,
  type Type,
  toId,
  types,
  words,
} from './schema.ts'

/** A request to the API. */
export interface TestRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  /** Default: that of an API client. */
  readonly accept?: string
  /** What the client prefers. */
  readonly prefer?: string
  /** The key of a write that is repeated. */
  readonly key?: string
  /** The condition of a write. */
  readonly ifMatch?: string
  /** The tag of a read that is repeated, or `*` for a create. */
  readonly ifNoneMatch?: string
}

const numbers = ['1', '2', '3', '4', '5', '6', '7', '20', '21', '50'] as const
const attributes = [
  ...(['name', 'rank', 'note', 'secret', 'place', 'marks', 'tags', 'info'] as const),
  ...(['mixed', 'loud', 'nextNumber', 'id'] as const),
] as const

/** The paths into JSON, as filters name them. */
const paths = ['place__word', 'info__place__word', 'info__place__nothing'] as const

/** Draws an id: of blue things also one of another tenant, in the scenarios that have tenants. */
function drawId(type: Type, random: Random): string {
  const number = random.pick(numbers)
  return type === 'blue' && number === '21' ? `${otherTenant},3` : toId(type, number)
}

/** Draws an id, rarely one that is not valid. */
export function randomId(type: Type, random: Random): string {
  return random.chance(0.05) ? random.pick(['x', '0,x']) : drawId(type, random)
}

/** The attributes that can be compared with each other. */
const texts = ['name', 'note', 'secret', 'loud'] as const

/** Creates a random read. */
export function randomRead(random: Random): TestRequest {
  const type = random.pick(types)
  const id = randomId(type, random)
  const [name, relationship] = random.pick(Object.entries(relationshipsOf(type)))
  const kind = random.int(6)
  if (kind < 2) return get(`/${type}`, listQuery(type, random))
  if (kind === 2) return get(`/${type}/${id}`, resourceQuery(type, random))
  if (kind === 3)
    return get(
      `/${type}/${id}/relationships/${name}`,
      relationship.many ? listQuery(relationship.to, random, true) : {},
    )
  const query = relationship.many ? listQuery : resourceQuery
  return get(`/${type}/${id}/${name}`, query(relationship.to, random))
}

function get(path: string, query: Readonly<Record<string, string>>): TestRequest {
  const search = new URLSearchParams(query).toString()
  return { method: 'GET', path: search === '' ? path : `${path}?${search}` }
}

/**
 * Creates a random read of a complete list of red things, which is streamed if it is long. Some have a filter whose SQL is so long
 * that SQLite runs it in a reader process.
 */
export function randomLongList(random: Random): TestRequest {
  const drawn = listQuery('red', random)
  // A page between cursors cannot be the complete list.
  const query = Object.fromEntries(
    Object.entries(drawn).filter(([name]) => !/^page\[(?:number|total|cursors)\]$/.test(name)),
  )
  const nothing = { name: 'name', op: 'ilike', val: '%no such word%' }
  const or = [{ name: 'rank', op: 'ge', val: 1 }, ...Array.from({ length: 40 }, () => nothing)]
  return get('/red', {
    ...query,
    ...(random.chance(0.7) && { filter: '[]' }),
    ...(random.chance(0.3) && { filter: JSON.stringify([{ or }]) }),
    // A page that fits in memory has a cached count on PostgreSQL.
    'page[size]': random.pick(['0', '0', '1200', '3', '3']),
  })
}

function listQuery(type: Type, random: Random, isLinkage = false): Record<string, string> {
  // Alone, because most random parameters name something that does not exist.
  if (random.chance(0.3)) return { filter: JSON.stringify([randomComparison(random)]) }
  if (random.chance(0.15)) return { sort: `-${random.pick(['note', 'secret', 'info.place.word'])}` }
  return {
    ...(random.chance(0.6) && { filter: JSON.stringify([randomFilter(type, random, 2)]) }),
    ...(random.chance(0.5) && { sort: randomSort(random) }),
    ...(random.chance(0.4) && { 'page[size]': random.pick(['1', '2', '3', '10']) }),
    ...(random.chance(0.25)
      ? {
          'page[total]': random.pick(['exact', 'capped', 'none']),
          'page[cursors]': random.pick(['true', 'false']),
        }
      : random.chance(0.2) && { 'page[number]': random.pick(['1', '2', '3']) }),
    ...(!isLinkage && resourceQuery(type, random)),
  }
}

function resourceQuery(type: Type, random: Random): Record<string, string> {
  const fieldset = (each: Type) =>
    random.some(
      [
        ...attributes.slice(0, attributes.indexOf('nextNumber')),
        ...Object.keys(relationshipsOf(each)),
      ],
      0.4,
    )
  const sets = random.chance(0.4)
    ? types.map((each) => [`fields[${each}]`, fieldset(each).join(',')] as const)
    : []
  return {
    ...(random.chance(0.5) && { include: randomPath(type, random, 3).join('.') }),
    ...(random.chance(0.15) && { withCount: 'previous' }),
    ...Object.fromEntries(random.some(sets, 0.6)),
  }
}

/** Draws an include path. */
export function randomPath(type: Type, random: Random, length: number): string[] {
  const [name, { to }] = random.pick(Object.entries(relationshipsOf(type)))
  return length > 1 && random.chance(0.5) ? [name, ...randomPath(to, random, length - 1)] : [name]
}

/** Draws a sort; most contain a field that does not exist or may not be used. */
export function randomSort(random: Random): string {
  const term = () => {
    const path = random.chance(0.4) ? 'next.' : ''
    const other = random.pick([
      'previous.count',
      ...paths.map((each) => each.replaceAll('__', '.')),
    ])
    const name = random.chance(0.25) ? other : random.pick(attributes)
    return `${random.chance(0.5) ? '-' : ''}${path}${name}`
  }
  return random.chance(0.4) ? `${term()},${term()}` : term()
}

/** Draws a filter object. */
export function randomFilter(type: Type, random: Random, depth: number): object {
  const [name, { to, many }] = random.pick(Object.entries(relationshipsOf(type)))
  switch (random.int(depth > 0 ? 11 : 6)) {
    case 10:
      return randomQueryCall(name, random)
    case 0:
      return random.chance(0.5)
        ? { name, op: random.pick(['eq', 'ne']), val: null }
        : {
            name: 'previous',
            op: random.pick(['count_eq', 'count_gt', 'count_lt']),
            val: random.int(3),
          }
    case 1:
      return { name: random.pick(texts), op: 'eq', field: random.pick(texts) }
    case 2:
      return { name: random.pick(['marks', 'tags', 'note']), ...randomListOperand(random) }
    case 3:
      return { name: random.pick(paths), ...randomOperand(random) }
    case 6:
      return { not: randomFilter(type, random, depth - 1) }
    case 7:
      return { or: [randomFilter(type, random, depth - 1), randomFilter(type, random, depth - 1)] }
    case 8:
      return { name, op: many ? 'any' : 'has', val: randomFilter(to, random, depth - 1) }
    case 9:
      return {
        name: `${name}__${random.pick([...attributes, ...paths])}`,
        ...randomOperand(random),
      }
    default:
      return { name: random.pick(attributes), ...randomOperand(random) }
  }
}

/** Calls a declared query: of the type, or of a related one. */
function randomQueryCall(relationship: string, random: Random): object {
  const path = random.chance(0.3) ? `${relationship}__` : ''
  return random.chance(0.5)
    ? { name: `${path}ranked`, op: 'call', val: { least: random.int(5) } }
    : { name: `${path}named`, op: 'call', val: { word: random.pick(words) } }
}

/** Creates a comparison that has an effect, if the field exists. */
export function randomComparison(random: Random): object {
  if (random.chance(0.25)) return { name: 'name', op: 'eq', field: random.pick(['note', 'secret']) }
  const name = random.pick(['note', 'secret', 'loud', 'tags', 'marks', ...paths.slice(0, 2)])
  const isList = name === 'tags' || name === 'marks'
  const val = random.pick(words)
  return isList
    ? { name, op: 'contains', val: [val] }
    : { name, op: random.pick(['eq', 'ne', 'gt']), val }
}

function randomOperand(random: Random): object {
  return random.pick([
    { op: 'eq', val: random.pick(words) },
    { op: 'ne', val: random.pick(words) },
    { op: 'gt', val: random.int(4) },
    { op: 'is_', val: null },
    { op: 'in_', val: ['1', '2', '1,2', 'ash'] },
    { op: 'ilike', val: '%a%' },
  ])
}

function randomListOperand(random: Random): object {
  const op = random.pick(['contains', 'overlaps', 'eq', 'ne'])
  return random.chance(0.1) ? { op: 'is_', val: null } : { op, val: random.some(words) }
}

/** Creates a random write. */
export function randomWrite(random: Random): TestRequest {
  const type = random.pick(types)
  const id = randomId(type, random)
  const [name, relationship] = random.pick(Object.entries(relationshipsOf(type)))
  const path = `/${type}/${id}`
  const query = new URLSearchParams(resourceQuery(type, random)).toString()
  const search = query === '' ? '' : `?${query}`
  switch (random.int(6)) {
    case 5:
      return randomCall(type, id, search, random)
    case 0:
      return { method: 'POST', path: `/${type}${search}`, body: { data: document(type, random) } }
    case 1:
      return {
        method: 'PATCH',
        path: path + search,
        body: { data: { id, ...document(type, random, false) } },
      }
    case 2:
      return { method: 'DELETE', path }
    case 3: {
      if (!relationship.many) return { method: 'DELETE', path }
      const body = { data: document(relationship.to, random) }
      return { method: 'POST', path: `${path}/${name}`, body }
    }
    default: {
      const method = random.pick(['POST', 'PATCH', 'DELETE'] as const)
      const body = { data: linkage(relationship.to, relationship.many, random) }
      return { method, path: `${path}/relationships/${name}`, body }
    }
  }
}

/** Creates a random call of an action. @param id - the resource, if it is an action of one */
function randomCall(type: Type, id: string, search: string, random: Random): TestRequest {
  const isOfResource = random.chance(0.6)
  const name = random.pick(isOfResource ? actionNames : collectionActionNames)
  const sent = {
    rename: { word: random.pick(words) },
    change: { other: drawId(nextOf[type], random) },
    find: { least: random.int(5) },
    look: { id_of_row: drawId(type, random) },
    add: { word: random.pick(words), id_of_row: random.pick(newIds) },
  }
  const body = { meta: { ...Reflect.get(sent, name) } }
  const path = isOfResource ? `/${type}/${id}/actions/${name}` : `/${type}/actions/${name}`
  return { method: 'POST', path: path + search, body }
}

/** Creates the resource of a body. @param isNew - whether it is created, for which a composite id is required */
function document(type: Type, random: Random, isNew = true): object {
  const values = {
    name: random.pick(words),
    rank: random.int(5),
    note: random.pick(words),
    secret: random.pick(words),
    place: { word: random.pick(words) },
    marks: random.some(words),
    tags: random.some(words),
    info: { place: { word: random.pick(words) } },
  }
  const sent = random.some(Object.entries(values), 0.4)
  const relationships = random.some(Object.entries(relationshipsOf(type)), 0.3)
  return {
    type,
    ...(isNew && type === 'blue' && { id: random.pick(newIds) }),
    attributes: Object.fromEntries(sent),
    relationships: Object.fromEntries(
      relationships.map(([name, { to, many }]) => [name, { data: linkage(to, many, random) }]),
    ),
  }
}

function linkage(type: Type, many: boolean, random: Random): unknown {
  const identifier = () => ({ type, id: drawId(type, random) })
  if (many)
    return random.chance(0.3) ? [] : [identifier(), ...(random.chance(0.3) ? [identifier()] : [])]
  return random.chance(0.2) ? null : identifier()
}
