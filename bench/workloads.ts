import {
  deepPage,
  earlyPage,
  newPerson,
  partOfName,
  someOf,
  someone,
  startOfSerial,
} from './choices.ts'
import { computersOf } from './people.ts'

/** One request of a workload. */
export interface Wish {
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Path and query, encoded. */
  readonly target: string
  readonly body?: string
}

/** Something that clients do all the time. */
export interface Workload {
  readonly name: string
  /** What is asked for. */
  readonly says: string
  /** Whether the data changes; then everybody needs data of their own. */
  readonly writes?: true
  /** Whether each request makes the database visit every row, so that few of them are many. */
  readonly scans?: true
  /** The wish with a number, in a database of so many persons; the same every time. */
  readonly wish: (number: number, persons: number) => Wish
}

const get = (target: string): Wish => ({ method: 'GET', target })
const query = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
const filtered = (clause: unknown, more = {}): Wish =>
  get(`/persons?${query({ filter: JSON.stringify([clause]), ...more })}`)

/** Every workload, by name; each is measured against the floor. */
export const workloads: readonly Workload[] = [
  {
    name: 'one',
    says: 'one resource',
    wish: (number, persons) => get(`/persons/${someone(number, persons)}`),
  },
  { name: 'list', says: 'list of 30', wish: () => get('/persons') },
  {
    name: 'included',
    says: 'list of 30 with 150 included',
    wish: () => get('/persons?include=computers'),
  },
  {
    name: 'one-included',
    says: 'one resource with 5 included',
    wish: (number, persons) => get(`/persons/${someone(number, persons)}?include=computers`),
  },
  {
    name: 'deep',
    says: 'list of 30, a page near the end',
    wish: (number, persons) => get(`/persons?page[number]=${deepPage(number, persons)}`),
  },
  {
    name: 'owner',
    says: 'filter by an indexed column',
    wish: (number, persons) => get(`/computers?filter[owner__id]=${someone(number, persons)}`),
  },
  {
    name: 'text',
    says: 'filter by a part of a text',
    scans: true,
    wish: (number) => filtered({ name: 'name', op: 'like', val: partOfName(number) }),
  },
  {
    name: 'any-case',
    says: 'the same in any case',
    scans: true,
    wish: (number) => filtered({ name: 'name', op: 'ilike', val: partOfName(number) }),
  },
  {
    name: 'owning',
    says: 'filter through a relationship',
    scans: true,
    wish: (number) => {
      const val = { name: 'serial', op: 'startswith', val: startOfSerial(number) }
      return filtered({ name: 'computers', op: 'any', val })
    },
  },
  {
    name: 'sort',
    says: 'sort by two attributes',
    scans: true,
    wish: (number) =>
      get(
        `/persons?${query({ sort: '-birth_date,name', 'page[number]': String(earlyPage(number)) })}`,
      ),
  },
  {
    name: 'sparse',
    says: 'list of 30, two fields each',
    wish: () => get(`/persons?${query({ 'fields[person]': 'name,birth_date' })}`),
  },
  {
    name: 'create',
    says: 'create a person',
    writes: true,
    wish: (number) => send('POST', '/persons', { type: 'person', attributes: newPerson(number) }),
  },
  {
    name: 'update',
    says: 'update a person',
    writes: true,
    wish: (number, persons) => {
      // Again and again by another name: SQLite writes nothing where a row is what it was.
      const id = String(someone(number % 1000, persons))
      const { name } = newPerson(number)
      return send('PATCH', `/persons/${id}`, { type: 'person', id, attributes: { name } })
    },
  },
  {
    name: 'replace',
    says: 'replace a to-many',
    writes: true,
    wish: (number, persons) => {
      const person = someone(number, persons)
      const kept = someOf(computersOf(person, persons), number)
      return send(
        'PATCH',
        `/persons/${person}/relationships/computers`,
        kept.map((id) => ({ type: 'computer', id: String(id) })),
      )
    },
  },
]

/** Requests whose shape is one, or one of a thousand; their values differ each time. */
export const shapeWorkloads: readonly Workload[] = [
  {
    name: 'one-shape',
    says: '30 by id, one shape',
    wish: (number, persons) => shaped(number, 0, persons),
  },
  {
    name: 'thousand-shapes',
    says: '30 by id, a thousand shapes',
    wish: (number, persons) => shaped(number, number % 1000, persons),
  },
]

/** A request of the shape with a number below 1024: ten digits of two, each the one or the other of two operators. */
function shaped(number: number, shape: number, persons: number): Wish {
  const low = someone(number, persons - 30)
  const more = Array.from({ length: 10 }, (_, digit) => ({
    name: digit % 2 === 0 ? 'name' : 'id',
    op: (shape >> digit) % 2 === 0 ? 'gt' : 'ge',
    val: digit % 2 === 0 ? ` ${number % 977}` : -(number % 977),
  }))
  return filtered({ and: [{ name: 'id', op: 'between', val: [low, low + 29] }, ...more] })
}

function send(method: 'POST' | 'PATCH', target: string, data: unknown): Wish {
  return { method, target, body: JSON.stringify({ data }) }
}
