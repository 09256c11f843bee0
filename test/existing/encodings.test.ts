import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attribute, defineModel, resource, text } from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'
import { databases } from '../databases.ts'
import { filled } from '../filled.ts'

for (const database of databases.filter(({ dialect }) => dialect === 'sqlite'))
  describe('A SQLite database in UTF-16', () => {
    it('is reported at the start, because its texts are in another order', async (test) => {
      const sql =
        "pragma encoding = 'UTF-16le'; create table thing (id integer primary key, name text)"
      const url = await filled(test, database, sql)
      const fields = { name: attribute(text) }
      const model = defineModel([resource('thing', { path: '/things', table: 'thing', fields })])
      const store = openSqlite(model, url.replace('sqlite:', ''))
      test.after(() => store.close())
      const [warning, ...others] = (await store.verify()).warnings
      assert.match(warning ?? '', /^the database: the bytes of UTF-16le are not in the order/)
      assert.deepEqual(others, [])
    })
  })
