import { computersOf, mixed, personRow, picked } from './people.ts'

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
const someone = (number: number, persons: number) => 1 + (mixed(number, 11) % persons)
const query = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
const filtered = (clause: unknown, more = {}): Wish =>
  get(`/persons?${query({ filter: JSON.stringify([clause]), ...more })}`)

const words = [
  'Hartm',
  'sther',
  'Allen 1',
  'iklau',
  'Cerf 77',
  'Knuth 5',
  'da All',
  'Floyd 40',
] as const

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
    wish: (number, persons) => {
      const last = Math.ceil(persons / 30)
      return get(`/persons?page[number]=${last - (number % Math.min(last, 100))}`)
    },
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
    wish: (number) =>
      filtered({ name: 'name', op: 'like', val: `${picked(words, number)}${number % 10}` }),
  },
  {
    name: 'any-case',
    says: 'the same in any case',
    scans: true,
    wish: (number) =>
      filtered({ name: 'name', op: 'ilike', val: `${picked(words, number)}${number % 10}` }),
  },
  {
    name: 'owning',
    says: 'filter through a relationship',
    scans: true,
    wish: (number) => {
      const val = { name: 'serial', op: 'startswith', val: `VAX-${10 + (number % 90)}` }
      return filtered({ name: 'computers', op: 'any', val })
    },
  },
  {
    name: 'sort',
    says: 'sort by two attributes',
    scans: true,
    wish: (number) =>
      get(
        `/persons?${query({ sort: '-birth_date,name', 'page[number]': String(1 + (number % 20)) })}`,
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
    wish: (number) => {
      const [, name, email, birth_date, gender] = personRow(number + 1)
      return send('POST', '/persons', {
        type: 'person',
        attributes: { name, email, birth_date, gender },
      })
    },
  },
  {
    name: 'update',
    says: 'update a person',
    writes: true,
    wish: (number, persons) => {
      const id = String(someone(number, persons))
      const [, name] = personRow(number + 1)
      return send('PATCH', `/persons/${id}`, { type: 'person', id, attributes: { name } })
    },
  },
  {
    name: 'replace',
    says: 'replace a to-many',
    writes: true,
    wish: (number, persons) => {
      const person = someone(number, persons)
      const computers = computersOf(person, persons)
      const kept = mixed(number, 12) % 2 === 0 ? computers.slice(0, 3) : computers.slice(2)
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

/** The workload with a name. */
export function workloadNamed(name: string): Workload {
  for (const each of [...workloads, ...shapeWorkloads]) if (each.name === name) return each
  throw new Error(`There is no workload "${name}".`)
}
