import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { attribute, defineModel, type Model, resource, text, toMany, toOne } from 'lapidary'
import { readPostgresCatalog } from 'lapidary/postgres'
import { readSqliteCatalog } from 'lapidary/sqlite'
import { generateSql } from '../../examples/chinook/data/generate-sql.ts'
import { model as chinook } from '../../examples/chinook/start-server.ts'
import { migrations } from '../../service/migrations.ts'
import { resources } from '../../service/resources/index.ts'
import { databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { execute, filled } from '../filled.ts'
import { statementsOf } from '../service/statements.ts'
import { serveModel, splitWarning } from './serve-model.ts'

/** Client-generated ids, so that the same tables work on every database. */
const clientGenerated = { client: 'required' } as const

const shelf = resource('shelf', {
  path: '/shelves',
  table: 'shelf',
  id: clientGenerated,
  fields: { name: attribute(text), books: toMany('book', { column: 'shelf_id' }) },
})
const book = resource('book', {
  path: '/books',
  table: 'book',
  id: clientGenerated,
  fields: {
    shelf: toOne('shelf', { column: 'shelf_id' }),
    // Without an inverse relationship, so without a warning.
    successor: toOne('book', { column: 'next_id' }),
    subjects: toMany('subject', {
      through: { table: 'book_subject', from: 'book_id', to: 'subject_id' },
    }),
  },
})
const subject = resource('subject', {
  path: '/subjects',
  table: 'subject',
  id: clientGenerated,
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

/** A title, further SQL, and the expected warnings: relationships, table and column. */
type Case = readonly [title: string, sql: string, ...warned: (readonly [string, string, string])[]]

// biome-ignore format: a table, one row per case
const cases: readonly Case[] = [
  ['warns about every relationship if there is no index',
    `create table book_subject (${joined})`,
    [shelves, 'book', 'shelf_id'], [subjects, 'book_subject', 'book_id'], [subjects, 'book_subject', 'subject_id']],
  ['warns about the second column of a primary key',
    `create table book_subject (${joined}, primary key (book_id, subject_id)); create index by_shelf on book (shelf_id)`,
    [subjects, 'book_subject', 'subject_id']],
  ['warns about a column that is not the first of its index',
    `create table book_subject (${joined}, primary key (book_id, subject_id));
     create index by_shelf on book (id, shelf_id); create unique index by_subject on book_subject (subject_id, book_id)`,
    [shelves, 'book', 'shelf_id']],
  ['warns about a column with only partial indexes and indexes on expressions',
    `create table book_subject (${joined}, primary key (book_id, subject_id));
     create index some_shelf on book (shelf_id) where shelf_id > 7; create index other_shelf on book ((shelf_id + 0), shelf_id);
     create index by_subject on book_subject (subject_id desc)`,
    [shelves, 'book', 'shelf_id']],
  ['does not warn if an index or a unique constraint begins with the column',
    `create table book_subject (${joined}, unique (book_id, subject_id), unique (subject_id, book_id));
     create index by_shelf on book (shelf_id, id)`],
  ['does not warn about views',
    `create table pair (${joined}); create view book_subject as select * from pair; create index by_shelf on book (shelf_id)`],
]

const formatWarning = (
  [relationships, table, column]: readonly [string, string, string],
  isPostgres: boolean,
) => {
  const name = isPostgres ? '' : `"${table}_${column}" `
  return `${relationships}: no index begins with the column "${column}" of "${table}", which is scanned to follow the relationship; to fix it: create index ${name}on "${table}" ("${column}")`
}

for (const database of databases) {
  const isPostgres = database.name === 'PostgreSQL'
  describe(`Warnings about relationships without an index · ${database.name}`, () => {
    for (const [title, sql, ...expected] of cases) {
      it(title, async (test) => {
        const url = await filled(test, database, `${tables} ${sql}`)
        const isView = sql.includes('create view')
        const store = await openStore(isView ? readOnly : library, url)
        test.after(() => store.close())
        const { warnings } = await store.verify()
        assert.deepEqual(
          warnings.toSorted(),
          expected.map((each) => formatWarning(each, isPostgres)).toSorted(),
        )
        for (const warning of warnings) await execute(url, splitWarning(warning)[1])
        assert.deepEqual(await store.verify(), { warnings: [], unserved: [] })
      })
    }

    it('quote names in the SQL of the fix', async (test) => {
      const url = await filled(
        test,
        database,
        `create table "a ""table" (id integer primary key, "a ""column" integer references "a ""table" (id))`,
      )
      const node = resource('node', {
        path: '/nodes',
        table: 'a "table',
        id: clientGenerated,
        fields: { children: toMany('node', { column: 'a "column' }) },
      })
      const store = await openStore(defineModel([node]), url)
      test.after(() => store.close())
      const [warning = ''] = (await store.verify()).warnings
      assert.match(warning, /on "a ""table" \("a ""column"\)$/)
      await execute(url, splitWarning(warning)[1])
      assert.deepEqual(await store.verify(), { warnings: [], unserved: [] })
    })

    it('do not occur for the tables of the service', async (test) => {
      const url = await filled(test, database, '')
      const store = await openStore(defineModel(resources), url)
      test.after(() => store.close())
      await store.migrate(migrations[store.dialect])
      assert.deepEqual(await store.verify(), { warnings: [], unserved: [] })
    })

    it('do not occur for the tables of the example', async (test) => {
      const url = await filled(test, database, generateSql(isPostgres ? 'postgres' : 'sqlite'))
      const store = await openStore(chinook, url)
      test.after(() => store.close())
      const { warnings } = await store.verify()
      assert.deepEqual(
        warnings.filter((warning) => warning.includes('no index begins')),
        [],
      )
    })

    it('use a catalog that lists the first column of each index', async (test) => {
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
      const indexes = catalog.tables.map(({ name, indexes }) => [name, indexes?.toSorted()])
      assert.deepEqual(Object.fromEntries(indexes), {
        thing: [['a'], ['b', 'a'], ['c', 'd'], ['f'], ['id']],
        pair: [['y', 'x']],
        bare: [],
        seen: undefined,
      })
    })

    const specialTables = isPostgres
      ? `create schema old; create table old.parent (id bigint primary key);
         create table old.child (id bigint primary key, parent_id bigint references old.parent (id));
         create index by_range on old.child using brin (parent_id)`
      : `create virtual table parent using fts5 (name);
         create table child (id integer primary key, parent_id integer) strict;
         create table other (id text primary key, parent_id integer) without rowid`

    it(`handle ${isPostgres ? 'tables in other schemas and BRIN indexes' : 'virtual tables, STRICT and WITHOUT ROWID'}`, async (test) => {
      const url = await filled(test, database, specialTables)
      if (isPostgres) {
        const store = await openStore(elsewhere, url)
        test.after(() => store.close())
        const fixes = (await store.verify()).warnings.map((warning) => splitWarning(warning)[1])
        assert.deepEqual(fixes, ['create index on "old"."child" ("parent_id")'])
        await execute(url, String(fixes[0]))
        assert.deepEqual(await store.verify(), { warnings: [], unserved: [] })
      } else {
        const { tables } = readSqliteCatalog(url.replace(/^sqlite:/, ''))
        assert.deepEqual(
          tables.map(({ name, indexes }) => [name, indexes]),
          [
            ['child', [['id']]],
            ['other', [['id']]],
            ['parent', undefined],
          ],
        )
      }
    })
  })
}

describe('Warnings about foreign keys of another collation · SQLite', () => {
  it('occur until an index has the collation of the referenced column, which requests then use', async (test) => {
    const [sqlite] = databases
    assert.ok(sqlite)
    const url = await filled(
      test,
      sqlite,
      `create table author (code text collate nocase primary key not null);
       create table book (id integer primary key, author_code text references author (code));
       create index by_author on book (author_code); insert into author values ('ada'); insert into book values (1, 'ADA')`,
    )
    const author = resource('author', {
      ...{
        path: '/authors',
        table: 'author',
        id: { column: 'code', kind: text, client: 'required' },
      },
      fields: { books: toMany('book', { column: 'author_code' }) },
    })
    const works = resource('book', {
      ...{ path: '/books', table: 'book' },
      fields: { author: toOne('author', { column: 'author_code' }) },
    })
    const model = defineModel([author, works])
    const served = await serveModel(test, model, url)
    const fix = 'create index "book_author_code_nocase" on "book" ("author_code" collate nocase)'
    assert.deepEqual(
      served.warnings.filter((warning) => warning.includes('is compared by')),
      [
        `author.fields.books, book.fields.author: "author_code" of "book" is compared by the collation nocase of what it references, and no index has it, so the table is scanned to follow the relationship; to fix it: ${fix}`,
      ],
    )
    await execute(url, fix)
    const fixed = await serveModel(test, model, url)
    assert.ok(fixed.warnings.every((warning) => !warning.includes('is compared by')))
    const statements = await statementsOf(() => fixed.get('/authors/ada/books'))
    const database = new DatabaseSync(url.replace(/^sqlite:/, ''))
    test.after(() => database.close())
    const plans = statements
      .filter((sql) => sql.includes('"book"'))
      .map((sql) => database.prepare(`explain query plan ${sql}`).all())
    assert.match(JSON.stringify(plans), /USING (?:COVERING )?INDEX book_author_code_nocase/)
  })
})

/** The library with a view as its join table. */
const readOnly: Model = defineModel([
  shelf,
  resource('book', {
    path: '/books',
    table: 'book',
    id: clientGenerated,
    fields: {
      shelf: toOne('shelf', { column: 'shelf_id' }),
      subjects: toMany('subject', {
        access: 'read-only',
        through: { table: 'book_subject', from: 'book_id', to: 'subject_id' },
      }),
    },
  }),
  resource('subject', { path: '/subjects', table: 'subject', id: clientGenerated, fields: {} }),
])

const elsewhere: Model = defineModel([
  resource('parent', {
    ...{ path: '/parents', schema: 'old', table: 'parent', id: clientGenerated },
    fields: { children: toMany('child', { column: 'parent_id' }) },
  }),
  resource('child', {
    ...{ path: '/children', schema: 'old', table: 'child', id: clientGenerated },
    fields: { parent: toOne('parent', { column: 'parent_id' }) },
  }),
])
