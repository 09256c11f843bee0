import {
  attribute,
  auth,
  date,
  defineModel,
  type LinkAccess,
  type Model,
  type ResourceAccess,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { openPostgres } from 'lapidary/postgres'
import { openSqlite } from 'lapidary/sqlite'

/** A user sees the persons of one group. The column `gender` of the benchmark's persons stands for it: two in five are `female`. */
interface User {
  readonly group: string
}

/** The group of every user in the benchmark. */
export const userGroup = 'female'

const groupOf = auth((user: User) => user.group)
const ofGroup = { filter: [{ name: 'gender', op: 'eq', val: groupOf }] }
const ofOwnersGroup = { filter: [{ name: 'owner__gender', op: 'eq', val: groupOf }] }

/**
 * The servers, which differ in how persons are restricted to the group of the user:
 *
 * - `access-rules`: by an access rule
 * - `access-filters`: not at all; clients send the rule as a filter
 * - `access-scopes`: by a scope with the constant `female`, so that there would be a model, a store and a server for each group
 * - `access-probes`: by access rules for every operation, and computers by the group of their owner
 * - `access-probes-at-once`: the same, whose responses without the resource are not delayed
 */
export const accessServers = [
  'access-rules',
  'access-filters',
  'access-scopes',
  'access-probes',
  'access-probes-at-once',
] as const

const models: Readonly<Record<string, () => Model>> = {
  'access-rules': () => createModel({ person: { read: ofGroup } }),
  'access-filters': () => createModel({}),
  'access-scopes': () => createModel({ isScoped: true }),
  'access-probes': createProbedModel,
  'access-probes-at-once': createProbedModel,
}

function createProbedModel(): Model {
  return createModel({
    person: { read: ofGroup, update: ofGroup, delete: ofGroup },
    computer: { read: ofOwnersGroup, update: ofOwnersGroup, delete: ofOwnersGroup },
    computers: { link: ofGroup, unlink: ofGroup },
    owner: { link: ofOwnersGroup, unlink: ofOwnersGroup },
  })
}

/** The restriction of the rows of a model. */
interface Restriction {
  readonly person?: ResourceAccess
  readonly computer?: ResourceAccess
  readonly computers?: LinkAccess
  readonly owner?: LinkAccess
  readonly isScoped?: boolean
}

function createModel({
  person,
  computer,
  computers: members,
  owner,
  isScoped,
}: Restriction): Model {
  const persons = resource('person', {
    ...{ path: '/persons', table: 'person' },
    ...(person && { access: person }),
    ...(isScoped && { scope: (column) => sql`${column('gender')} = 'female'` }),
    fields: {
      name: attribute(text, { required: true }),
      birth_date: attribute(date),
      gender: attribute(text),
      computers: toMany('computer', { column: 'person_id', ...members }),
    },
  })
  const computers = resource('computer', {
    ...{ path: '/computers', table: 'computer' },
    ...(computer && { access: computer }),
    fields: {
      serial: attribute(text, { required: true }),
      owner: toOne('person', { column: 'person_id', ...owner }),
    },
  })
  return defineModel([persons, computers])
}

/**
 * Starts one of the servers in this process. All authenticate alike.
 * @param database - `sqlite:<path>` or `postgres://…`
 */
export async function startAccessServer(
  name: string,
  database: string,
): Promise<Readonly<{ port: number; close: () => Promise<void> }>> {
  const model = models[name]?.()
  if (model === undefined) throw new Error(`There is no server "${name}".`)
  const path = /^sqlite:(.*)$/s.exec(database)?.[1]
  const store = path === undefined ? await openPostgres(model, database) : openSqlite(model, path)
  const user: User = { group: userGroup }
  const app = createServer({
    ...{ model, store, authenticate: () => user, logLevel: 'error' },
    notFoundInterval: name.endsWith('-at-once') ? 0 : 10,
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    port: Number(new URL(url).port),
    close: async () => {
      app.server.closeAllConnections()
      await app.close()
      await store.close()
    },
  }
}
