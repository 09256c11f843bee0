import {
  makePersonAttributes,
  pickComputers,
  pickDeepPage,
  pickEarlyPage,
  pickNamePart,
  pickPersonId,
  pickSerialPrefix,
} from './request-values.ts'
import { listComputerIds } from './seed-data.ts'

/** One HTTP request of a workload. */
export interface WorkloadRequest {
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Path and query, percent-encoded. */
  readonly target: string
  readonly body?: string
  /** Header fields that replace those of every request, or are added to them. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A kind of request that clients send often. */
export interface Workload {
  readonly name: string
  readonly description: string
  /** True if the requests change data. Each server then gets its own copy of the database. */
  readonly writes?: true
  /** True if each request makes the database visit every row. */
  readonly scans?: true
  /** Makes the request with a number for a database with so many persons. The same arguments give the same request. */
  readonly request: (number: number, persons: number) => WorkloadRequest
}

const atomicType = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'

const get = (target: string): WorkloadRequest => ({ method: 'GET', target })
const query = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
const filterPersons = (clause: unknown): WorkloadRequest =>
  get(`/persons?${query({ filter: JSON.stringify([clause]) })}`)

/** The workloads that every server is measured with. */
export const workloads: readonly Workload[] = [
  {
    name: 'one',
    description: 'one resource',
    request: (number, persons) => get(`/persons/${pickPersonId(number, persons)}`),
  },
  { name: 'list', description: 'list of 30', request: () => get('/persons') },
  {
    name: 'included',
    description: 'list of 30 with 150 included',
    request: () => get('/persons?include=computers'),
  },
  {
    name: 'one-included',
    description: 'one resource with 5 included',
    request: (number, persons) =>
      get(`/persons/${pickPersonId(number, persons)}?include=computers`),
  },
  {
    name: 'deep',
    description: 'list of 30, a page near the end',
    request: (number, persons) => get(`/persons?page[number]=${pickDeepPage(number, persons)}`),
  },
  {
    name: 'owner',
    description: 'filter by an indexed column',
    request: (number, persons) =>
      get(`/computers?filter[owner__id]=${pickPersonId(number, persons)}`),
  },
  {
    name: 'text',
    description: 'filter by a substring',
    scans: true,
    request: (number) => filterPersons({ name: 'name', op: 'like', val: pickNamePart(number) }),
  },
  {
    name: 'any-case',
    description: 'filter by a substring, case-insensitive',
    scans: true,
    request: (number) => filterPersons({ name: 'name', op: 'ilike', val: pickNamePart(number) }),
  },
  {
    name: 'owning',
    description: 'filter through a relationship',
    scans: true,
    request: (number) => {
      const val = { name: 'serial', op: 'startswith', val: pickSerialPrefix(number) }
      return filterPersons({ name: 'computers', op: 'any', val })
    },
  },
  {
    name: 'sort',
    description: 'sort by two attributes',
    scans: true,
    request: (number) => {
      const page = String(pickEarlyPage(number))
      return get(`/persons?${query({ sort: '-birth_date,name', 'page[number]': page })}`)
    },
  },
  {
    name: 'sparse',
    description: 'list of 30, two fields each',
    request: () => get(`/persons?${query({ 'fields[person]': 'name,birth_date' })}`),
  },
  {
    name: 'create',
    description: 'create a person',
    writes: true,
    request: (number) =>
      send('POST', '/persons', { type: 'person', attributes: makePersonAttributes(number) }),
  },
  {
    name: 'batch',
    description: 'create 100 persons in one request',
    writes: true,
    request: (number) => ({
      method: 'POST',
      target: '/operations',
      headers: { accept: atomicType, 'content-type': atomicType },
      body: JSON.stringify({
        'atomic:operations': Array.from({ length: 100 }, (_, index) => {
          const attributes = makePersonAttributes(100 * number + index)
          return { op: 'add', data: { type: 'person', attributes } }
        }),
      }),
    }),
  },
  {
    name: 'update',
    description: 'update a person',
    writes: true,
    request: (number, persons) => {
      // Each request sets another name, because SQLite does not write a row that stays the same.
      const id = String(pickPersonId(number % 1000, persons))
      const { name } = makePersonAttributes(number)
      return send('PATCH', `/persons/${id}`, { type: 'person', id, attributes: { name } })
    },
  },
  {
    name: 'replace',
    description: 'replace a to-many relationship',
    writes: true,
    request: (number, persons) => {
      const person = pickPersonId(number, persons)
      const computers = pickComputers(listComputerIds(person, persons), number)
      return send(
        'PATCH',
        `/persons/${person}/relationships/computers`,
        computers.map((id) => ({ type: 'computer', id: String(id) })),
      )
    },
  },
]

/** Requests that the baseline does not serve; their instructions are counted. */
export const serviceWorkloads: readonly Workload[] = [
  {
    name: 'unchanged-list',
    description: 'list of 30 that the client has',
    request: () => ({ ...get('/persons'), headers: { 'if-none-match': '*' } }),
  },
]

/** Requests of one query shape, and requests of a thousand query shapes. The values differ in each request. */
export const shapeWorkloads: readonly Workload[] = [
  {
    name: 'one-shape',
    description: '30 by id, one query shape',
    request: (number, persons) => makeShapedRequest(number, 0, persons),
  },
  {
    name: 'thousand-shapes',
    description: '30 by id, a thousand query shapes',
    request: (number, persons) => makeShapedRequest(number, number % 1000, persons),
  },
]

/**
 * Makes a request of the query shape with a number.
 * @param shape - below 1024; each of its ten bits chooses the operator of one comparison
 */
function makeShapedRequest(number: number, shape: number, persons: number): WorkloadRequest {
  const low = pickPersonId(number, persons - 30)
  const comparisons = Array.from({ length: 10 }, (_, bit) => ({
    name: bit % 2 === 0 ? 'name' : 'id',
    op: (shape >> bit) % 2 === 0 ? 'gt' : 'ge',
    val: bit % 2 === 0 ? ` ${number % 977}` : -(number % 977),
  }))
  const range = { name: 'id', op: 'between', val: [low, low + 29] }
  return filterPersons({ and: [range, ...comparisons] })
}

function send(method: 'POST' | 'PATCH', target: string, data: unknown): WorkloadRequest {
  return { method, target, body: JSON.stringify({ data }) }
}
