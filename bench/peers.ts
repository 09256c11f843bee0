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
import type { Wish, Workload } from './workloads.ts'

/** Another server that speaks JSON:API, and how it is asked for what the workloads ask for. */
export interface Peer {
  /** Its file in `bench/peers/`. */
  readonly name: string
  /** The database whose data it serves. */
  readonly database: string
  /** The most persons that it is measured with. */
  readonly most: number
  /** By the name of a workload; one that is missing it cannot do. */
  readonly wishes: Readonly<Record<string, Workload['wish']>>
}

const get =
  (target: (number: number, persons: number) => string): Workload['wish'] =>
  (number, persons) => ({ method: 'GET', target: target(number, persons) })
const encoded = encodeURIComponent

/** How writes are sent: the path of persons, and the types of both resources. */
function writes(path: string, person: string, computer: string): Peer['wishes'] {
  const send = (method: 'POST' | 'PATCH', target: string, data: unknown): Wish => {
    return { method, target, body: JSON.stringify({ data }) }
  }
  return {
    create: (number) => {
      // Not every peer takes null for what is not there.
      const told = Object.entries(newPerson(number)).filter(([, value]) => value !== null)
      return send('POST', path, { type: person, attributes: Object.fromEntries(told) })
    },
    update: (number, persons) => {
      const id = String(someone(number, persons))
      const { name } = newPerson(number)
      return send('PATCH', `${path}/${id}`, { type: person, id, attributes: { name } })
    },
    replace: (number, persons) => {
      const id = someone(number, persons)
      const data = someOf(computersOf(id, persons), number).map((each) => {
        return { type: computer, id: String(each) }
      })
      return send('PATCH', `${path}/${id}/relationships/computers`, data)
    },
  }
}

const offset = (page: number) => (page - 1) * 30

/** Every peer. */
export const peers: readonly Peer[] = [
  {
    name: 'zenstack',
    database: 'sqlite',
    most: 1_000_000,
    wishes: {
      ...writes('/person', 'person', 'computer'),
      one: get((number, persons) => `/person/${someone(number, persons)}`),
      list: get(() => '/person'),
      included: get(() => '/person?include=computers'),
      'one-included': get((number, size) => `/person/${someone(number, size)}?include=computers`),
      deep: get((number, size) => `/person?page[offset]=${offset(deepPage(number, size))}`),
      owner: get((number, size) => `/computer?filter[person_id]=${someone(number, size)}`),
      text: get((number) => `/person?filter[name$contains]=${encoded(partOfName(number))}`),
      owning: get(
        (number) => `/person?filter[computers][serial$startsWith]=${startOfSerial(number)}`,
      ),
      sort: get(
        (number) => `/person?sort=-birth_date,name&page[offset]=${offset(earlyPage(number))}`,
      ),
      sparse: get(() => '/person?fields[person]=name,birth_date'),
    },
  },
  {
    name: 'json-api-nestjs',
    database: 'sqlite',
    most: 1_000_000,
    wishes: {
      ...writes('/person', 'person', 'computer'),
      one: get((number, size) => `/person/${someone(number, size)}`),
      list: get(() => '/person?page[size]=30&page[number]=1'),
      included: get(() => '/person?page[size]=30&page[number]=1&include=computers'),
      'one-included': get((number, size) => `/person/${someone(number, size)}?include=computers`),
      deep: get((number, size) => `/person?page[size]=30&page[number]=${deepPage(number, size)}`),
      owner: get(
        (number, size) => `/computer?include=owner&filter[owner.id][eq]=${someone(number, size)}`,
      ),
      sparse: get(() => '/person?page[size]=30&page[number]=1&fields[target]=id,name,birth_date'),
    },
  },
  {
    name: 'hatchify',
    database: 'postgres',
    most: 1_000_000,
    wishes: {
      one: get((number, size) => `/persons/${someone(number, size)}`),
      list: get(() => '/persons?page[size]=30&page[number]=1&sort=id'),
      'one-included': get((number, size) => `/persons/${someone(number, size)}?include=computers`),
      deep: get(
        (number, size) => `/persons?page[size]=30&page[number]=${deepPage(number, size)}&sort=id`,
      ),
      owner: get((number, size) => `/computers?filter[personId]=${someone(number, size)}&sort=id`),
      text: get((number) => {
        return `/persons?page[size]=30&page[number]=1&filter[name][$like]=${encoded(`%${partOfName(number)}%`)}&sort=id`
      }),
      'any-case': get((number) => {
        return `/persons?page[size]=30&page[number]=1&filter[name][$ilike]=${encoded(`%${partOfName(number)}%`)}&sort=id`
      }),
      sort: get((number) => {
        return `/persons?page[size]=30&page[number]=${earlyPage(number)}&sort=-birthDate,name`
      }),
      sparse: get(
        () => '/persons?page[size]=30&page[number]=1&fields[Person]=name,birthDate&sort=id',
      ),
      create: (number) => {
        const { birth_date: birthDate, ...rest } = newPerson(number)
        const data = { type: 'Person', attributes: { ...rest, birthDate } }
        return { method: 'POST', target: '/persons', body: JSON.stringify({ data }) }
      },
    },
  },
  {
    name: 'fortune',
    database: 'sqlite',
    most: 1000,
    wishes: {
      one: get((number, size) => `/person/${someone(number, size)}`),
      list: get(() => '/person?page[limit]=30'),
      included: get(() => '/person?page[limit]=30&include=computers'),
      'one-included': get((number, size) => `/person/${someone(number, size)}?include=computers`),
      deep: get((number, size) => {
        return `/person?page[limit]=30&page[offset]=${offset(deepPage(number, size))}`
      }),
      owner: get((number, size) => `/computer?filter[owner]=${someone(number, size)}`),
      sparse: get(() => '/person?page[limit]=30&fields[person]=name,birth_date'),
    },
  },
  {
    name: 'jsonapi-server',
    database: 'sqlite',
    most: 1000,
    wishes: {
      one: get((number, size) => `/persons/${someone(number, size)}`),
      list: get(() => '/persons?page[limit]=30'),
      included: get(() => '/persons?page[limit]=30&include=computers'),
      'one-included': get((number, size) => `/persons/${someone(number, size)}?include=computers`),
      deep: get((number, size) => {
        return `/persons?page[limit]=30&page[offset]=${offset(deepPage(number, size))}`
      }),
      sparse: get(() => '/persons?page[limit]=30&fields[persons]=name,birth_date'),
    },
  },
]

/** A workload as a peer is asked for it; `undefined` when the peer cannot do it. */
export function workloadOf({ name, wishes }: Peer, workload: Workload): Workload | undefined {
  const wish = wishes[workload.name]
  return wish && { ...workload, name: `${name}:${workload.name}`, wish }
}
