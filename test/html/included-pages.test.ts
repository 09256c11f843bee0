import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createHandler, defineModel, resource, toMany } from 'lapidary'
import { createPages } from 'lapidary/html'
import { openSqlite } from 'lapidary/sqlite'
import { databases } from '../databases.ts'
import { filled } from '../filled.ts'

const shelf = resource('shelf', {
  path: '/shelves',
  table: 'shelf',
  fields: { books: toMany('book', { column: 'shelf_id', count: true, include: { size: 2 } }) },
})
const book = resource('book', { path: '/books', table: 'book', fields: {} })

it('given a page of included members, then a page for browsers has a link to the others', async (test) => {
  const [database] = databases
  assert.ok(database)
  const url = await filled(
    test,
    database,
    `create table shelf (id integer primary key); create table book (id integer primary key, shelf_id integer);
     insert into shelf values (1), (2); insert into book (shelf_id) values (1), (1), (1), (2)`,
  )
  const model = defineModel([shelf, book])
  const store = openSqlite(model, url.slice('sqlite:'.length))
  test.after(() => store.close())
  const handle = createHandler({ model, store, html: createPages() })
  const get = async (path: string) => {
    const headers = { accept: 'text/html' }
    const response = await handle(new Request(`http://localhost${path}`, { headers }))
    assert.equal(response.status, 200)
    return response.text()
  }
  const next = (id: number) =>
    `href="/shelves/${id}/relationships/books?page%5Bsize%5D=2&amp;page%5Bnumber%5D=2"`
  for (const path of ['/shelves', '/shelves/1']) {
    const counted = await get(`${path}?include=books&withCount=books`)
    assert.ok(counted.includes(`<a ${next(1)}>2 of 3</a>`), counted)
    assert.ok(!counted.includes(next(2)))
    const uncounted = await get(`${path}?include=books`)
    assert.ok(uncounted.includes(`<a ${next(1)}>more</a>`), uncounted)
  }
  const rest = await get('/shelves/1/relationships/books?page[size]=2&page[number]=2')
  assert.match(rest, /Page 2 of 2/)
  assert.match(rest, /<a href="[^"]*page%5Bnumber%5D=1" rel="prev">/)
})
