import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attribute, defineModel, type Model, resource, text, toMany, toOne } from 'lapidary'
import { readPostgresCatalog } from 'lapidary/postgres'
import { readSqliteCatalog } from 'lapidary/sqlite'
import { generateSql } from '../../examples/chinook/data/generate-sql.ts'
import { model as chinook } from '../../examples/chinook/start-server.ts'
import { migrations } from '../../service/migrations.ts'
import { resources } from '../../service/resources/index.ts'
import { openStore } from '../engine/engine.ts'
import { execute, filled, lasting } from '../filled.ts'

/** Ids that the database need not give: the tables are the same on every one. */
const given = { client: 'required' } as const

const shelf = resource('shelf', {
  path: '/shelves',
  table: 'shelf',
  id: given,
  fields: { name: attribute(text), books: toMany('book', { column: 'shelf_id' }) },
})
const book = resource('book', {
  path: '/books',
  table: 'book',
  id: given,
  fields: {
    shelf: toOne('shelf', { column: 'shelf_id' }),
    // Nobody follows it back.
    successor: toOne('book', { column: 'next_id' }),
    subjects: toMany('subject', {
      through: { table: 'book_subject', from: 'book_id', to: 'subject_id' },
    }),
  },
})
const subject = resource('subject', {
  path: '/subjects',
  table: 'subject',
  id: given,
  fields: {
    books: toMany('book', {
      through: { table: 'book_subject', from: 'subject_id', to: 'book_id' },
    }),
  },
})
const library = defineModel([shelf, book, subject])

const tables = `
  create table shelf (id integer primary key, name text);
  create table book (id integer primary key, shelf_id integer references shelf (id), next_id integer references book (id));
  create table subject (id integer primary key);`
const joined =
  'book_id integer not null references book (id), subject_id integer not null references subject (id)'

const shelves = 'shelf.fields.books, book.fields.shelf'
const subjects = 'book.fields.subjects, subject.fields.books'

/** A sentence, SQL beyond the tables, and the columns that the start warns of, each with its relationships. */
type Case = readonly [
  sentence: string,
  sql: string,
  ...warned: (readonly [string, string, string])[],
]

// biome-ignore format: a table, one case a row
const cases: readonly Case[] = [
  ['no index at all',
    `create table book_subject (${joined})`,
    [shelves, 'book', 'shelf_id'], [subjects, 'book_subject', 'book_id'], [subjects, 'book_subject', 'subject_id']],
  ['a key of the join table, which serves its first column alone',
    `create table book_subject (${joined}, primary key (book_id, subject_id)); create index by_shelf on book (shelf_id)`,
    [subjects, 'book_subject', 'subject_id']],
  ['indexes with the column elsewhere than first',
    `create table book_subject (${joined}, primary key (book_id, subject_id));
     create index by_shelf on book (id, shelf_id); create unique index by_subject on book_subject (subject_id, book_id)`,
    [shelves, 'book', 'shelf_id']],
  ['indexes of some rows, and of expressions',
    `create table book_subject (${joined}, primary key (book_id, subject_id));
     create index some_shelf on book (shelf_id) where shelf_id > 7; create index other_shelf on book ((shelf_id + 0), shelf_id);
     create index by_subject on book_subject (subject_id desc)`,
    [shelves, 'book', 'shelf_id']],
  ['an index for each, in a constraint or not',
    `create table book_subject (${joined}, unique (book_id, subject_id), unique (subject_id, book_id));
     create index by_shelf on book (shelf_id, id)`],
  ['views, which have no indexes',
    `create table pair (${joined}); create view book_subject as select * from pair; create index by_shelf on book (shelf_id)`],
]

const lineOf = (
  [places, table, column]: readonly [string, string, string],
  isPostgres: boolean,
) => {
  const name = isPostgres ? '' : `"${table}_${column}" `
  return `${places}: no index begins with the column "${column}" of "${table}", which is scanned to follow the relationship; to mend it: create index ${name}on "${table}" ("${column}")`
}

