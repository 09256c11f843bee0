import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  attribute,
  createHandler,
  defineModel,
  enumeration,
  integer64,
  resource,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { createClient } from 'lapidary/client'
import { createPages } from 'lapidary/html'
import { openSqlite } from 'lapidary/sqlite'

const item = resource('item', {
  path: '/items',
  table: 'item',
  fields: {
    name: attribute(text, { required: true }),
    secret: attribute(text, { access: 'write-only' }),
    total: attribute(integer64()),
    parts: toMany('item', { column: 'parent_id', count: true }),
    parent: toOne('item', { column: 'parent_id' }),
  },
})
const model = defineModel([item], { pageSize: 10 })

describe('What the pages of lists and resources say', () => {
  const store = openSqlite(model, ':memory:')
  const handle = createHandler({ model, store, html: createPages() })
  const read = async (path: string, status = 200) => {
    const headers = { accept: 'text/html' }
    const response = await handle(new Request(new URL(path, 'http://x'), { headers }))
    assert.equal(response.status, status, path)
    return (await response.text()).replaceAll('&quot;', '"')
  }

  before(() =>
    store.migrate([
      {
        version: 1,
        sql: `create table item (id integer primary key, name text not null, secret text, total integer, parent_id integer references item (id));
          create index item_parent_id on item (parent_id);
          insert into item (name, total, parent_id) values ('A', 9007199254740993, null), ('B', null, 1), ('C', null, 1)`,
      },
    ]),
  )
  after(() => store.close())

  it('given withCount, when a list and a resource are opened, then they have the numbers', async () => {
    const list = await read('/items?withCount=parts')
    assert.match(list, /<a href="\/items\/1\/parts"><bdi>parts<\/bdi> \(2\)<\/a>/)
    assert.match(list, /<bdi>Count<\/bdi><\/legend><label><input [^>]*value="parts" checked/)
    const one = await read('/items/1?withCount=parts')
    assert.match(one, /<a href="\/items\/1\/parts">related resources \(2\)<\/a>/)
    const plain = await read('/items')
    assert.match(plain, /<bdi>Count<\/bdi><\/legend><label><input [^>]*value="parts"\/>/)
    assert.doesNotMatch(plain, /\(2\)/)
  })

  it('given withCount and a large number, when the call of the client runs, then it requests both', async () => {
    const filter = '[{"name":"total","op":"eq","val":9007199254740993}]'
    const page = await read(`/items?withCount=parts&filter=${encodeURIComponent(filter)}`)
    const [, call = ''] = /<bdi>(await client[^<]*)<\/bdi>/.exec(page) ?? []
    const client = createClient({
      url: 'http://x',
      fetch: (url, init) => handle(new Request(url, init)),
    })
    const run = new Function('client', `return (async () => ${call})()`)
    const { data } = await run(client)
    assert.deepEqual(
      data.map(({ id, 'parts.count': count }: Record<string, unknown>) => [id, count]),
      [['1', 2]],
    )
  })

  it('given a relationship without a resource, when it is included, then the page separates null and the links', async () => {
    assert.match(
      await read('/items/1?include=parent'),
      /<div><span class="null">null<\/span><\/div><a href="\/items\/1\/parent">related resource</,
    )
  })

  it('given a list without resources, when it is opened, then the page says why', async () => {
    assert.match(await read('/items?filter[name]=Z'), /No resource matches the filter\./)
    assert.match(await read('/items?page[number]=9'), /This page has no resources\..*Page 9 of/s)
    const none = await read('/items/2/parts')
    assert.match(none, /There are no resources\./)
    assert.doesNotMatch(none, /<table>/)
  })

  it('given a fieldset, when a resource is opened, then its form has no empty input for what is left out', async () => {
    const page = await read('/items/1?fields[item]=name')
    assert.match(page, /data-pointer="\/data\/attributes\/name"/)
    assert.match(page, /data-pointer="\/data\/attributes\/secret"/)
    assert.doesNotMatch(page, /data-pointer="\/data\/attributes\/total"/)
  })

  it('given a filter that is not valid, when its page is opened, then it has no form for it, and a link leads to the list', async () => {
    const page = await read('/items?filter[nam]=A&sort=name', 400)
    assert.match(page, /did you mean/)
    assert.doesNotMatch(page, /filter%5Bnam%5D[^"]*" aria-label/)
    const [, path = ''] = /<a href="([^"]*)" aria-current="page">/.exec(page) ?? []
    assert.match(await read(path), /<small>3 resources<\/small>/)
  })

  it('given more than 999 resources, when a list is opened, then their number is easy to read', async (test) => {
    const large = openSqlite(model, ':memory:')
    test.after(() => large.close())
    await large.migrate([
      {
        version: 1,
        sql: `create table item (id integer primary key, name text not null, secret text, total integer, parent_id integer);
          insert into item (name) with recursive number (n) as (select 1 union all select n + 1 from number where n < 1234) select n from number`,
      },
    ])
    const handleLarge = createHandler({ model, store: large, html: createPages() })
    const headers = { accept: 'text/html' }
    const response = await handleLarge(new Request('http://x/items', { headers }))
    assert.match(await response.text(), /<small>1,234 resources<\/small>/)
  })

  it('given an identity without resource types, when it opens the landing page, then the page says so', async () => {
    const secret = defineModel([{ ...item, access: { read: false } }], {
      access: 'deny by default',
    })
    const secretStore = openSqlite(secret, ':memory:')
    const handleSecret = createHandler({ model: secret, store: secretStore, html: createPages() })
    const response = await handleSecret(
      new Request('http://x/', { headers: { accept: 'text/html' } }),
    )
    const page = await response.text()
    assert.match(page, /There are no resource types that you may use\./)
    assert.doesNotMatch(page, /<table>/)
    await secretStore.close()
  })
})

