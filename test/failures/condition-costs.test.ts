import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  attribute,
  createHandler,
  defineModel,
  idempotencyTable,
  resource,
  type Store,
  text,
} from 'lapidary'
import { openPostgres } from 'lapidary/postgres'
import pg from 'pg'
import type { OpenDatabase } from '../open-database.ts'
import { freshPostgres } from '../postgres.ts'
import { statementsOf } from '../service/statements.ts'
import { type CountingProxy, proxyTo } from './proxy.ts'

const sources = { content: 'content', column: 'row_version', xmin: 'xmin' } as const
const types = Object.entries(sources).map(([name, version]) =>
  resource(name, {
    ...{ path: `/${name}`, table: `by_${name}`, version },
    fields: { note: attribute(text) },
  }),
)
const model = defineModel(types, { principal: () => 'everybody' })

describe('What conditions and keys cost on PostgreSQL', () => {
  let database: OpenDatabase
  let proxy: CountingProxy
  let store: Store
  let send: (
    method: string,
    path: string,
    headers?: Readonly<Record<string, string>>,
    body?: unknown,
  ) => Promise<Response>

  before(async () => {
    database = await freshPostgres()
    proxy = await proxyTo(database.url)
    store = await openPostgres(model, proxy.url)
    const tables = Object.keys(sources).map(
      (name) => `create table by_${name} (id bigint generated always as identity primary key,
          note text, row_version integer not null default 1);
        insert into by_${name} (note) select 'a' from generate_series(1, 9);`,
    )
    await store.migrate([{ version: 1, sql: tables.join('') + idempotencyTable }])
    const handle = createHandler({ model, store })
    send = (method, path, headers = {}, body = undefined) =>
      handle(
        new Request(`http://localhost${path}`, {
          method,
          headers: { 'content-type': 'application/vnd.api+json', ...headers },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      )
  })
  after(async () => {
    await store.close()
    await proxy.close()
    await database.remove()
  })

  /** Sends a write. @returns its round trips and its statements */
  const measure = async (...request: Parameters<typeof send>) => {
    proxy.roundTrips()
    const statements = await statementsOf(async () => {
      const response = await send(...request)
      assert.ok(response.status < 300, await response.text())
    })
    return { trips: proxy.roundTrips(), statements: statements.length }
  }
  const update = (type: string) => ({ data: { type, id: '1', attributes: { note: 'b' } } })
  const tagOf = async (path: string) => (await send('GET', path)).headers.get('etag') ?? ''

  before(async () => {
    // The first write with a key looks whether there is a table for keys, and deletes expired ones.
    for (const name of Object.keys(sources)) {
      await send('PATCH', `/${name}/1`, { 'idempotency-key': `first-${name}` }, update(name))
      await measure('PATCH', `/${name}/1`, {}, update(name))
    }
  })

  for (const name of Object.keys(sources)) {
    const path = `/${name}/1`

    const isContent = name === 'content'
    const cost = isContent ? 'one round trip more, for the lock of the row,' : 'no round trip more'
    it(`a condition takes ${cost} with versions by ${name}`, async () => {
      const plain = await measure('PATCH', path, {}, update(name))
      assert.deepEqual(plain, { trips: 1, statements: 1 })
      const ifMatch = { 'if-match': await tagOf(path) }
      const conditional = await measure('PATCH', path, ifMatch, update(name))
      assert.deepEqual(conditional, isContent ? { trips: 2, statements: 3 } : plain)
      assert.deepEqual(await measure('DELETE', `/${name}/2`), { trips: 1, statements: 1 })
      const deleted = { 'if-match': await tagOf(`/${name}/3`) }
      const removal = await measure('DELETE', `/${name}/3`, deleted)
      assert.deepEqual(removal, { trips: isContent ? 2 : 1, statements: isContent ? 3 : 1 })
    })

    it(`any of several tags may match, and none of them conflicts, with versions by ${name}`, async () => {
      const tags = await Promise.all([4, 5, 6].map((id) => tagOf(`/${name}/${id}`)))
      const change = (id: string) => ({ data: { type: name, id, attributes: { note: 'c' } } })
      const several = { 'if-match': `"unknown", W/"weak", ${tags.join(', ')}` }
      assert.equal((await send('PATCH', `/${name}/5`, several, change('5'))).status, 200)
      const stale = await send('PATCH', `/${name}/5`, { 'if-match': tags[1] ?? '' }, change('5'))
      assert.equal(stale.status, 412)
      const { errors } = (await stale.json()) as { errors: { meta: { version: string } }[] }
      const [present = ''] = (await tagOf(`/${name}/5`)).slice(1).split('.', 1)
      assert.equal(errors[0]?.meta.version, present)
      const bare = { 'if-match': `"${present}"` }
      assert.equal((await send('DELETE', `/${name}/5`, bare)).status, 200)
      assert.equal((await send('DELETE', `/${name}/5`, bare)).status, 404)
      assert.equal((await send('PATCH', `/${name}/5`, bare, change('5'))).status, 404)
      const foreign = await tagOf(`/${name === 'xmin' ? 'column' : 'xmin'}/6`)
      assert.equal((await send('DELETE', `/${name}/6`, { 'if-match': foreign })).status, 412)
    })

    for (const method of ['PATCH', 'DELETE'])
      for (const end of ['commit', 'rollback'] as const)
        it(`a conditional ${method} that waits for another writer decides after its ${end}, with versions by ${name}`, async () => {
          const path = `/${name}/7`
          const headers = { 'if-match': await tagOf(path) }
          const other = new pg.Client(database.url)
          await other.connect()
          try {
            await other.query('begin')
            await other.query(
              `update by_${name} set note = note || 'd', row_version = row_version + 1 where id = 7`,
            )
            const body = { data: { type: name, id: '7', attributes: { note: 'e' } } }
            const response = send(method, path, headers, method === 'PATCH' ? body : undefined)
            const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
            while ((await other.query(waits)).rowCount === 0);
            await other.query(end)
            const { status } = await response
            assert.equal(status, end === 'commit' ? 412 : 200)
          } finally {
            await other.end()
          }
        })

    it(`a key takes two round trips, and its repetition at most four, with versions by ${name}`, async () => {
      const headers = { 'idempotency-key': `k-${name}` }
      const keyed = await measure('PATCH', path, headers, update(name))
      assert.deepEqual(keyed, { trips: 2, statements: 4 })
      const again = await measure('PATCH', path, headers, update(name))
      assert.deepEqual(again, { trips: 4, statements: 5 })
      const both = { 'if-match': await tagOf(path), 'idempotency-key': `b-${name}` }
      const conditional = await measure('PATCH', path, both, update(name))
      assert.deepEqual(conditional, { trips: 2, statements: 5 })
      const headersOfCreate = { 'idempotency-key': `c-${name}` }
      const create = { data: { type: name, attributes: { note: 'n' } } }
      const created = await measure('POST', `/${name}`, headersOfCreate, create)
      assert.deepEqual(created, { trips: 2, statements: 3 })
      const headersOfRemoval = { 'idempotency-key': `d-${name}` }
      const removed = await measure('DELETE', `/${name}/8`, headersOfRemoval)
      assert.deepEqual(removed, { trips: 2, statements: 3 })
    })
  }
})
