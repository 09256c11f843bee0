import type { Exchange } from '../client.ts'
import { mediaType } from '../client.ts'
import { isObject } from './breach.ts'

/** An answer to make up: what was asked, and what came back. */
interface Made {
  readonly method?: string
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

/** Makes up an answer of a service at `http://host`. */
export function made(
  path: string,
  { method = 'GET', status = 200, headers, body }: Made,
): Exchange {
  const usual = {
    'content-type': mediaType,
    vary: 'Accept',
    'x-content-type-options': 'nosniff',
  }
  const text = body === undefined ? '' : JSON.stringify(body)
  const url = `http://host${path}`
  return { method, url, sent: '', status, headers: { ...usual, ...headers }, text }
}

/**
 * The same answer with another body: each value is put at its JSON pointer, `undefined` takes the member away,
 * and `-` stands for the end of a list.
 */
export function changed(exchange: Exchange, changes: Record<string, unknown>): Exchange {
  let body: unknown = JSON.parse(exchange.text)
  for (const [pointer, value] of Object.entries(changes)) {
    body = put(body, pointer.split('/').slice(1), value)
  }
  return { ...exchange, text: JSON.stringify(body) }
}

function put(value: unknown, [step, ...rest]: readonly string[], leaf: unknown): unknown {
  if (step === undefined) return leaf
  if (Array.isArray(value)) {
    const index = step === '-' ? value.length : Number(step)
    return value.toSpliced(index, 1, put(value[index], rest, leaf))
  }
  const members = isObject(value) ? value : {}
  const { [step]: inner, ...others } = members
  const next = put(inner, rest, leaf)
  return next === undefined ? others : { ...members, [step]: next }
}

const jsonapi = { version: '1.0' }

/** Relationship links, with `data` where it is told. */
function relationship(self: string, name: string, data?: unknown): object {
  const links = { self: `${self}/relationships/${name}`, related: `${self}/${name}` }
  return { links, ...(data !== undefined && { data }) }
}

/** Person `id`, with the linkage of her computers where it is told. */
export function person(id: string, computers?: unknown): object {
  return {
    type: 'person',
    id,
    attributes: { name: 'Ada', birth_date: null },
    relationships: { computers: relationship(`/persons/${id}`, 'computers', computers) },
    links: { self: `/persons/${id}` },
  }
}

/** Computer `id`, with the linkage of its owner where it is told. */
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
const fault = (status: string, code: string) => {
  return { status, code, title: `The ${code}`, detail: `The value "x" has a ${code}.` }
}

/** One resource. */
export const single = made('/persons/1', {
  body: { data: person('1'), links: { self: '/persons/1' }, jsonapi },
})

const page = (number: number) => `http://host/persons?page%5Bsize%5D=1&page%5Bnumber%5D=${number}`

/** The second of three pages. */
export const collection = made('/persons?page[size]=1&page[number]=2', {
  body: {
    data: [person('2')],
    links: { self: page(2), first: page(1), last: page(3), prev: page(1), next: page(3) },
    meta: { count: 3 },
    jsonapi,
  },
})

/** A resource with two steps of included ones, the second of which leads back to it. */
export const compound = made('/persons/1?include=computers.owner', {
  body: {
    data: person('1', [c1]),
    included: [computer('1', p1)],
    links: { self: '/persons/1?include=computers.owner' },
    jsonapi,
  },
})

/** A collection that includes what two of its resources share. */
export const shared = made('/computers?include=owner', {
  body: {
    data: [computer('1', p1), computer('2', p1), computer('3', null)],
    included: [person('1')],
    links: { self: 'http://host/computers?include=owner' },
    meta: { count: 3 },
    jsonapi,
  },
})

/** The linkage of a to-many relationship. */
export const linkageList = made('/persons/1/relationships/computers', {
  body: {
    data: [c1],
    links: { self: '/persons/1/relationships/computers', related: '/persons/1/computers' },
    jsonapi,
  },
})

/** A fieldset that lists one attribute and one relationship. */
export const sparse = made('/persons/1?fields[person]=name,computers', {
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
export const created = made('/persons', {
  method: 'POST',
  status: 201,
  headers: { location: '/persons/7' },
  body: { data: person('7'), links: { self: '/persons/7' }, jsonapi },
})

/** A success that has only something to say. */
export const deleted = made('/persons/1', {
  method: 'DELETE',
  body: { meta: { message: 'Object successfully deleted' }, jsonapi },
})

/** A refusal with two errors of one status. */
export const refused = made('/persons', {
  method: 'POST',
  status: 422,
  body: {
    errors: [
      { ...fault('422', 'wrong_kind'), source: { pointer: '/data/attributes/a~1b' } },
      { ...fault('422', 'required'), source: { pointer: '/data/attributes' } },
    ],
    jsonapi,
  },
})

/** A method that a path does not know. */
export const unknownMethod = made('/persons', {
  method: 'PUT',
  status: 405,
  headers: { allow: 'GET, HEAD, OPTIONS, POST' },
  body: { errors: [fault('405', 'method')], jsonapi },
})

/** A fault of our own. */
export const ours = made('/persons', {
  status: 500,
  body: { errors: [{ ...fault('500', 'internal'), id: 'f3a1' }], jsonapi },
})

/** The headers of a GET without its body. */
export const headOnly = made('/persons', { method: 'HEAD' })

/** The methods of a path. */
export const options = made('/persons', {
  method: 'OPTIONS',
  status: 204,
  headers: { allow: 'GET' },
})

/** Answers that keep every rule, beside those above. */
export const alsoGood: Record<string, Exchange> = {
  'an empty collection': changed(made('/persons', { body: {} }), {
    '/data': [],
    '/links': { self: 'http://host/persons' },
    '/meta': { count: 0 },
    '/jsonapi': jsonapi,
  }),
  'an empty to-one related URL': made('/computers/9/owner?include=computers', {
    body: { data: null, links: { self: '/computers/9/owner?include=computers' }, jsonapi },
  }),
  'a relationship document that includes': made(
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
  'a relationship document whose include a fieldset hides': made(
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
  'a refusal of a path that cannot be decoded': made('/persons/%zz', {
    status: 404,
    body: { errors: [fault('404', 'not_found')], jsonapi },
  }),
  'an include that its fieldset hides': made('/computers?include=owner&fields[computer]=serial', {
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
  }),
  'errors of differing statuses': made('/persons', {
    method: 'POST',
    status: 400,
    body: { errors: [fault('409', 'conflict'), fault('422', 'required')], jsonapi },
  }),
  'a filter told back in the links': made(
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
  'a detail that repeats what the client sent': changed(
    { ...refused, sent: '{"data":{"attributes":{"name":"select x"}}}' },
    { '/errors/0/detail': '"select x" is no date.' },
  ),
}
