import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, resource, text, toMany, toOne } from 'lapidary'
import type { Query } from '../../client.ts'
import type { ColumnTypes } from '../../databases.ts'
import { engine } from '../engine.ts'

/** The engine in a suite. */
type App = Parameters<Parameters<typeof engine>[2]>[0]

const author = resource('author', {
  path: '/authors',
  table: 'author',
  id: { column: 'code', kind: text, client: 'required' },
  fields: {
    name: attribute(text),
    books: toMany('book', { column: 'author_code', count: true }),
  },
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

const model = defineModel([author, book, tag], { maxPageSize: null })

/** Creates the tables. The second type is that of the foreign keys. */
function createTables({ newId, id }: ColumnTypes, word: string, reference: string): string {
  return `
    create table author (code ${word} primary key not null, name text);
    create table book (id ${newId}, title text, author_code ${reference} references author (code));
    create table tag (name ${word} primary key not null);
    create table book_tag (book_id ${id} references book (id), tag_name ${reference} references tag (name));
    create index book_author on book (author_code);
    create index book_tag_book on book_tag (book_id);
    create index book_tag_tag on book_tag (tag_name);
    insert into author values ('ada', 'Ada'), ('Bob', 'Bob');
    insert into book (title, author_code) values ('one', 'ADA'), ('two', 'ada'), ('three', 'bob'), ('four', null);
    insert into tag values ('New'), ('old');
    insert into book_tag values (1, 'NEW'), (1, 'new'), (1, 'Old'), (2, 'new')`
}

const byAda = [
  { type: 'book', id: '1' },
  { type: 'book', id: '2' },
]

const extensions = `
  create extension if not exists citext;
  create collation any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);`

engine(
  'Keys that ignore case',
  {
    model,
    tables: (types, dialect) => {
      const word = dialect === 'postgres' ? 'citext' : 'text collate nocase'
      const extension = dialect === 'postgres' ? 'create extension if not exists citext;' : ''
      return `${extension} ${createTables(types, word, word)}`
    },
  },
  itKeepsLinkageWhole,
)

const words = {
  sqlite: 'text collate nocase',
  citext: 'citext',
  collation: 'text collate any_case',
}

for (const [title, word, finds] of [
  ['of the collation nocase', words.sqlite, true],
  ['of the type citext', words.citext, false],
  ['of a collation that is not deterministic', words.collation, true],
] as const)
  engine(
    `Ids in another case, ${title}`,
    {
      model,
      only: word === words.sqlite ? 'sqlite' : 'postgres',
      tables: (types) =>
        `${word === words.sqlite ? '' : extensions} ${createTables(types, word, word)}`,
    },
    (app) => {
      it('given an id in another case, when it is read, then a collation finds it and citext does not', async () => {
        const read = await app.get('/authors/ADA')
        assert.equal(read.status, finds ? 200 : 404)
        if (finds) assert.deepEqual([read.one.id, read.one.links?.self], ['ada', '/authors/ada'])
        const { many } = await app.get('/authors', { 'filter[id]': 'ADA' })
        assert.equal(many.length, finds ? 1 : 0)
      })
    },
  )

// PostgreSQL refuses a foreign key of the type text to a column of the type citext.
engine(
  'Keys that ignore case, referenced by columns that do not',
  {
    model,
    only: 'sqlite',
    tables: (types) => createTables(types, 'text collate nocase', 'text'),
  },
  itKeepsLinkageWhole,
)

/** Tests that documents, filters, sorts, counts and writes agree on which rows are linked. */
function itKeepsLinkageWhole(app: App): void {
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

  const cases: readonly (readonly [string, Query, readonly string[]])[] = [
    [
      '/books',
      { filter: [{ name: 'author', op: 'has', val: { name: 'id', op: 'eq', val: 'ada' } }] },
      ['1', '2'],
    ],
    [
      '/books',
      { filter: [{ name: 'author', op: 'has', val: { name: 'name', op: 'eq', val: 'Bob' } }] },
      ['3'],
    ],
    [
      '/books',
      {
        filter: [
          { not: { name: 'author', op: 'has', val: { name: 'name', op: 'eq', val: 'Bob' } } },
        ],
        sort: 'id',
      },
      ['1', '2', '4'],
    ],
    [
      '/books',
      { filter: [{ name: 'tags', op: 'any', val: { name: 'id', op: 'eq', val: 'New' } }] },
      ['1', '2'],
    ],
    [
      '/authors',
      { filter: [{ name: 'books', op: 'any', val: { name: 'title', op: 'eq', val: 'one' } }] },
      ['ada'],
    ],
    ['/authors', { filter: [{ name: 'books', op: 'count_eq', val: 2 }] }, ['ada']],
    ['/authors', { filter: [{ name: 'books', op: 'count_le', val: 1 }] }, ['Bob']],
    ['/authors', { sort: '-books.count' }, ['ada', 'Bob']],
    ['/authors', { sort: 'books.count' }, ['Bob', 'ada']],
    ['/books', { sort: '-author.name' }, ['4', '3', '1', '2']],
  ]
  for (const [path, query, ids] of cases)
    it(`given keys in another case, when ${path} is requested with ${JSON.stringify(query)}, then it agrees with the linkage`, async () => {
      const list = await app.get(path, query)
      assert.equal(list.status, 200, list.text)
      assert.deepEqual(
        list.many.map(({ id }) => id),
        ids,
        JSON.stringify(query),
      )
    })

  it('given keys in another case, when related resources are counted, then each is counted once', async () => {
    const list = await app.get('/authors', { withCount: 'books', sort: 'name' })
    assert.deepEqual(
      list.many.map(({ relationships }) => Object(relationships).books.meta.count),
      [2, 1],
      list.text,
    )
    assert.equal((await app.get('/tags/New/books')).many.length, 2)
    assert.equal((await app.get('/books/1/tags')).many.length, 2)
  })

  it('given keys in another case, when relationships are written, then the rows that the linkage shows are changed', async () => {
    const one = { type: 'book', id: '1' }
    const linkage = async (path: string) => (await app.get(path)).body.data
    await app.delete('/authors/ada/relationships/books', { data: [one] })
    assert.deepEqual(await linkage('/authors/ada/relationships/books'), [{ type: 'book', id: '2' }])
    await app.patch('/authors/Bob/relationships/books', { data: [one] })
    assert.deepEqual(await linkage('/authors/Bob/relationships/books'), [one])
    const sendAuthor = (id: string) =>
      app.patch('/books/3/relationships/author', { data: { type: 'author', id } })
    assert.equal((await sendAuthor('ADA')).status, 404)
    await sendAuthor('ada')
    assert.deepEqual(await linkage('/books/3/relationships/author'), { type: 'author', id: 'ada' })
    assert.equal((await app.get('/books/3/author')).one.id, 'ada')
    await app.delete('/books/1/relationships/tags', { data: [{ type: 'tag', id: 'New' }] })
    assert.deepEqual(await linkage('/books/1/relationships/tags'), [{ type: 'tag', id: 'old' }])
    await app.call('POST', '/books/2/relationships/tags', {
      body: {
        data: [
          { type: 'tag', id: 'New' },
          { type: 'tag', id: 'old' },
        ],
      },
    })
    assert.deepEqual(await linkage('/tags/New/relationships/books'), [{ type: 'book', id: '2' }])
    assert.deepEqual(await linkage('/tags/old/relationships/books'), byAda)
  })
}

engine(
  'Keys that do not ignore case, referenced by columns that do',
  {
    model,
    only: 'sqlite',
    tables: (types) => `${createTables(types, 'text', 'text collate nocase').split('insert')[0]};
      insert into author values ('ada', 'Ada'), ('ADA', 'Another');
      insert into book (title, author_code) values ('one', 'ada'), ('two', 'ADA'), ('three', null);
      insert into tag values ('New'), ('new');
      insert into book_tag values (1, 'new'), (2, 'New'), (2, 'new')`,
  },
  (app) => {
    it('given keys that differ in case only, then documents, filters and counts keep them apart', async () => {
      for (const query of [
        { include: 'author' },
        { include: 'author', 'page[size]': '0' },
        { 'fields[book]': 'author' },
      ]) {
        const list = await app.get('/books', query)
        const ids = list.many.map(({ relationships }) => Object(relationships).author.data?.id)
        assert.deepEqual(ids, ['ada', 'ADA', undefined])
      }
      for (const query of [
        { include: 'books' },
        { include: 'books', 'page[size]': '0' },
        { 'fields[author]': 'books' },
      ]) {
        const list = await app.get('/authors', {
          ...query,
          sort: 'name',
          withCount: 'books',
        })
        const books = list.many.map(({ relationships }) => Object(relationships).books)
        assert.deepEqual(
          books.map(({ data, meta }) => [data?.map(({ id }: { id: string }) => id), meta.count]),
          [
            [['1'], 1],
            [['2'], 1],
          ],
        )
      }
      assert.equal((await app.get('/books/1/author')).one.attributes?.name, 'Ada')
      assert.deepEqual(
        (await app.get('/authors/ADA/books')).many.map(({ id }) => id),
        ['2'],
      )
      assert.deepEqual(
        (await app.get('/tags/new/books')).many.map(({ id }) => id),
        ['1', '2'],
      )
      const sorted = await app.get('/books', { sort: 'author.name' })
      assert.deepEqual(
        sorted.many.map(({ id }) => id),
        ['1', '2', '3'],
      )
      const filter = [
        { name: 'author', op: 'has', val: { name: 'name', op: 'eq', val: 'Another' } },
      ]
      assert.deepEqual(
        (await app.get('/books', { filter })).many.map(({ id }) => id),
        ['2'],
      )
    })

    it('given keys that differ in case only, when members are replaced, then those of the other key stay', async () => {
      await app.patch('/authors/ada/relationships/books', { data: [{ type: 'book', id: '3' }] })
      assert.deepEqual(
        (await app.get('/authors/ADA/books')).many.map(({ id }) => id),
        ['2'],
      )
      await app.patch('/tags/New/relationships/books', { data: [] })
      assert.deepEqual(
        (await app.get('/tags/new/books')).many.map(({ id }) => id),
        ['1', '2'],
      )
    })
  },
)