const shelf = resource('shelf', {
  path: '/shelves',
  table: 'shelf',
  fields: { books: toMany('book', { column: 'shelf_id' }) },
})
const book = resource('book', {
  path: '/books',
  table: 'book',
  fields: {
    state: attribute(enumeration(['new', 'used']), { nullable: false }),
    word: attribute(text, { nullable: false }),
    shelf: toOne('shelf', { column: 'shelf_id', required: true }),
    other: toOne('shelf', { column: 'other_id' }),
  },
})

describe('The forms of fields that are never null', () => {
  const shelves = defineModel([shelf, book])
  const store = openSqlite(shelves, ':memory:')
  const handle = createHandler({ model: shelves, store, html: createPages() })
  const read = async (path: string) => {
    const headers = { accept: 'text/html' }
    const response = await handle(new Request(new URL(path, 'http://x'), { headers }))
    return await response.text()
  }
  /** The HTML of the input of a field. */
  const input = (html: string, name: string) =>
    new RegExp(`<(?:input|select|textarea)[^>]* name="${name}"[^>]*>(?:<option.*?</select>)?`, 's')
      .exec(html)
      ?.at(0)

  before(() =>
    store.migrate([
      {
        version: 1,
        sql: `create table shelf (id integer primary key);
          create table book (id integer primary key, state text not null default 'new', word text not null default '',
            shelf_id integer not null references shelf (id), other_id integer references shelf (id));
          insert into shelf values (1); insert into book (shelf_id) values (1)`,
      },
    ]),
  )
  after(() => store.close())

  it('a create requires the relationship, but not at the address that links it, and may omit a value with a default', async () => {
    const create = await read('/books')
    assert.match(input(create, 'shelf') ?? '', / required/)
    assert.match(create, /shelf \(id of shelf, required\)/)
    assert.doesNotMatch(input(create, 'other') ?? '', / required/)
    assert.match(input(create, 'state') ?? '', /<option value selected/)
    assert.doesNotMatch(input(await read('/shelves/1/books'), 'shelf') ?? ' required', / required/)
  })

  it('an update has no empty choice, and no box for null', async () => {
    const update = await read('/books/1')
    assert.match(input(update, 'shelf') ?? '', / required/)
    assert.doesNotMatch(input(update, 'state') ?? '<option value>', /<option value[ >]/)
    assert.match(input(update, 'word') ?? '', / required/)
    assert.doesNotMatch(update, /data-null="word"/)
  })

  it('the page of a linkage has no button that removes what must be linked', async () => {
    for (const path of ['/books/1/relationships/shelf', '/shelves/1/relationships/books']) {
      const page = await read(path)
      assert.match(page, /class="members"/)
      assert.doesNotMatch(page, />Remove</)
    }
  })
})
