import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import {
  attribute,
  createHandler,
  defineModel,
  idempotencyTable,
  resource,
  type Store,
  text,
} from 'lapidary'
import { silentLogger } from '../../src/endpoints/handler.ts'
import { type Database, everyDatabase } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { connectToDatabase } from '../service/direct-database.ts'

const note = resource('note', {
  path: '/notes',
  table: 'note',
  fields: { text: attribute(text) },
})
const model = defineModel([note], { principal: () => 'everybody' })

/** What the database refuses, as one without space does: by a trigger. */
const failures = [
  ['the key', 'lapidary_idempotency', 'insert'],
  ['the response', 'lapidary_idempotency', 'update'],
  ['the row', 'note', 'insert'],
] as const

/** Opens a database, and returns what sends a write with a key, and what counts the rows and the keys. */
async function open(database: Database, test: TestContext) {
  const { url, remove } = await database.create()
  const store = await openStore(model, url)
  const connection = await connectToDatabase(url)
  test.after(async () => {
    await connection.close()
    await store.close()
    await remove()
  })
  const tables = `create table note (id ${database.columnTypes.newId}, text text);`
  await store.migrate([{ version: 1, sql: tables + idempotencyTable }])
  const count = async () =>
    (await connection.run('select id from note')).length +
    (await connection.run('select key from lapidary_idempotency')).length
  return { url, store, connection, post: createPost(store), count }
}

/** Returns what sends a write with a key. */
function createPost(store: Store) {
  const handle = createHandler({ model, store, log: silentLogger })
  return () =>
    handle(
      new Request('http://localhost/notes', {
        method: 'POST',
        headers: { 'content-type': 'application/vnd.api+json', 'idempotency-key': 'k' },
        body: JSON.stringify({ data: { type: 'note', attributes: { text: 'a' } } }),
      }),
    )
}

for (const database of everyDatabase)
  describe(`Writes with a key on a database that refuses · ${database.name}`, () => {
    for (const [what, table, operation] of failures)
      it(`${what}: nothing is stored, and the same key works once it accepts`, async (test) => {
        const { post, count, connection } = await open(database, test)
        const body =
          database.dialect === 'sqlite'
            ? [
                `create trigger full_disk before ${operation} on ${table} begin select raise(abort, 'full'); end`,
              ]
            : [
                `create function fail() returns trigger language plpgsql as $$ begin raise exception 'full' using errcode = '53100'; end $$`,
                `create trigger full_disk before ${operation} on ${table} for each row execute function fail()`,
              ]
        for (const sql of body) await connection.run(sql)
        assert.ok((await post()).status >= 400)
        assert.equal(await count(), 0)
        const on = database.dialect === 'sqlite' ? '' : ` on ${table}`
        await connection.run(`drop trigger full_disk${on}`)
        const [created, again] = [await post(), await post()]
        assert.deepEqual([created.status, again.status], [201, 201])
        assert.equal(again.headers.get('idempotency-replayed'), 'true')
        assert.equal(await again.text(), await created.text())
        assert.equal(await count(), 2)
      })

    it('a deletion of expired keys removes the oldest 1,000, and no other one', async (test) => {
      const { store, connection } = await open(database, test)
      await connection.run(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 2100)
        insert into lapidary_idempotency (principal, key, fingerprint, view, created_at) select 'p', 'k' || i, '', '', i from n`)
      const remaining = async () => {
        const sql = 'select min(created_at), count(*) from lapidary_idempotency'
        const [row = {}] = await connection.run(sql)
        return Object.values(row).map(Number)
      }
      const expire = () => store.transaction(({ keys }) => keys.deleteBefore(2051))
      assert.equal(await expire(), 1000)
      assert.deepEqual(await remaining(), [1001, 1100])
      assert.equal(await expire(), 1000)
      assert.equal(await expire(), 50)
      assert.deepEqual(await remaining(), [2051, 50])
    })

    if (database.dialect === 'postgres')
      it('every write: the same key works once the database is not read-only', async (test) => {
        const { url, post, count, connection } = await open(database, test)
        const set = (value: string) =>
          connection.run(`begin read write; do $$ begin execute format(
            'alter database %I set default_transaction_read_only = ${value}', current_database()); end $$; commit`)
        await set('on')
        // The setting does not apply to sessions that exist.
        const readOnly = await openStore(model, url)
        const refused = await createPost(readOnly)()
        await readOnly.close()
        assert.equal(refused.status, 503)
        assert.equal(await count(), 0)
        await set('off')
        const [created, again] = [await post(), await post()]
        assert.deepEqual([created.status, again.status, await count()], [201, 201, 2])
        assert.equal(await again.text(), await created.text())
      })
  })
