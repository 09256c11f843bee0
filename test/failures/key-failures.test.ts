import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attribute, createHandler, defineModel, idempotencyTable, resource, text } from 'lapidary'
import { silentLogger } from '../../src/endpoints/handler.ts'
import { everyDatabase } from '../databases.ts'
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

for (const database of everyDatabase)
  describe(`Writes with a key on a database that refuses · ${database.name}`, () => {
    for (const [what, table, operation] of failures)
      it(`${what}: nothing is stored, and the same key works once it accepts`, async (test) => {
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
        const handle = createHandler({ model, store, log: silentLogger })
        const post = () =>
          handle(
            new Request('http://localhost/notes', {
              method: 'POST',
              headers: { 'content-type': 'application/vnd.api+json', 'idempotency-key': 'k' },
              body: JSON.stringify({ data: { type: 'note', attributes: { text: 'a' } } }),
            }),
          )
        const count = async () =>
          (await connection.run('select id from note')).length +
          (await connection.run('select key from lapidary_idempotency')).length
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
  })
