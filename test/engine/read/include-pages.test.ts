import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  attribute,
  createHandler,
  defineModel,
  integer,
  resource,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'
import { assertErrors, assertStatus } from '../../service/assert-errors.ts'
import { ids } from '../../service-suite.ts'
import { catchDeclarationErrors, engine } from '../engine.ts'

function declareShelves(include?: Readonly<{ size?: number; maxSize?: number; sort?: string }>) {
  const shelf = resource('shelf', {
    path: '/shelves',
    table: 'shelf',
    fields: {
      books: toMany('book', { column: 'shelf_id', count: true, ...(include && { include }) }),
    },
  })
  const book = resource('book', {
    path: '/books',
    table: 'book',
    fields: {
      year: attribute(integer),
      title: attribute(text),
      shelf: toOne('shelf', { column: 'shelf_id' }),
      copies: toMany('book', { column: 'original_id' }),
    },
  })
  return defineModel([shelf, book], { maxPageSize: 100, secret: 'the secret of the shelves' })
}

const model = declareShelves({ size: 2, maxSize: 3, sort: '-year' })

engine(
  'Pages of included members that a relationship declares',
  {
    model,
    tables: ({ newId, id, integer: whole, text: string }) => `
      create table shelf (id ${newId});
      create table book (id ${newId}, year ${whole}, title ${string}, shelf_id ${id}, original_id ${id});
      insert into shelf (id) values (1), (2);
      insert into book (id, year, shelf_id, original_id)
        values (1, 1900, 1, null), (2, null, 1, 1), (3, 2000, 1, 1), (4, 1950, 1, 1), (5, 1, 2, null);
    `,
  },
  ({ get, patch, post, call }) => {
    const books = (response: Awaited<ReturnType<typeof get>>, at = 0) =>
      [response.many[at]?.relationships?.books?.data ?? []].flat().map(({ id }) => id)

    it('have the declared size and order, unless the request says otherwise', async () => {
      assert.deepEqual(books(await get('/shelves', { include: 'books' })), ['2', '3'])
      const sized = await get('/shelves', {
        include: 'books',
        'includePage[books][size]': 3,
        'includeSort[books]': 'id',
      })
      assert.deepEqual(books(sized), ['1', '2', '3'])
    })

    it('have at most the declared maximum, which an error names', async () => {
      const response = await get('/shelves', { include: 'books', 'includePage[books][size]': 4 })
      const says = 'includePage[books][size] must be between 1 and 3 here; it is 4.'
      assertErrors(response, 400, { status: 400, at: 'includePage[books][size]', says })
      assert.deepEqual(response.body.errors?.[0]?.meta, { page: { maxSize: 3 } })
    })

    it('hold below a relationship route, whose own linkage is paged by page[size]', async () => {
      const path = '/shelves/1/relationships/books'
      const response = await get(path, {
        include: 'books.copies',
        'includePage[books.copies][size]': 1,
      })
      assertStatus(response, 200)
      assert.deepEqual(ids(response), ['1', '2', '3', '4'])
      const own = await get(path, { include: 'books', 'includePage[books][size]': 1 })
      const says = '"books" is the primary data of this URL; use page[size], sort and filter'
      assertErrors(own, 400, { status: 400, at: 'includePage[books][size]', says })
    })

    it('are in responses to writes', async () => {
      const data = { type: 'shelf', id: '1' }
      const response = await call('PATCH', '/shelves/1?include=books', { body: { data } })
      assertStatus(response, 200)
      assert.deepEqual(response.one.relationships?.books?.meta, { page: { hasMore: true } })
      const relationships = { books: { data: [{ type: 'book', id: '5' }] } }
      const created = await call('POST', '/shelves?include=books', {
        body: { data: { type: 'shelf', relationships } },
      })
      assertStatus(created, 201)
      assert.deepEqual(created.one.relationships?.books?.meta, { page: { hasMore: false } })
    })

    it('do not replace all members when a client sends them back', async () => {
      const { one } = await get('/shelves/1', { include: 'books' })
      const response = await patch('/shelves/1', { data: one })
      const at = '/data/relationships/books/data'
      assertErrors(response, 400, { status: 400, at, says: 'is a part of the members' })
      const { data } = (await get('/shelves/1/relationships/books')).body
      assert.equal(Array.isArray(data) && data.length, 4)
      const filter = JSON.stringify([{ name: 'id', op: 'eq', val: '1' }])
      const filtered = await get('/shelves/1', {
        include: 'books',
        'includeFilter[books]': filter,
      })
      const sent = await post('/shelves', { data: { ...filtered.one, id: undefined } })
      assertErrors(sent, 400, { status: 400, at })
      const complete = await get('/shelves/2', { include: 'books' })
      assertStatus(await patch('/shelves/2', { data: complete.one }), 200)
    })

    const linkage = '/shelves/1/relationships/books'
    /** Returns the cursor of a book among those of the shelf. */
    const cursorOf = async (book: string, sort = '-year') => {
      const { data } = (await get(linkage, { sort, 'page[cursors]': 'true' })).body
      const meta = [data ?? []].flat().find(({ id }) => id === book)?.meta
      return String(Reflect.get(Object(meta?.page), 'cursor'))
    }
    const after = 'includePage[books][after]'

    it('continue behind a cursor, of one resource', async () => {
      const cursor = await cursorOf('3')
      const response = await get('/shelves/1', { include: 'books', [after]: cursor })
      assertStatus(response, 200)
      const { data, links, meta } = response.one.relationships?.books ?? {}
      assert.deepEqual(
        [data ?? []].flat().map(({ id }) => id),
        ['4', '1'],
      )
      assert.deepEqual(meta, { page: { hasMore: false } })
      assert.equal(links?.next, null)
      const before = await get(String(links?.prev))
      assert.deepEqual(ids(before), ['2', '3'])
      const sized = await get('/shelves/1', {
        ...{ include: 'books', [after]: cursor, 'includePage[books][size]': 1 },
      })
      const next = await get(String(sized.one.relationships?.books?.links?.next))
      assert.deepEqual(ids(next), ['1'])
      const last = { include: 'books', [after]: await cursorOf('1') }
      const empty = (await get('/books/1/shelf', last)).one.relationships?.books
      assert.deepEqual(empty?.data, [])
      assert.deepEqual(ids(await get(String(empty?.links?.prev))), ['4', '1'])
      const chain = { include: 'shelf.books', 'includePage[shelf.books][after]': cursor }
      const [shelf] = (await get('/books/1', chain)).body.included ?? []
      assert.equal([shelf?.relationships?.books?.data].flat().length, 2)
    })

    it('continue behind a cursor whose keys are too long for it', async () => {
      for (const id of ['1', '2', '4']) {
        const attributes = { title: `${'a'.repeat(600)}${id}` }
        assertStatus(await patch(`/books/${id}`, { data: { type: 'book', id, attributes } }), 200)
      }
      const cursor = await cursorOf('2', 'title')
      const query = { include: 'books', [after]: cursor, 'includeSort[books]': 'title' }
      const { one } = await get('/shelves/1', query)
      assert.deepEqual(
        [one.relationships?.books?.data ?? []].flat().map(({ id }) => id),
        ['4', '3'],
      )
      const search = new URLSearchParams(query)
      const data = { type: 'shelf', id: '1' }
      const write = await call('PATCH', `/shelves/1?${search}`, { body: { data } })
      assertErrors(write, 400, {
        status: 400,
        at: after,
        says: 'remove it, and read the members by a GET',
      })
      assertStatus(await call('DELETE', '/books/2'), 200)
      const gone = await get('/shelves/1', query)
      assertErrors(gone, 400, {
        status: 400,
        at: after,
        says: 'the resource of the cursor is gone',
      })
      assert.equal(gone.body.errors?.[0]?.code, 'cursor_expired')
    })

    it('reject a cursor that is not one of the list, and one beside several resources', async () => {
      const cursor = await cursorOf('3')
      const several = await get('/shelves', { include: 'books', [after]: cursor })
      const says = 'the path may lead on from several resources here, and a cursor belongs to one'
      assertErrors(several, 400, { status: 400, at: after, says })
      const nested = await get('/shelves/1', {
        ...{ include: 'books.copies', 'includePage[books.copies][after]': cursor },
      })
      assertErrors(
        nested,
        400,
        { status: 400, at: 'includePage[books.copies][after]', says },
        { status: 400, at: 'includePage[books.copies][after]', says: 'the cursor belongs to' },
      )
      for (const [query, reason] of [
        [{ [after]: `${cursor.slice(0, -2)}AA` }, 'is damaged'],
        [{ [after]: '' }, 'is damaged'],
        [
          { [after]: cursor, 'includeSort[books]': 'year' },
          'the cursor belongs to the sort order "-year,id"',
        ],
      ] as const) {
        const wrong = await get('/shelves/1', { include: 'books', ...query })
        assertErrors(wrong, 400, { status: 400, at: after, says: reason })
        assert.equal(wrong.body.errors?.[0]?.code, 'invalid_cursor')
      }
      const { links } = (await get('/books', { sort: '-year', 'page[total]': 'none' })).body
      const end = new URL(String(links?.last)).searchParams.get('page[before]')
      const ended = await get('/shelves/1', { include: 'books', [after]: String(end) })
      const remedy =
        'the cursor is the end of the list, and nothing is after it; start again without it'
      assertErrors(ended, 400, { status: 400, at: after, says: remedy })
      const body = { include: ['books'], includePage: { books: { after: 'x' } } }
      const query = await call('QUERY', '/shelves', {
        ...{ body, headers: { 'content-type': 'application/json' } },
      })
      assertErrors(
        query,
        400,
        { status: 400, at: '/includePage/books/after', says },
        { status: 400, at: '/includePage/books/after', says: 'is damaged' },
      )
    })

    it('are requested by the body of a QUERY, in which errors have a pointer', async () => {
      const send = (query: object) =>
        call('QUERY', '/shelves', { body: query, headers: { 'content-type': 'application/json' } })
      const response = await send({
        include: ['books'],
        includePage: { books: { size: 1 } },
        includeSort: { books: ['id'] },
        includeFilter: { books: [{ name: 'id', op: 'ge', val: '2' }] },
      })
      assertStatus(response, 200)
      assert.deepEqual(books(response), ['2'])
      const wrong = await send({
        include: ['books'],
        includePage: { books: { size: 0 } },
        includeSort: { book: ['id'] },
        includeFilter: { books: [{ name: 'yaer', op: 'ge', val: 2 }] },
      })
      assertErrors(
        wrong,
        400,
        { status: 400, at: '/includePage/books/size' },
        { status: 400, at: '/includeSort/book', says: 'is not included' },
        { status: 400, at: '/includeFilter/books/0/name', says: 'did you mean "year"?' },
      )
    })
  },
)

