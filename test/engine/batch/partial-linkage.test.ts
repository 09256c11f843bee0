import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, integer, resource, toMany, toOne } from 'lapidary'
import { describeBatches, summarize } from './send-batch.ts'

const shelf = resource('shelf', {
  path: '/shelves',
  table: 'shelf',
  fields: { books: toMany('book', { column: 'shelf_id' }) },
})
const book = resource('book', {
  path: '/books',
  table: 'book',
  fields: { year: attribute(integer), shelf: toOne('shelf', { column: 'shelf_id' }) },
})

/** A relationship, as the document of its URL, or as a member of a resource. */
interface Relationship {
  readonly data?: unknown
  readonly links?: unknown
  readonly meta?: unknown
}

const path = '/shelves/1/relationships/books'
const ref = { type: 'shelf', id: '1' }

/** Queries whose responses list one to three of four books. */
const queries = [
  ...[1, 2, 3].flatMap((size) => [
    `page[size]=${size}`,
    `page[size]=${size}&page[number]=2`,
    `page[size]=${size}&sort=-year&page[total]=none`,
    `page[size]=${size}&page[cursors]=true`,
  ]),
  'filter=[{"name":"id","op":"eq","val":"1"}]',
  'filter[id]=1,2',
  'page[size]=100&filter[year][gt]=1900',
]

/** What makes a query too long for links. */
const manyIds = Array.from({ length: 3000 }, (_, index) => String(index + 1))

/** Bodies of QUERY whose responses list some of the books. */
const longQueries = [
  { page: { size: 1 } },
  { page: { size: 2, number: 2 } },
  { page: { size: 2, number: 9 } },
  { page: { size: 3, total: 'none' } },
  { page: { size: 3, cursors: true }, sort: ['-year'] },
  {},
  { page: { size: 100, total: 'exact' } },
].map((query) => ({ filter: [{ name: 'id', op: 'in_', val: manyIds }], ...query }))

/** The addresses by which a relationship can be replaced, and the place of its linkage in the request. */
const doors = [
  {
    at: '/data',
    method: 'PATCH',
    to: path,
    format: (sent: Relationship) => sent,
  },
  {
    at: '/data/relationships/books/data',
    method: 'PATCH',
    to: '/shelves/1',
    format: (sent: Relationship) => ({ data: { ...ref, relationships: { books: sent } } }),
  },
]

/** The operations that replace a relationship. */
const operations = [
  {
    at: '/data',
    format: (sent: Relationship) => ({ ref: { ...ref, relationship: 'books' }, ...sent }),
  },
  { at: '/data', format: (sent: Relationship) => ({ href: path, ...sent }) },
  {
    at: '/data/relationships/books/data',
    format: (sent: Relationship) => ({ data: { ...ref, relationships: { books: sent } } }),
  },
]