for (const database of lasting) {
  const isPostgres = database.name === 'PostgreSQL'
  describe(`The start warns of relationships that no index serves · ${database.name}`, () => {
    for (const [sentence, sql, ...warned] of cases) {
      it(sentence, async (test) => {
        const url = await filled(test, database, `${tables} ${sql}`)
        const isView = sql.includes('create view')
        const store = await openStore(isView ? readOnly : library, url)
        test.after(() => store.close())
        const remarks = await store.verify()
        assert.deepEqual(
          remarks.toSorted(),
          warned.map((each) => lineOf(each, isPostgres)).toSorted(),
        )
        for (const remark of remarks) await execute(url, remark.split('; to mend it: ')[1] ?? '')
        assert.deepEqual(await store.verify(), [])
      })
    }

    it('names that have to be quoted', async (test) => {
      const url = await filled(
        test,
        database,
        `create table "a ""table" (id integer primary key, "a ""column" integer references "a ""table" (id))`,
      )
      const node = resource('node', {
        path: '/nodes',
        table: 'a "table',
        id: given,
        fields: { children: toMany('node', { column: 'a "column' }) },
      })
      const store = await openStore(defineModel([node]), url)
      test.after(() => store.close())
      const [remark = ''] = await store.verify()
      assert.match(remark, /on "a ""table" \("a ""column"\)$/)
      await execute(url, remark.split('; to mend it: ')[1] ?? '')
      assert.deepEqual(await store.verify(), [])
    })

    it('none of the tables of the service', async (test) => {
      const url = await filled(test, database, '')
      const store = await openStore(defineModel(resources), url)
      test.after(() => store.close())
      await store.migrate(migrations[store.dialect])
      assert.deepEqual(await store.verify(), [])
    })

    it('none of the tables of the example', async (test) => {
      const url = await filled(test, database, generateSql(isPostgres ? 'postgres' : 'sqlite'))
      const store = await openStore(chinook, url)
      test.after(() => store.close())
      const remarks = await store.verify()
      assert.deepEqual(
        remarks.filter((remark) => remark.includes('no index begins')),
        [],
      )
    })

    it('the catalog has the columns that indexes begin with', async (test) => {
      const url = await filled(
        test,
        database,
        `create table thing (id integer primary key, a integer unique, b integer, c integer, d integer, e integer, f text,
           unique (c, d));
         create index on_b on thing (b, a); create index some_d on thing (d) where d is not null;
         create index e_more on thing ((e + 1), e); create index on_f on thing (f desc);
         create table pair (x integer, y text, z integer, primary key (y, x)); create table bare (x integer);
         create view seen as select * from thing`,
      )
      const path = url.replace(/^sqlite:/, '')
      const catalog = isPostgres ? await readPostgresCatalog(url) : readSqliteCatalog(path)
      const indexed = catalog.tables.map(({ name, indexed }) => [
        name,
        indexed && [...indexed].sort(),
      ])
      assert.deepEqual(Object.fromEntries(indexed), {
        ...{ thing: ['a', 'b', 'c', 'f', 'id'], pair: ['y'], bare: [], seen: undefined },
      })
    })

    const others = isPostgres
      ? `create schema old; create table old.parent (id bigint primary key);
         create table old.child (id bigint primary key, parent_id bigint references old.parent (id));
         create index by_range on old.child using brin (parent_id)`
      : `create virtual table parent using fts5 (name);
         create table child (id integer primary key, parent_id integer) strict;
         create table other (id text primary key, parent_id integer) without rowid`

    it(`tables of a special kind: ${isPostgres ? 'in other schemas, with BRIN' : 'virtual, strict, without rowid'}`, async (test) => {
      const url = await filled(test, database, others)
      if (isPostgres) {
        const store = await openStore(elsewhere, url)
        test.after(() => store.close())
        const mends = (await store.verify()).map((remark) => remark.split('; to mend it: ')[1])
        assert.deepEqual(mends, ['create index on "old"."child" ("parent_id")'])
        await execute(url, String(mends[0]))
        assert.deepEqual(await store.verify(), [])
      } else {
        const { tables } = readSqliteCatalog(url.replace(/^sqlite:/, ''))
        assert.deepEqual(
          tables.map(({ name, indexed }) => [name, indexed && [...indexed]]),
          [
            ['child', ['id']],
            ['other', ['id']],
            ['parent', undefined],
          ],
        )
      }
    })
  })
}

/** The library where the join table is a view. */
const readOnly: Model = defineModel([
  shelf,
  resource('book', {
    path: '/books',
    table: 'book',
    id: given,
    fields: {
      shelf: toOne('shelf', { column: 'shelf_id' }),
      subjects: toMany('subject', {
        access: 'read-only',
        through: { table: 'book_subject', from: 'book_id', to: 'subject_id' },
      }),
    },
  }),
  resource('subject', { path: '/subjects', table: 'subject', id: given, fields: {} }),
])

const elsewhere: Model = defineModel([
  resource('parent', {
    ...{ path: '/parents', schema: 'old', table: 'parent', id: given },
    fields: { children: toMany('child', { column: 'parent_id' }) },
  }),
  resource('child', {
    ...{ path: '/children', schema: 'old', table: 'child', id: given },
    fields: { parent: toOne('parent', { column: 'parent_id' }) },
  }),
])
