import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readDeclarations } from '../../cli/introspect.ts'
import { filled } from '../filled.ts'
import { introspect, postgres, readCollections, sqlite } from './introspected.ts'

describe('Keys of generated declarations', () => {
  it('that have no type reference what a column can store, by the kind of their values', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table word (code not null unique, primary key (code)); insert into word values ('a'), ('b');
       create table number (code not null unique, primary key (code)); insert into number values (1), (2);
       create table day (id integer primary key, at datetime not null unique); insert into day values (1, 1700000000);
       create table use (id integer primary key, word_code bigint references word (code), number_code bigint references number (code),
         untyped references word (code), day_at bigint references day (at), late datetime references day (at));
       insert into use values (1, null, 2, 'b', 1700000000, 1700000000)`,
    )
    const declarations = await readDeclarations(url, { types: 'plural' })
    const uses = declarations.resources.find(({ text }) => text.includes("table: 'use'"))?.text
    assert.match(
      uses ?? '',
      /\/\/ word_code references word, but its type cannot store every code\n/,
    )
    // The start accepts the declarations.
    const collections = await readCollections(declarations, url)
    assert.deepEqual(collections['/uses'], [{ word_code: null }])
  })

  it('may contain dates of PostgreSQL that no attribute can have', async (test) => {
    const url = await filled(
      test,
      postgres,
      `create table price (product integer, till timestamp(3), cents integer, primary key (product, till));
       insert into price values (1, 'infinity', 5), (1, '2024-02-29', 4), (1, '0044-03-15 BC', 3)`,
    )
    const { lines, collections } = await introspect(url)
    assert.deepEqual(lines, [
      'price.till: 1 of 3 values is not of the kind datetime, such as "0044-03-15 00:00:00 BC"; it is returned as null',
    ])
    assert.deepEqual(collections, {
      '/prices': [
        { product: 1, till: null, cents: 3 },
        { product: 1, till: '2024-02-29T00:00:00Z', cents: 4 },
        { product: 1, till: null, cents: 5 },
      ],
    })
  })

  it('may contain times and numbers of PostgreSQL that no attribute can have', async (test) => {
    const url = await filled(
      test,
      postgres,
      `create table day (no smallint, opens time, primary key (no, opens)); insert into day values (1, '09:00'), (1, '24:00');
       create table rate (value numeric primary key); insert into rate values (1.5), ('NaN')`,
    )
    const { collections } = await introspect(url)
    assert.deepEqual(collections, {
      '/days': [
        { no: 1, opens: '09:00:00' },
        { no: 1, opens: null },
      ],
      '/rates': [undefined, undefined],
    })
  })

  it('are required attributes only as a part of the id, if SQLite accepts null in them', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table book (code text primary key, no integer not null unique, title text); insert into book values (null, 1, 'a'), ('x', 2, 'b');
       create table page (code text, no integer, text text, primary key (code, no)); insert into page values ('x', 1, 'c');
       create table loan (id integer primary key, book_code text references book (code)); insert into loan values (1, 'x')`,
    )
    const declarations = await readDeclarations(url, { types: 'plural' })
    const [book = '', loan = '', page = ''] = declarations.resources
      .map(({ text }) => text)
      .toSorted()
    assert.match(book, /code: attribute\(text\),/)
    assert.match(page, /code: attribute\(text, \{ required: true \}\),/)
    assert.match(page, /no: attribute\(integer, \{ required: true \}\),/)
    // To link a book whose code is null would store nothing.
    assert.match(loan, /references: 'code', access: 'read-only'/)
    const collections = await readCollections(declarations, url)
    assert.deepEqual(collections['/books'], [
      { code: null, title: 'a' },
      { code: 'x', title: 'b' },
    ])
  })
})

describe('A column of numbers and texts with an index', () => {
  it('has no kind, although an index returns the numbers first', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table a (id integer primary key, size integer, note text, more text, rest text); create index a_size on a (size);
       insert into a (id, size) with recursive n (n) as (select 1 union all select n + 1 from n where n < 2600)
         select n, iif(n % 5 < 2, n, 'x' || n) from n`,
    )
    const { lines, collections } = await introspect(url)
    assert.deepEqual(lines, [
      'a.size is omitted: 600 of 1000 values are not of the kind integer, such as "x2"',
    ])
    assert.equal(collections['/as']?.length, 30)
  })
})

describe('A table of more columns than a statement can return with their types', () => {
  for (const database of [sqlite, postgres])
    it(`is served · ${database.name}`, async (test) => {
      const columns = Array.from({ length: 1200 }, (_, index) => `c${index} integer`)
      const sql = `create table sheet (id integer primary key, ${columns.join(', ')});
        insert into sheet (id, c0, c1199) values (1, 5, 7)`
      const { lines, collections } = await introspect(await filled(test, database, sql))
      assert.deepEqual(lines, [])
      const [attributes] = collections['/sheets'] ?? []
      assert.ok(typeof attributes === 'object' && attributes !== null)
      const values = Object.values(attributes)
      assert.deepEqual([values.length, values[0], values[600], values[1199]], [1200, 5, null, 7])
    })
})
