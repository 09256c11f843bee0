import { pickPersonId } from '../request-values.ts'
import { makePersonRow } from '../seed-data.ts'
import type { Workload } from '../workloads.ts'
import { userGroup } from './access-server.ts'

/** A workload of a server with an access rule, and the same query for a server without one. */
interface AccessWorkload {
  readonly ruled: Workload
  /** Absent: a filter cannot restrict this query. */
  readonly filtered?: Workload
}

const filter = `filter=${encodeURIComponent(JSON.stringify([{ name: 'gender', op: 'eq', val: userGroup }]))}`

/** The queries that are compared. */
const queries: readonly (readonly [
  name: string,
  description: string,
  path: (number: number, persons: number) => string,
  isList: boolean,
])[] = [
  ['list', 'list of 30', () => '/persons', true],
  ['included', 'list of 30 with 150 included', () => '/persons?include=computers', true],
  [
    'one',
    'one resource',
    (number, persons) => `/persons/${pickReadableId(number, persons)}`,
    false,
  ],
  [
    'one-included',
    'one resource with 5 included',
    (number, persons) => `/persons/${pickReadableId(number, persons)}?include=computers`,
    false,
  ],
  [
    'owners',
    'list of 30 with restricted included resources',
    () => '/computers?include=owner',
    false,
  ],
]

/** The workloads that compare access rules with conditions that are written by hand. */
export const accessWorkloads: readonly AccessWorkload[] = queries.map(
  ([name, description, path, isList]) => {
    const create = (kind: string, suffix: (target: string) => string): Workload => ({
      name: `${kind}-${name}`,
      description,
      request: (number, persons) => ({ method: 'GET', target: suffix(path(number, persons)) }),
    })
    const ruled = create('ruled', (target) => target)
    if (!isList) return { ruled }
    const filtered = create(
      'filtered',
      (target) => `${target}${target.includes('?') ? '&' : '?'}${filter}`,
    )
    return { ruled, filtered }
  },
)

/** Picks the id of a person of the user's group. */
function pickReadableId(number: number, persons: number): number {
  let id = pickPersonId(number, persons)
  while (makePersonRow(id)[4] !== userGroup) id = (id % persons) + 1
  return id
}
