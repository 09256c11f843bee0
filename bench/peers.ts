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
import type { Workload, WorkloadRequest } from './workloads.ts'

/** Another JSON:API server, and its requests for the workloads. */
export interface Peer {
  /** The name of its file in `bench/peers/`. */
  readonly name: string
  /** The database whose data it serves. */
  readonly database: string
  /** The largest database that it is measured with. */
  readonly maxPersons: number
  /** By the name of the workload. Workloads that the peer cannot serve are absent. */
  readonly requests: Readonly<Record<string, Workload['request']>>
}

const get =
  (target: (number: number, persons: number) => string): Workload['request'] =>
  (number, persons) => ({ method: 'GET', target: target(number, persons) })
const encode = encodeURIComponent

/** Makes the requests that write. @param path - of the collection of persons; `person` and `computer` are the types */
function makeWriteRequests(path: string, person: string, computer: string): Peer['requests'] {
  const send = (method: 'POST' | 'PATCH', target: string, data: unknown): WorkloadRequest => {
    return { method, target, body: JSON.stringify({ data }) }
  }
  return {
    create: (number) => {
      // Some peers reject null for an absent value.
      const attributes = Object.entries(makePersonAttributes(number)).filter(
        ([, value]) => value !== null,
      )
      return send('POST', path, { type: person, attributes: Object.fromEntries(attributes) })
    },
    update: (number, persons) => {
      const id = String(pickPersonId(number, persons))
      const { name } = makePersonAttributes(number)
      return send('PATCH', `${path}/${id}`, { type: person, id, attributes: { name } })
    },
    replace: (number, persons) => {
      const id = pickPersonId(number, persons)
      const data = pickComputers(listComputerIds(id, persons), number).map((each) => {
        return { type: computer, id: String(each) }
      })
      return send('PATCH', `${path}/${id}/relationships/computers`, data)
    },
  }
}

const offset = (page: number) => (page - 1) * 30

/** All peers. */
export const peers: readonly Peer[] = [
  {
    name: 'zenstack',
    database: 'sqlite',
    maxPersons: 1_000_000,
    requests: {
      ...makeWriteRequests('/person', 'person', 'computer'),
      one: get((number, persons) => `/person/${pickPersonId(number, persons)}`),
      list: get(() => '/person'),
      included: get(() => '/person?include=computers'),
      'one-included': get(
        (number, persons) => `/person/${pickPersonId(number, persons)}?include=computers`,
      ),
      deep: get(
        (number, persons) => `/person?page[offset]=${offset(pickDeepPage(number, persons))}`,
      ),
      owner: get(
        (number, persons) => `/computer?filter[person_id]=${pickPersonId(number, persons)}`,
      ),
      text: get((number) => `/person?filter[name$contains]=${encode(pickNamePart(number))}`),
      owning: get(
        (number) => `/person?filter[computers][serial$startsWith]=${pickSerialPrefix(number)}`,
      ),
      sort: get(
        (number) => `/person?sort=-birth_date,name&page[offset]=${offset(pickEarlyPage(number))}`,
      ),
      sparse: get(() => '/person?fields[person]=name,birth_date'),
    },
  },
  {
    name: 'json-api-nestjs',
    database: 'sqlite',
    maxPersons: 1_000_000,
    requests: {
      ...makeWriteRequests('/person', 'person', 'computer'),
      one: get((number, persons) => `/person/${pickPersonId(number, persons)}`),
      list: get(() => '/person?page[size]=30&page[number]=1'),
      included: get(() => '/person?page[size]=30&page[number]=1&include=computers'),
      'one-included': get(
        (number, persons) => `/person/${pickPersonId(number, persons)}?include=computers`,
      ),
      deep: get(
        (number, persons) => `/person?page[size]=30&page[number]=${pickDeepPage(number, persons)}`,
      ),
      owner: get(
        (number, persons) =>
          `/computer?include=owner&filter[owner.id][eq]=${pickPersonId(number, persons)}`,
      ),
      sparse: get(() => '/person?page[size]=30&page[number]=1&fields[target]=id,name,birth_date'),
    },
  },
  {
    name: 'hatchify',
    database: 'postgres',
    maxPersons: 1_000_000,
    requests: {
      one: get((number, persons) => `/persons/${pickPersonId(number, persons)}`),
      list: get(() => '/persons?page[size]=30&page[number]=1&sort=id'),
      'one-included': get(
        (number, persons) => `/persons/${pickPersonId(number, persons)}?include=computers`,
      ),
      deep: get(
        (number, persons) =>
          `/persons?page[size]=30&page[number]=${pickDeepPage(number, persons)}&sort=id`,
      ),
      owner: get(
        (number, persons) => `/computers?filter[personId]=${pickPersonId(number, persons)}&sort=id`,
      ),
      text: get((number) => {
        return `/persons?page[size]=30&page[number]=1&filter[name][$like]=${encode(`%${pickNamePart(number)}%`)}&sort=id`
      }),
      'any-case': get((number) => {
        return `/persons?page[size]=30&page[number]=1&filter[name][$ilike]=${encode(`%${pickNamePart(number)}%`)}&sort=id`
      }),
      sort: get((number) => {
        return `/persons?page[size]=30&page[number]=${pickEarlyPage(number)}&sort=-birthDate,name`
      }),
      sparse: get(
        () => '/persons?page[size]=30&page[number]=1&fields[Person]=name,birthDate&sort=id',
      ),
      create: (number) => {
        const { birth_date: birthDate, ...rest } = makePersonAttributes(number)
        const data = { type: 'Person', attributes: { ...rest, birthDate } }
        return { method: 'POST', target: '/persons', body: JSON.stringify({ data }) }
      },
    },
  },
  {
    name: 'fortune',
    database: 'sqlite',
    maxPersons: 1000,
    requests: {
      one: get((number, persons) => `/person/${pickPersonId(number, persons)}`),
      list: get(() => '/person?page[limit]=30'),
      included: get(() => '/person?page[limit]=30&include=computers'),
      'one-included': get(
        (number, persons) => `/person/${pickPersonId(number, persons)}?include=computers`,
      ),
      deep: get((number, persons) => {
        return `/person?page[limit]=30&page[offset]=${offset(pickDeepPage(number, persons))}`
      }),
      owner: get((number, persons) => `/computer?filter[owner]=${pickPersonId(number, persons)}`),
      sparse: get(() => '/person?page[limit]=30&fields[person]=name,birth_date'),
    },
  },
  {
    name: 'jsonapi-server',
    database: 'sqlite',
    maxPersons: 1000,
    requests: {
      one: get((number, persons) => `/persons/${pickPersonId(number, persons)}`),
      list: get(() => '/persons?page[limit]=30'),
      included: get(() => '/persons?page[limit]=30&include=computers'),
      'one-included': get(
        (number, persons) => `/persons/${pickPersonId(number, persons)}?include=computers`,
      ),
      deep: get((number, persons) => {
        return `/persons?page[limit]=30&page[offset]=${offset(pickDeepPage(number, persons))}`
      }),
      sparse: get(() => '/persons?page[limit]=30&fields[persons]=name,birth_date'),
    },
  },
]

/** Adapts a workload to the requests of a peer. @returns `undefined` if the peer cannot serve it */
export function adaptWorkload({ name, requests }: Peer, workload: Workload): Workload | undefined {
  const request = requests[workload.name]
  return request && { ...workload, name: `${name}:${workload.name}`, request }
}
