import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  attribute,
  DeclarationError,
  datetime,
  defineModel,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { databases } from '../../databases.ts'
import { filled } from '../../filled.ts'
import { ids } from '../../test-response.ts'
import { engine, openStore } from '../engine.ts'

/** The hooks that ran. */
let seen: string[] = []

const page = resource('page', {
  path: '/pages',
  table: 'page',
  softDelete: 'deleted_at',
  scope: (column) => sql`${column('kind')} = ${'page'} or ${column('kind')} is null`,
  fields: {
    title: attribute(text, { required: true }),
    book: toOne('book', { column: 'book_id' }),
    next: toOne('page', { column: 'next_id' }),
    tags: toMany('tag', { through: { table: 'tagging', from: 'page_id', to: 'tag_id' } }),
  },
  hooks: {
    beforeDelete: ({ attributes }) => void seen.push(`before ${attributes.title}`),
    afterDelete: ({ attributes }) => void seen.push(`after ${attributes.title}`),
    afterCommit: ({ operation }) => void seen.push(operation),
  },
})
/** The same rows, deleted or not. */
const anyPage = resource('any-page', {
  path: '/any-pages',
  table: 'page',
  fields: { title: attribute(text, { required: true }), deleted_at: attribute(datetime) },
})
const book = resource('book', {
  path: '/books',
  table: 'book',
  fields: { name: attribute(text), pages: toMany('page', { column: 'book_id' }) },
})
const tag = resource('tag', {
  path: '/tags',
  table: 'tag',
  fields: {
    name: attribute(text),
    pages: toMany('page', { through: { table: 'tagging', from: 'tag_id', to: 'page_id' } }),
    cover: toOne('cover', { column: 'tag_id', foreignKey: 'other' }),
  },
})
const cover = resource('cover', {
  path: '/covers',
  table: 'cover',
  softDelete: 'removed',
  fields: { tag: toOne('tag', { column: 'tag_id' }) },
})
/** A soft deletion that stores values in addition. */
const note = resource('note', {
  path: '/notes',
  table: 'note',
  softDelete: 'gone_at',
  hooks: {
    beforeDelete: ({ attributes }) =>
      attributes.kept ? { by: 'me', gone_at: null } : { by: 'me' },
  },
  fields: {
    by: attribute(text, { access: 'read-only' }),
    kept: attribute(text),
    gone_at: attribute(datetime, { access: 'read-only' }),
  },
})

const served = {
  model: defineModel([page, anyPage, book, tag, cover, note]),
  tables: ({ newId, datetime: instant }: ColumnTypes) => `
    create table book (id ${newId}, name text);
    create table page (id ${newId}, title text not null, kind text, deleted_at ${instant},
      book_id bigint references book (id), next_id bigint references page (id));
    create table tag (id ${newId}, name text);
    create table tagging (page_id bigint references page (id), tag_id bigint references tag (id));
    create table cover (id ${newId}, removed ${instant}, tag_id bigint unique references tag (id));
    create table note (id ${newId}, "by" text, kept text, gone_at ${instant});
    insert into note (id, kept) values (1, null), (2, 'x');
    insert into book values (1, 'b');
    insert into page (id, title, book_id, next_id) values (1, 'one', 1, null), (2, 'two', 1, 1), (3, 'three', null, null);
    insert into tag values (1, 't');
    insert into tagging values (1, 1), (2, 1);
    insert into cover (id, tag_id) values (1, 1)`,
}

