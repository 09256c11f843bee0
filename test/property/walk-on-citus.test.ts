import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startService } from '../../service/start-service.ts'
import { connect } from '../client.ts'
import { everyDatabase } from '../databases.ts'
import type { OpenDatabase } from '../open-database.ts'
import { createDatabaseOn } from '../postgres.ts'
import { seed } from './seed.ts'

// A walk of random requests on PostgreSQL and on Citus: each response has the same bytes. The walk deletes no person with computers: without a
// foreign key between distributed tables such a person can be deleted.

/** A request of the walk. */
interface Step {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

/** Random choices that depend on a seed only. */
function choices(start: number) {
  let state = start >>> 0
  const below = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const one = <Value>(values: readonly [Value, ...Value[]]): Value =>
    values[below(values.length)] ?? values[0]
  return { below, one }
}

const queries = [
  ...[
    '',
    'include=computers',
    'sort=-name',
    'sort=computers.count,name',
    'page[size]=2&page[number]=2',
  ],
  ...[
    'filter[computers__serial]=s1',
    'filter=[{"name":"computers","op":"count_ge","val":1}]&sort=-id',
  ],
  'filter=[{"not":{"name":"computers","op":"any","val":{"name":"serial","op":"startswith","val":"s"}}}]',
  ...['page[size]=2&include=computers.owner', 'fields[person]=name,computers&sort=birth_date'],
] as const
const computerQueries = [
  ...[
    '',
    'include=owner',
    'sort=owner.name,-serial',
    'filter[owner__name]=Ada',
    'page[size]=3&sort=-owner.id',
  ],
  ...['filter=[{"name":"owner","op":"has"}]&include=owner.computers', 'fields[computer]=owner'],
] as const

/** Chooses the next request. */
function choose({ below, one }: ReturnType<typeof choices>): Step {
  const id = 1 + below(9)
  const other = 1 + below(9)
  const person = { type: 'person', id: String(id) }
  const computer = { type: 'computer', id: String(other) }
  const name = one(['Ada', 'Alan', 'Grace', 'Ärla'])
  const owner = one([{ data: null }, { data: person }])
  const attributes = { name, birth_date: one([null, '1815-12-10', '1912-06-23']) }
  const get = (path: string): Step => ({ method: 'GET', path })
  const reads = [
    () => get(`/persons?${one([...queries])}`),
    () => get(`/persons/${id}?${one(['', 'include=computers'])}`),
    () => get(`/persons/${id}/computers?${one(['', 'sort=-serial', 'include=owner'])}`),
    () => get(`/persons/${id}/relationships/computers`),
    () => get(`/computers?${one([...computerQueries])}`),
    () => get(`/computers/${other}?${one(['', 'include=owner.computers'])}`),
    () => get(`/computers/${other}/owner?${one(['', 'include=computers'])}`),
    () => get(`/computers/${other}/relationships/owner`),
  ] as const
  const write = (method: string, path: string, data?: unknown): Step => ({
    ...{ method, path },
    ...(data !== undefined && { body: { data } }),
  })
  const serial = `s${below(5)}`
  const writes = [
    () => write('POST', '/persons', { type: 'person', attributes }),
    () =>
      write('POST', '/computers?include=owner', {
        ...{ type: 'computer', attributes: { serial } },
        relationships: { owner },
      }),
    () => write('PATCH', `/persons/${id}?include=computers`, { ...person, attributes }),
    () => write('PATCH', `/computers/${other}`, { ...computer, relationships: { owner } }),
    () => write('PATCH', `/persons/${id}/relationships/computers`, [computer]),
    () => write('POST', `/persons/${id}/relationships/computers`, [computer]),
    () => write('DELETE', `/persons/${id}/relationships/computers`, [computer]),
    () => write('PATCH', `/computers/${other}/relationships/owner`, owner.data),
    () => write('DELETE', `/computers/${other}`),
    () => write('DELETE', `/persons/${id}`),
  ] as const
  return one([one(reads), one(reads), one(writes)])()
}

/** Starts a service, and returns the function that sends a request and returns what has to be equal. */
async function serve({ url: databaseUrl }: OpenDatabase) {
  const service = await startService({ port: 0, databaseUrl, logLevel: 'silent' })
  const client = connect(new URL(service.url).origin)
  return {
    close: async () => {
      client.close()
      await service.close()
    },
    send: async ({ method, path, body }: Step): Promise<string> => {
      const { status, text } = await client.send(method, encodeURI(path), { body })
      return `${status} ${text.replaceAll(/127\.0\.0\.1:\d+/g, 'host')}`
    },
  }
}

const citus = process.env.LAPIDARY_TEST_CITUS
const steps = Number(process.env.LAPIDARY_WALK ?? 300)

for (const database of everyDatabase.filter(({ name }) => name.startsWith('Citus')))
  describe(`A walk of random requests · ${database.name}`, () => {
    it('given the same requests, then the responses equal those of PostgreSQL byte for byte', async (test) => {
      assert.ok(citus)
      const plain = await createDatabaseOn(citus, `walk_${process.pid}`)
      const distributed = await database.create()
      const services = [await serve(plain), await serve(distributed)] as const
      test.after(async () => {
        for (const service of services) await service.close()
        await plain.remove()
        await distributed.remove()
      })
      const random = choices(seed)
      for (let step = 0; step < steps; step += 1) {
        const next = choose(random)
        const owned = /^\/persons\/\d+$/.test(next.path) && next.method === 'DELETE'
        const [before] = owned
          ? [
              await services[0].send({
                method: 'GET',
                path: `${next.path}/relationships/computers`,
              }),
            ]
          : []
        if (before?.includes('"computer"')) continue
        const [expected, found] = [await services[0].send(next), await services[1].send(next)]
        assert.equal(found, expected, `step ${step} of seed ${seed}: ${JSON.stringify(next)}`)
      }
    })
  })
