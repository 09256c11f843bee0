import { isObject } from '../../cli/doctor/exchange/rule-violation.ts'
import type { Exchange } from '../client.ts'
import { mediaType } from '../client.ts'

/** The method of a sample request, and its response. */
interface SampleOptions {
  readonly method?: string
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

/** Creates a sample exchange with a service at `http://host`. */
function sampleExchange(
  path: string,
  { method = 'GET', status = 200, headers, body }: SampleOptions,
): Exchange {
  const defaultHeaders = {
    'content-type': mediaType,
    vary: 'Accept',
    'x-content-type-options': 'nosniff',
  }
  const text = body === undefined ? '' : JSON.stringify(body)
  const url = `http://host${path}`
  return { method, url, sent: '', status, headers: { ...defaultHeaders, ...headers }, text }
}

/**
 * Copies an exchange with changes in the response body.
 * @param changes - new values by JSON pointer; `undefined` removes a member, and `-` is the end of a list
 */
export function withChanges(exchange: Exchange, changes: Record<string, unknown>): Exchange {
  let body: unknown = JSON.parse(exchange.text)
  for (const [pointer, value] of Object.entries(changes)) {
    body = put(body, pointer.split('/').slice(1), value)
  }
  return { ...exchange, text: JSON.stringify(body) }
}

function put(value: unknown, [token, ...rest]: readonly string[], leaf: unknown): unknown {
  if (token === undefined) return leaf
  if (Array.isArray(value)) {
    const index = token === '-' ? value.length : Number(token)
    return value.toSpliced(index, 1, put(value[index], rest, leaf))
  }
  const members = isObject(value) ? value : {}
  const { [token]: inner, ...others } = members
  const next = put(inner, rest, leaf)
  return next === undefined ? others : { ...members, [token]: next }
}

const jsonapi = { version: '1.0' }

/** A relationship object, without `data` if it is `undefined`. */
function relationship(self: string, name: string, data?: unknown): object {
  const links = { self: `${self}/relationships/${name}`, related: `${self}/${name}` }
  return { links, ...(data !== undefined && { data }) }
}

/** A person, with linkage to computers if it is given. */
export function person(id: string, computers?: unknown): object {
  return {
    type: 'person',
    id,
    attributes: { name: 'Ada', birth_date: null },
    relationships: { computers: relationship(`/persons/${id}`, 'computers', computers) },
    links: { self: `/persons/${id}` },
  }
}

/** A computer, with linkage to its owner if it is given. */
export function computer(id: string, owner?: unknown): object {
  return {
    type: 'computer',
    id,
    attributes: { serial: 'A-1' },
    relationships: { owner: relationship(`/computers/${id}`, 'owner', owner) },
    links: { self: `/computers/${id}` },
  }
}

const c1 = { type: 'computer', id: '1' }
const p1 = { type: 'person', id: '1' }
const errorObject = (status: string, code: string) => {
  return { status, code, title: `The ${code}`, detail: `The value "x" has a ${code}.` }
}

/** A single resource. */
export const single = sampleExchange('/persons/1', {
  body: { data: person('1'), links: { self: '/persons/1' }, jsonapi },
})

const page = (number: number) => `http://host/persons?page%5Bsize%5D=1&page%5Bnumber%5D=${number}`

/** The second of three pages. */
export const collection = sampleExchange('/persons?page[size]=1&page[number]=2', {
  body: {
    data: [person('2')],
    links: { self: page(2), first: page(1), last: page(3), prev: page(1), next: page(3) },
    meta: { count: 3 },
    jsonapi,
  },
})

/** A resource with an include path of two relationships, the second of which leads back to the resource. */
export const compound = sampleExchange('/persons/1?include=computers.owner', {
  body: {
    data: person('1', [c1]),
    included: [computer('1', p1)],
    links: { self: '/persons/1?include=computers.owner' },
    jsonapi,
  },
})

/** A collection with an included resource that two of its resources link. */
export const shared = sampleExchange('/computers?include=owner', {
  body: {
    data: [computer('1', p1), computer('2', p1), computer('3', null)],
    included: [person('1')],
    links: { self: 'http://host/computers?include=owner' },
    meta: { count: 3 },
    jsonapi,
  },
})

/** The linkage of a to-many relationship. */
export const linkageList = sampleExchange('/persons/1/relationships/computers', {
  body: {
    data: [c1],
    links: { self: '/persons/1/relationships/computers', related: '/persons/1/computers' },
    jsonapi,
  },
})

/** A fieldset that lists one attribute and one relationship. */
export const sparse = sampleExchange('/persons/1?fields[person]=name,computers', {
  body: {
    data: {
      type: 'person',
      id: '1',
      attributes: { name: 'Ada' },
      relationships: { computers: relationship('/persons/1', 'computers', []) },
      links: { self: '/persons/1' },
    },
    links: { self: '/persons/1?fields%5Bperson%5D=name%2Ccomputers' },
    jsonapi,
  },
})

/** A created resource. */
export const created = sampleExchange('/persons', {
  method: 'POST',
  status: 201,
  headers: { location: '/persons/7' },
  body: { data: person('7'), links: { self: '/persons/7' }, jsonapi },
})

/** A successful response with only a message. */
export const deleted = sampleExchange('/persons/1', {
  method: 'DELETE',
  body: { meta: { message: 'Object successfully deleted' }, jsonapi },
})

/** An error document with two errors of the same status. */
export const rejected = sampleExchange('/persons', {
  method: 'POST',
  status: 422,
  body: {
    errors: [
      { ...errorObject('422', 'wrong_kind'), source: { pointer: '/data/attributes/a~1b' } },
      { ...errorObject('422', 'required'), source: { pointer: '/data/attributes' } },
    ],
    jsonapi,
  },
})

/** A response to a method that the path does not support. */
export const unknownMethod = sampleExchange('/persons', {
  method: 'PUT',
  status: 405,
  headers: { allow: 'GET, HEAD, OPTIONS, POST' },
  body: { errors: [errorObject('405', 'method')], jsonapi },
})

/** An internal server error. */
export const internalError = sampleExchange('/persons', {
  status: 500,
  body: { errors: [{ ...errorObject('500', 'internal'), id: 'f3a1' }], jsonapi },
})

/** A response to HEAD. */
export const headOnly = sampleExchange('/persons', { method: 'HEAD' })

/** A response to OPTIONS. */
export const options = sampleExchange('/persons', {
  method: 'OPTIONS',
  status: 204,
  headers: { allow: 'GET' },
})

/** More exchanges without violations. */
export const furtherSamples: Record<string, Exchange> = {
  'an empty collection': withChanges(sampleExchange('/persons', { body: {} }), {
    '/data': [],
    '/links': { self: 'http://host/persons' },
    '/meta': { count: 0 },
    '/jsonapi': jsonapi,
  }),
  'an empty to-one related URL': sampleExchange('/computers/9/owner?include=computers', {
    body: { data: null, links: { self: '/computers/9/owner?include=computers' }, jsonapi },
  }),
  'a relationship document with included resources': sampleExchange(
    '/persons/1/relationships/computers?include=computers',
    {
      body: {
        data: [c1],
        included: [computer('1')],
        links: {
          self: '/persons/1/relationships/computers?include=computers',
          related: '/persons/1/computers',
        },
        jsonapi,
      },
    },
  ),
  'a relationship document whose include is hidden by a fieldset': sampleExchange(
    '/persons/1/relationships/computers?include=computers&fields[person]=name',
    {
      body: {
        data: [c1],
        included: [],
        links: {
          self: '/persons/1/relationships/computers?include=computers&fields%5Bperson%5D=name',
          related: '/persons/1/computers',
        },
        jsonapi,
      },
    },
  ),
  'an error for a path that cannot be decoded': sampleExchange('/persons/%zz', {
    status: 404,
    body: { errors: [errorObject('404', 'not_found')], jsonapi },
  }),
  'an include that is hidden by a fieldset': sampleExchange(
    '/computers?include=owner&fields[computer]=serial',
    {
      body: {
        data: [
          {
            type: 'computer',
            id: '1',
            attributes: { serial: 'A-1' },
            links: { self: '/computers/1' },
          },
        ],
        included: [],
        links: { self: 'http://host/computers?include=owner&fields%5Bcomputer%5D=serial' },
        meta: { count: 1 },
        jsonapi,
      },
    },
  ),
  'errors with different statuses': sampleExchange('/persons', {
    method: 'POST',
    status: 400,
    body: { errors: [errorObject('409', 'conflict'), errorObject('422', 'required')], jsonapi },
  }),
  'links that repeat a filter': sampleExchange(
    '/persons?filter=[{"name":"name","op":"eq","val":"a b"}]',
    {
      body: {
        data: [],
        links: {
          self: 'http://[::1]:3000/persons?filter=%5B%7B%22name%22:%22name%22,%22op%22:%22eq%22,%22val%22:%22a+b%22%7D%5D',
        },
        meta: { count: 0 },
        jsonapi,
      },
    },
  ),
  'a detail that repeats a value of the request': withChanges(
    { ...rejected, sent: '{"data":{"attributes":{"name":"select x"}}}' },
    { '/errors/0/detail': '"select x" is not a date.' },
  ),
}
