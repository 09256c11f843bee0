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
      'price.till: 1 of 3 values is no datetime, such as "0044-03-15 00:00:00 BC"; it is returned as null',
    ])
    assert.deepEqual(collections, {
      '/prices': [
        { product: 1, till: null, cents: 3 },
        { product: 1, till: '2024-02-29T00:00:00Z', cents: 4 },
        { product: 1, till: null, cents: 5 },
      ],
    })
  })
})