describe('The option include of a relationship', () => {
  for (const [include, expected] of [
    [
      { size: 5, maxSize: 4 },
      'shelf.fields.books.include.size: must not be larger than maxSize, which is 4; it is 5',
    ],
    [
      { maxSize: 101 },
      'shelf.fields.books.include.maxSize: must not be larger than the option maxPageSize, which is 100; it is 101',
    ],
    [{ size: 0 }, 'shelf.fields.books.include.size: must be a whole number from 1; it is 0'],
    [
      { sort: '-yaer' },
      'shelf.fields.books.include.sort: book has no field "yaer"; did you mean "year"?',
    ],
  ] as const)
    it(`is checked at the start: ${JSON.stringify(include)}`, async () => {
      const errors = await catchDeclarationErrors(() => {
        const declared = declareShelves(include)
        createHandler({ model: declared, store: openSqlite(declared, ':memory:') })
      })
      assert.deepEqual(errors, [expected])
    })
})

const large = declareShelves({ sort: 'id' })
engine(
  'A response with pages of included members that does not fit in memory',
  {
    model: large,
    tables: ({ newId, id, integer: whole, text: string }, dialect) => {
      const series =
        dialect === 'sqlite'
          ? '(with recursive s (n) as (select 1 union all select n + 1 from s where n < 10000) select n from s)'
          : 'generate_series(1, 10000) as s (n)'
      return `
        create table shelf (id ${newId});
        create table book (id ${newId}, year ${whole}, title ${string}, shelf_id ${id}, original_id ${id});
        insert into shelf (id) values (1);
        insert into book (id, shelf_id) select n, 1 from ${series};
        create index book_shelf on book (shelf_id, id)`
    },
  },
  ({ get }) => {
    it('is rejected, with the remedy, and is answered with smaller pages', async () => {
      const response = await get('/shelves', { include: 'books' })
      const says = 'ask for a smaller page[size], or for fewer members by includePage[books][size].'
      assertErrors(response, 400, { status: 400, at: 'include', says })
      const { many } = await get('/shelves', { include: 'books', 'includePage[books][size]': 100 })
      assert.equal([many[0]?.relationships?.books?.data ?? []].flat().length, 100)
    })
  },
)