engine('Soft deletion', served, (app) => {
  it('given a resource, when it is deleted, then it is in no list, count, linkage, include or filter, and nothing reaches it', async () => {
    seen = []
    const start = Date.now()
    const deleted = await app.delete('/pages/1')
    assert.deepEqual([deleted.status, seen], [200, ['before one', 'after one', 'delete']])
    const list = await app.get('/pages')
    assert.deepEqual([ids(list), list.body.meta?.count], [['2', '3'], 2])
    const { one, body } = await app.get('/books/1?include=pages')
    assert.deepEqual(one.relationships?.pages?.data, [{ type: 'page', id: '2' }])
    assert.deepEqual(
      body.included?.map(({ id }) => id),
      ['2'],
    )
    assert.deepEqual(ids(await app.get('/tags/1/pages')), ['2'])
    const filter = 'filter[pages__title]=one'
    assert.deepEqual(ids(await app.get(`/books?${filter}`)), [])
    const data = { type: 'page', id: '1' }
    for (const [method, path, content] of [
      ['GET', '/pages/1', undefined],
      ['GET', '/pages/1/book', undefined],
      ['PATCH', '/pages/1', { data: { ...data, attributes: { title: 'x' } } }],
      ['DELETE', '/pages/1', undefined],
      ['PATCH', '/pages/1/relationships/tags', { data: [] }],
      ['POST', '/tags/1/relationships/pages', { data: [data] }],
    ] as const)
      assert.equal((await app.call(method, path, { body: content })).status, 404, path)
    const stored = (await app.get('/any-pages/1')).one.attributes
    assert.equal(stored?.title, 'one')
    const instant = Date.parse(String(stored?.deleted_at))
    assert.ok(Math.abs(instant - start) < 60_000, String(stored?.deleted_at))
  })

  it('given a deleted resource, when another type over the table sets its column to null, then it is back with its links', async () => {
    await app.delete('/pages/1')
    const attributes = { deleted_at: null }
    const restored = await app.patch('/any-pages/1', {
      data: { type: 'any-page', id: '1', attributes },
    })
    assert.equal(restored.status, 200, restored.text)
    assert.deepEqual(ids(await app.get('/books/1/pages')), ['1', '2'])
    assert.deepEqual(ids(await app.get('/tags/1/pages')), ['1', '2'])
  })

  it('given a type without hooks, when the related resource of a unique key is deleted, then the relationship is null and the key stays taken', async () => {
    assert.equal((await app.delete('/covers/1')).status, 200)
    assert.equal((await app.get('/tags/1/cover')).body.data, null)
    assert.equal((await app.delete('/covers/1')).status, 404)
    const relationships = { tag: { data: { type: 'tag', id: '1' } } }
    const taken = await app.post('/covers', { data: { type: 'cover', relationships } })
    assert.deepEqual([taken.status, taken.error.code], [409, 'constraint_conflict'])
  })

  it('given a key to a deleted resource, when its row is read and sent back, then the relationship is null and the key is kept', async () => {
    await app.delete('/pages/1')
    const { one } = await app.get('/pages/2?fields[page]=next')
    assert.equal(one.relationships?.next?.data, null)
    const relationships = { next: { data: null } }
    const sent = await app.patch('/pages/2', { data: { type: 'page', id: '2', relationships } })
    assert.equal(sent.status, 200, sent.text)
    await app.execute('update page set deleted_at = null')
    const restored = await app.get('/pages/2/relationships/next')
    assert.deepEqual(restored.body.data, { type: 'page', id: '1' })
  })

  it('given a hook that returns values, when a resource is deleted, then they are stored in addition, and win', async () => {
    assert.equal((await app.delete('/notes/1')).status, 200)
    assert.equal((await app.get('/notes/1')).status, 404)
    assert.equal((await app.delete('/notes/2')).status, 200)
    assert.deepEqual((await app.get('/notes/2')).one.attributes, {
      by: 'me',
      kept: 'x',
      gone_at: null,
    })
    await app.execute('update note set gone_at = null')
    assert.equal((await app.get('/notes/1')).one.attributes?.by, 'me')
  })

  it('given a scope as well, when resources are read, then both conditions hold', async () => {
    await app.execute(
      `insert into page (id, title, kind) values (8, 'x', 'page'), (9, 'x', 'other')`,
    )
    await app.delete('/pages/8')
    assert.equal((await app.get('/pages/9')).status, 404)
    assert.deepEqual(ids(await app.get('/pages')), ['1', '2', '3'])
  })
})

describe('The option softDelete', () => {
  for (const database of databases) {
    const declare = (softDelete: string) =>
      defineModel([
        resource('page', {
          path: '/pages',
          table: 'page',
          softDelete,
          fields: { title: attribute(text) },
        }),
      ])
    const { newId, datetime: instant } = database.columnTypes
    const tables = `create table page (id ${newId}, title text, number integer, not_null ${instant} not null, deleted_at ${instant})`
    // biome-ignore format: a table, one column a row
    const invalidColumns = [
      ['deletedat', 'the table "page" has no column "deletedat"; did you mean "deleted_at"?'],
      ['not_null', 'the column "not_null" of the table "page" must be nullable: null means not deleted'],
      ['number', 'the column "number" of the table "page" has the type "INTEGER", which cannot store all datetime values exactly'],
    ] as const
    for (const [column, error] of invalidColumns) {
      it(`given the column ${column}, when the tables are verified, then the error names it · ${database.name}`, async (test) => {
        const url = await filled(test, database, tables)
        const store = await openStore(declare(column), url)
        try {
          await assert.rejects(store.verify(), (thrown) => {
            assert.ok(thrown instanceof DeclarationError)
            const lines = thrown.errors.map((line) => line.replace('"integer"', '"INTEGER"'))
            assert.deepEqual(lines, [`page.softDelete: ${error}`])
            return true
          })
        } finally {
          await store.close()
        }
      })
    }
  }
})
