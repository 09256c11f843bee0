import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { attribute, defineModel, resource, text } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { openSqlite } from 'lapidary/sqlite'
import { createSqliteDatabase } from '../../cli/generated-project.ts'
import { mediaType } from '../../client.ts'
import { folder } from '../../service/child.ts'

const fields = { title: attribute(text) }
const model = defineModel([resource('book', { path: '/books', table: 'book', fields })])

const tables = `create table book (id integer primary key, title text);
  insert into book values (1, 'Notes')`

describe('A SQLite database that is opened with readOnly', () => {
  for (const mode of ['delete', 'wal'] as const) {
    it(`is read and not changed, given the journal mode ${mode}`, async (test) => {
      const cwd = await folder(test)
      const path = createSqliteDatabase(cwd, 'a', `pragma journal_mode = ${mode}; ${tables}`)
      const before = readFileSync(path)
      const store = openSqlite(model, path, { readOnly: true })
      const server = createServer({ model, store, logLevel: 'silent' })
      await store.verify()
      const headers = { accept: mediaType, 'content-type': mediaType }
      const books = await server.inject({ url: '/books', headers })
      assert.equal(books.statusCode, 200, books.body)
      assert.deepEqual(books.json().data[0].attributes, { title: 'Notes' })
      const payload = JSON.stringify({ data: { type: 'book', attributes: { title: 'New' } } })
      const created = await server.inject({ method: 'POST', url: '/books', headers, payload })
      assert.equal(created.statusCode, 503, created.body)
      assert.match(created.body, /The database cannot be written/)
      await server.close()
      await store.close()
      assert.deepEqual(readFileSync(path), before)
      assert.deepEqual(readdirSync(cwd), ['a.db'])
    })
  }

  it('must exist', async (test) => {
    const path = join(await folder(test), 'absent.db')
    assert.throws(() => openSqlite(model, path, { readOnly: true }), {
      message: `there is no file ${path}`,
    })
  })
})