describeBatches(
  'A part of a relationship',
  {
    model: defineModel([shelf, book], { atomic: true, secret: 'the secret of the shelves' }),
    tables: ({ newId, id, integer: whole }) => `
      create table shelf (id ${newId});
      create table book (id ${newId}, year ${whole}, shelf_id ${id});
    `,
    fill: `insert into shelf (id) values (1);
      insert into book (id, year, shelf_id) values (1, 1900, 1), (2, null, 1), (3, 2000, 1), (4, 1950, 1);`,
  },
  (app) => {
    /** Reads a relationship as its URL gives it. */
    const read = async (query = ''): Promise<Relationship> =>
      (await app.send('GET', `${path}?${query}`)).document
    /** Reads it by a QUERY, from page to page. */
    const readLong = async (query: object, pages = 1): Promise<Relationship[]> => {
      const response = await app.send('QUERY', path, query, {
        'content-type': 'application/json',
      })
      assert.equal(response.status, 200, JSON.stringify(response.document))
      assert.deepEqual(Object.keys(response.document.links ?? {}).includes('self'), false)
      const { after, next } = Object(Object(Object(response.document).meta).page)
      const position = after === undefined ? { number: next } : { after }
      if ((after ?? next ?? null) === null || pages === 0) return [response.document]
      const { page } = Object(query)
      const following = { ...query, page: { ...page, ...position } }
      return [response.document, ...(await readLong(following, pages - 1))]
    }
    const readIncluded = async (query: string) => {
      const { document } = await app.send('GET', `/shelves/1?include=books&${query}`)
      const relationships: Readonly<Record<string, Relationship>> =
        document.data?.relationships ?? {}
      return relationships.books ?? {}
    }
    const countBooks = async () => (await app.rows('select id from book where shelf_id = 1')).length
    const readParts = async () => [
      ...(await Promise.all(queries.map(read))),
      ...(await Promise.all(longQueries.map((query) => readLong(query, 9)))).flat(),
      await readIncluded('includePage[books][size]=1'),
      await readIncluded('includeFilter[books]=[{"name":"id","op":"eq","val":"1"}]'),
      { data: [], meta: { page: { hasMore: true } } },
      { data: [], meta: { filtered: true } },
      { data: [], links: { next: { href: 'http://localhost/next' } } },
    ]
    const replace = (operation: object) => app.batch([{ op: 'update', ...operation }])

    it('that a response lists never replaces all members, by any address', async () => {
      for (const { data, links, meta } of await readParts()) {
        const part = { data, links, meta }
        for (const { at, method, to, format } of doors) {
          const response = await app.send(method, to, format(part))
          assert.deepEqual(
            summarize(response),
            [`400 invalid_document ${at}`],
            JSON.stringify(part),
          )
        }
        for (const { at, format } of operations) {
          const response = await replace(format(part))
          const refused = [`400 invalid_document /atomic:operations/0${at}`]
          assert.deepEqual(summarize(response), refused, JSON.stringify(part))
        }
      }
      assert.equal(await countBooks(), 4)
    })

    it('has the other pages in its meta where the query is too long for links', async () => {
      const pages = async (page: object) => {
        const query = { filter: [{ name: 'id', op: 'in_', val: manyIds }], page }
        const documents = await readLong(query, 9)
        return documents.map(({ data, meta }) => [
          [data].flat().map((each) => Object(each).id),
          meta,
        ])
      }
      assert.deepEqual(await pages({ size: 3 }), [
        [['1', '2', '3'], { page: { first: 1, prev: null, next: 2, last: 2 }, filtered: true }],
        [['4'], { page: { first: 1, prev: 1, next: null, last: 2 }, filtered: true }],
      ])
      const byCursor = await pages({ size: 3, total: 'none' })
      assert.deepEqual(
        byCursor.map(([found]) => found),
        [['1', '2', '3'], ['4']],
      )
    })

    it('may be added and removed, and replaces them if it is sent alone', async () => {
      const part = await read('page[size]=1')
      assert.equal((await app.send('POST', path, part)).status, 200)
      assert.equal((await app.send('DELETE', path, part)).status, 200)
      assert.equal(await countBooks(), 3)
      assert.equal((await app.send('PATCH', path, { data: part.data })).status, 200)
      assert.equal(await countBooks(), 1)
    })

    it('is not what has all members, which may be sent back and edited', async () => {
      for (const whole of [await read(), await read('page[size]=4'), await readIncluded('')]) {
        const { data, links, meta } = whole
        for (const { method, to, format } of doors)
          assert.equal((await app.send(method, to, format({ data, links, meta }))).status, 200)
        for (const { format } of operations)
          assert.equal((await replace(format({ data, links, meta }))).status, 200)
      }
      assert.equal(await countBooks(), 4)
      const { data, ...rest } = await read()
      const edited = { ...rest, data: [data].flat().slice(1) }
      assert.equal((await app.send('PATCH', path, edited)).status, 200)
      assert.equal(await countBooks(), 3)
    })
  },
)
