import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attribute, createApi, defineModel, resource, sql, text } from 'lapidary'
import { openPostgres } from 'lapidary/postgres'
import { everyDatabase } from '../databases.ts'
import { layouts } from './layouts.ts'

const model = defineModel([
  resource('item', { path: '/items', table: 'item', fields: { name: attribute(text) } }),
])

/** Statements that Citus refuses, with a code of their own and without one. */
const refused = [
  sql`select 1 from item left join part on part.id = item.id and random() < 2`,
  sql`select 1 from item left join (select id from part where now() > '2000-01-01') as p on p.id = item.id`,
]

for (const database of everyDatabase.filter(({ name }) => name === layouts.distributed.title))
  describe(`What Citus refuses · ${database.name}`, () => {
    it('is 501, whatever the code of its error', async (test) => {
      const open = await database.create()
      await open.second?.execute(`create table item (id bigint primary key, name text);
        create table part (id bigint primary key)`)
      const store = await openPostgres(model, open.url)
      test.after(async () => {
        await store.close()
        await open.remove()
      })
      const api = createApi({ model, store }).with({})
      for (const statement of refused)
        await assert.rejects(api.sql(statement), { code: 'not_supported_by_database', status: 501 })
    })
  })
