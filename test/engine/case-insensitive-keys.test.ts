import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, resource, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../databases.ts'
import { engine } from './engine.ts'

const author = resource('author', {
  path: '/authors',
  table: 'author',
  id: { column: 'code', kind: text, client: 'required' },
  fields: { name: attribute(text), books: toMany('book', { column: 'author_code' }) },
})
const book = resource('book', {
  path: '/books',
  table: 'book',
  fields: {
    title: attribute(text),
    author: toOne('author', { column: 'author_code' }),
    tags: toMany('tag', { through: { table: 'book_tag', from: 'book_id', to: 'tag_name' } }),
  },
})
const tag = resource('tag', {
  path: '/tags',
  table: 'tag',
  id: { column: 'name', kind: text, client: 'required' },
  fields: {
    books: toMany('book', { through: { table: 'book_tag', from: 'tag_name', to: 'book_id' } }),
  },
})

const served = {
  model: defineModel([author, book, tag], { maxPageSize: null }),
  tables: ({ newId, id }: ColumnTypes, dialect: string) => {
    const word = dialect === 'postgres' ? 'citext' : 'text collate nocase'
    return `
      ${dialect === 'postgres' ? 'create extension if not exists citext;' : ''}
      create table author (code ${word} primary key not null, name text);
      create table book (id ${newId}, title text, author_code ${word} references author (code));
      create table tag (name ${word} primary key not null);
      create table book_tag (book_id ${id} references book (id), tag_name ${word} references tag (name));
      create index book_author on book (author_code);
      create index book_tag_book on book_tag (book_id);
      create index book_tag_tag on book_tag (tag_name);
      insert into author values ('ada', 'Ada'), ('Bob', 'Bob');
      insert into book (title, author_code) values ('one', 'ADA'), ('two', 'ada'), ('three', 'bob'), ('four', null);
      insert into tag values ('New'), ('old');
      insert into book_tag values (1, 'NEW'), (1, 'Old'), (2, 'new')`
  },
}

const byAda = [
  { type: 'book', id: '1' },
  { type: 'book', id: '2' },
]

engine('Keys that ignore case', served, (app) => {
  const linkageOf = (resource: { relationships?: unknown } | undefined, name: string): unknown => {
    const relationships = Object(resource?.relationships)
    return relationships[name]?.data
  }

  it('given a foreign key in another case, when it is linkage, then it is the id of the resource', async () => {
    const ids = ['ada', 'ada', 'Bob', undefined]
    const expected = ids.map((id) => (id === undefined ? null : { type: 'author', id }))
    for (const query of [
      { 'fields[book]': 'author' },
      { include: 'author' },
      { include: 'author', 'page[size]': '0' },
    ]) {
      const list = await app.get('/books', query)
      assert.deepEqual(
        list.many.map((each) => linkageOf(each, 'author')),
        expected,
      )
      if ('include' in query)
        assert.deepEqual(list.body.included?.map(({ id }) => id).sort(), ['Bob', 'ada'])
    }
    assert.deepEqual((await app.get('/books/1/relationships/author')).body.data, expected[0])
    assert.equal((await app.get('/books/1/author')).one.id, 'ada')
  })

  it('given foreign keys in another case, when they are to-many linkage, then it has all of them', async () => {
    for (const query of [{ include: 'books' }, { 'fields[author]': 'books' }]) {
      const list = await app.get('/authors', { ...query, sort: '-name' })
      const linkages = list.many.map((each) => [each.id, linkageOf(each, 'books')])
      assert.deepEqual(linkages, [
        ['Bob', [{ type: 'book', id: '3' }]],
        ['ada', byAda],
      ])
      const one = await app.get('/authors/ada', query)
      assert.deepEqual(linkageOf(one.one, 'books'), byAda)
    }
    assert.deepEqual((await app.get('/authors/ada/relationships/books')).body.data, byAda)
    assert.equal((await app.get('/authors/ada/books')).many.length, 2)
  })

  it('given a join table in another case, when it is linkage, then it has the ids of the resources', async () => {
    const tags = [
      { type: 'tag', id: 'New' },
      { type: 'tag', id: 'old' },
    ]
    for (const query of [{ include: 'tags' }, { 'fields[book]': 'tags' }]) {
      const one = await app.get('/books/1', query)
      assert.deepEqual(linkageOf(one.one, 'tags'), tags)
    }
    for (const query of [{ include: 'books' }, { 'fields[tag]': 'books' }]) {
      const list = await app.get('/tags', { ...query, sort: 'id' })
      assert.deepEqual(
        list.many.map((each) => [each.id, linkageOf(each, 'books')]),
        [
          ['New', byAda],
          ['old', [{ type: 'book', id: '1' }]],
        ],
      )
    }
  })

  it('given nested include paths, when every key has another case, then the document is complete', async () => {
    const list = await app.get('/authors', { include: 'books.tags.books.author', sort: 'id' })
    assert.equal(list.status, 200)
    const found = list.body.included?.map(({ type, id }) => `${type} ${id}`).sort()
    assert.deepEqual(found, ['book 1', 'book 2', 'book 3', 'tag New', 'tag old'])
  })
})
