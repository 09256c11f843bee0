import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  attribute,
  createApi,
  defineModel,
  integer,
  number,
  resource,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { statementsOf } from '../../service/statements.ts'
import type { Resource, TestResponse } from '../../test-response.ts'
import { engine, openStore } from '../engine.ts'

const through = { table: 'order_detail', from: 'order_id', to: 'product_id' }

const order = resource('order', {
  path: '/orders',
  table: 'order',
  fields: {
    customer: attribute(text),
    details: toMany('order-detail', { column: 'order_id', access: 'read-only' }),
    products: toMany('product', { through, access: 'read-only' }),
  },
})
const product = resource('product', {
  path: '/products',
  table: 'product',
  fields: {
    name: attribute(text),
    details: toMany('order-detail', { column: 'product_id', access: 'read-only' }),
  },
})
const detail = resource('order-detail', {
  path: '/order-details',
  table: 'order_detail',
  id: ['order_id', 'product_id'],
  fields: {
    price: attribute(number, { required: true }),
    quantity: attribute(integer),
    order: toOne('order', { column: 'order_id' }),
    product: toOne('product', { column: 'product_id' }),
    notes: toMany('note', { column: ['order_id', 'product_id'] }),
  },
})
/** References a composite id, in the other order. */
const note = resource('note', {
  path: '/notes',
  table: 'note',
  fields: {
    text: attribute(text),
    detail: toOne('order-detail', {
      column: ['product_id', 'order_id'],
      references: ['product_id', 'order_id'],
    }),
  },
})
/** A name within a country: the parts are given by the client. */
const city = resource('city', {
  path: '/cities',
  table: 'city',
  id: { column: ['country', 'name'], kind: text, client: 'required' },
  fields: {
    country: attribute(text, { required: true }),
    people: attribute(integer),
    twin: toOne('city', { column: ['country', 'twin'], references: ['country', 'name'] }),
  },
})

/** Its columns are not declared as not null: SQLite would store a null in them. */
const bond = resource('bond', {
  path: '/bonds',
  table: 'bond',
  id: ['order_id', 'other_id'],
  fields: {
    order: toOne('order', { column: 'order_id' }),
    other: toOne('order', { column: 'other_id' }),
  },
})

const served = {
  model: defineModel([order, product, detail, note, city, bond], { maxPageSize: null }),
  tables: ({ newId, id }: ColumnTypes) => `
    create table "order" (id ${newId}, customer text);
    create table product (id ${newId}, name text);
    create table order_detail (order_id ${id} not null references "order" (id),
      product_id ${id} not null references product (id), price double precision not null, quantity integer,
      primary key (order_id, product_id));
    create index order_detail_product on order_detail (product_id);
    create table note (id ${newId}, text text, order_id ${id}, product_id ${id},
      foreign key (order_id, product_id) references order_detail (order_id, product_id));
    create index note_detail on note (order_id, product_id);
    create table city (country text not null, name text not null, people integer, twin text, primary key (country, name),
      foreign key (country, twin) references city (country, name));
    create table bond (order_id ${id}, other_id ${id}, primary key (order_id, other_id));
    insert into "order" (customer) values ('Ada'), ('Bob'), ('Cid');
    insert into product (name) values ('pen'), ('ink'), ('cap');
    insert into order_detail values (1, 1, 1.5, 10), (1, 3, 2, 20), (2, 2, 3, 30);
    insert into note (text, order_id, product_id) values ('a', 1, 1), ('b', 1, 1), ('c', 2, 2), ('d', null, 1);
    insert into city values ('', '', 1, null), ('a,b', '~/.', 2, null), ('a', 'b,~', 3, null), ('é', '%2C', 4, null)`,
}

const identify = (type: string, id: string) => ({ type, id })
const ids = ({ many }: TestResponse) => many.map(({ id }) => id)
const linkage = (resource: Resource | undefined, name: string) =>
  resource?.relationships?.[name]?.data
const statusAndErrors = ({ status, body }: TestResponse) => [
  status,
  body.errors?.map(({ code, source }) => [code, source?.pointer ?? source?.parameter]),
]

engine('Composite ids', served, (app) => {
  it('returns a resource by its id, with its links', async () => {
    const { status, one } = await app.get('/order-details/1,3')
    assert.equal(status, 200)
    assert.equal(one.id, '1,3')
    assert.deepEqual(one.attributes, { price: 2, quantity: 20 })
    assert.equal(one.links?.self, '/order-details/1%2C3')
    assert.equal((await app.get('/order-details/1,3')).one.id, '1,3')
  })

  it('rejects ids that no row can have', async () => {
    for (const id of ['1', '1,3,', '1,3,1', ',', '01,3', '1,+3', 'a,b', '1~13', '1;3', '~', '1,~2'])
      assert.deepEqual(statusAndErrors(await app.get(`/order-details/${id}`)), [
        404,
        [['not_found', 'id']],
      ])
    assert.equal((await app.get('/order-details/3,3')).status, 404)
  })

  it('returns texts with any character as parts', async () => {
    const expected = [',', 'a,b~1~0', 'a~1b,~0/.', 'é,%2C']
    const cities = await app.get('/cities')
    assert.deepEqual(ids(cities), expected)
    for (const { id, links } of cities.many) {
      assert.ok(links?.self)
      assert.equal((await app.get(links.self)).one.id, id)
      assert.equal((await app.get(`/cities/${encodeURIComponent(id)}`)).one.id, id)
      assert.deepEqual(ids(await app.get('/cities', { 'filter[id]': id })), [id])
    }
  })

  it('sorts by all columns, and pages in this order', async () => {
    const all = ['1,1', '1,3', '2,2']
    assert.deepEqual(ids(await app.get('/order-details')), all)
    assert.deepEqual(ids(await app.get('/order-details', { sort: '-id' })), all.toReversed())
    const pages = [1, 2, 3].map((number) =>
      app.get('/order-details', { 'page[size]': 1, 'page[number]': number }),
    )
    assert.deepEqual((await Promise.all(pages)).flatMap(ids), all)
    const byDetail = await app.get('/notes', { sort: 'detail.id,-id' })
    assert.deepEqual(ids(byDetail), ['2', '1', '3', '4'])
    assert.deepEqual(ids(await app.get('/notes', { sort: '-detail.id' })), ['4', '3', '1', '2'])
  })

  it('filters by the id', async () => {
    const found = async (op: string, val: unknown) =>
      ids(await app.get('/order-details', { filter: [{ name: 'id', op, val }] }))
    assert.deepEqual(await found('eq', '1,3'), ['1,3'])
    assert.deepEqual(await found('ne', '1,3'), ['1,1', '2,2'])
    assert.deepEqual(await found('is_', '1,3'), ['1,3'])
    assert.deepEqual(await found('isnot', '1,3'), ['1,1', '2,2'])
    assert.deepEqual(await found('in_', ['1,3', '9,9', '2,2']), ['1,3', '2,2'])
    assert.deepEqual(await found('notin_', ['1,3', '9,9', '2,2']), ['1,1'])
    assert.deepEqual(await found('in_', []), [])
    assert.deepEqual(await found('gt', '1,1'), ['1,3', '2,2'])
    assert.deepEqual(await found('ge', '1,3'), ['1,3', '2,2'])
    assert.deepEqual(await found('lt', '2,0'), ['1,1', '1,3'])
    assert.deepEqual(await found('le', '1,1'), ['1,1'])
    assert.deepEqual(await found('between', ['1,2', '2,2']), ['1,3', '2,2'])
    assert.deepEqual(await found('eq', null), [])
    assert.deepEqual(await found('ne', null), ['1,1', '1,3', '2,2'])
    const same = await app.get('/order-details', {
      filter: [{ name: 'id', op: 'eq', field: 'id' }],
    })
    assert.equal(same.many.length, 3)
    const negated = [{ not: { name: 'id', op: 'in_', val: ['1,3'] } }]
    assert.deepEqual(ids(await app.get('/order-details', { filter: negated })), ['1,1', '2,2'])
  })

  it('rejects filters that are not defined for it', async () => {
    for (const [op, val] of [['like', '1%'], ['startswith', '1'], ['eq', '1'], ['in_', ['1']]]) // biome-ignore format: a table
      assert.deepEqual(
        statusAndErrors(await app.get('/order-details', { filter: [{ name: 'id', op, val }] })),
        [400, [['invalid_filter', 'filter']]],
      )
    const { error } = await app.get('/order-details', { 'filter[id]': '1' })
    assert.match(error.detail, /the values of order_id, product_id joined by commas/)
    const other = [{ name: 'id', op: 'eq', field: 'quantity' }]
    assert.equal((await app.get('/order-details', { filter: other })).status, 400)
  })

  it('filters over relationships in both directions', async () => {
    const found = async (path: string, filter: unknown) => ids(await app.get(path, { filter }))
    const isDetail = { name: 'detail__id', op: 'eq', val: '1,1' }
    assert.deepEqual(await found('/notes', [isDetail]), ['1', '2'])
    assert.deepEqual(await found('/notes', [{ not: isDetail }]), ['3', '4'])
    assert.deepEqual(await found('/notes', [{ name: 'detail', op: 'eq', val: null }]), ['4'])
    const hasNote = { name: 'notes__text', op: 'in_', val: ['b', 'd'] }
    assert.deepEqual(await found('/order-details', [hasNote]), ['1,1'])
    assert.deepEqual(await found('/order-details', [{ not: hasNote }]), ['1,3', '2,2'])
    assert.deepEqual(await found('/orders', [{ name: 'details__notes__text', op: 'eq', val: 'c' }]), ['2']) // biome-ignore format: one line
    const owner = { name: 'detail__order__customer', op: 'eq', val: 'Ada' }
    assert.deepEqual(await found('/notes', [owner]), ['1', '2'])
  })

  it('includes from both sides', async () => {
    const { one, body } = await app.get('/orders/1', { include: 'details.notes,products' })
    assert.deepEqual(linkage(one, 'details'), [
      identify('order-detail', '1,1'),
      identify('order-detail', '1,3'),
    ])
    const included = body.included?.map(({ type, id }) => `${type} ${id}`).sort()
    assert.deepEqual(included, [
      ...['note 1', 'note 2', 'order-detail 1,1', 'order-detail 1,3', 'product 1', 'product 3'],
    ])
    const notes = await app.get('/notes', { include: 'detail.order', 'page[size]': 0 })
    assert.deepEqual(
      notes.many.map((each) => linkage(each, 'detail')),
      [...['1,1', '1,1', '2,2'].map((id) => identify('order-detail', id)), null],
    )
    assert.deepEqual(
      notes.body.included?.map(({ type, id }) => `${type} ${id}`),
      ['order-detail 1,1', 'order-detail 2,2', 'order 1', 'order 2'],
    )
  })

  it('creates a resource whose id consists of its relationships', async () => {
    const created = await app.post('/order-details', {
      data: {
        type: 'order-detail',
        attributes: { price: 7 },
        relationships: {
          order: { data: identify('order', '3') },
          product: { data: identify('product', '2') },
          notes: { data: [identify('note', '4')] },
        },
      },
    })
    assert.equal(created.status, 201)
    assert.equal(created.one.id, '3,2')
    assert.equal(created.headers.location, '/order-details/3%2C2')
    const { body } = await app.get('/order-details/3,2/relationships/notes')
    assert.deepEqual(body.data, [identify('note', '4')])
  })

  it('reports the part of an id that is missing, unknown or already used', async () => {
    const create = async (relationships: Record<string, string | null>) =>
      statusAndErrors(
        await app.post('/order-details', {
          data: {
            type: 'order-detail',
            attributes: { price: 7 },
            relationships: Object.fromEntries(
              Object.entries(relationships).map(([type, id]) => [
                type,
                { data: id === null ? null : identify(type, id) },
              ]),
            ),
          },
        }),
      )
    const pointer = (name: string) => `/data/relationships/${name}`
    assert.deepEqual(await create({ order: '3' }), [422, [['invalid_value', pointer('product')]]])
    assert.deepEqual(await create({ order: null, product: '1' }), [422, [['invalid_value', pointer('order')]]]) // biome-ignore format: one line
    assert.deepEqual(await create({ order: '3', product: '77' }), [404, [['related_not_found', `${pointer('product')}/data`]]]) // biome-ignore format: one line
    assert.deepEqual(await create({ order: '1', product: '1' }), [409, [['constraint_conflict', pointer('order')]]]) // biome-ignore format: one line
    assert.equal((await app.get('/order-details')).many.length, 3)
  })

  it('rejects a resource without a part of its id', async () => {
    const data = { type: 'bond', relationships: { order: { data: identify('order', '1') } } }
    assert.deepEqual(statusAndErrors(await app.post('/bonds', { data })), [
      422,
      [['invalid_value', '/data/relationships/other']],
    ])
    assert.deepEqual(ids(await app.get('/bonds')), [])
  })

  it('creates a resource with the id of the client, with which its fields have to agree', async () => {
    const create = (id: unknown, country: string, twin?: string) =>
      app.post('/cities', {
        data: {
          ...{ type: 'city', id, attributes: { country, people: 5 } },
          ...(twin !== undefined && { relationships: { twin: { data: identify('city', twin) } } }),
        },
      })
    assert.equal((await create('x~0,y', 'x~')).one.id, 'x~0,y')
    assert.equal((await create('x~0,z', 'x~', 'x~0,y')).status, 201)
    assert.deepEqual(linkage((await app.get('/cities/x~0,z?include=twin')).one, 'twin'), identify('city', 'x~0,y')) // biome-ignore format: one line
    assert.deepEqual(statusAndErrors(await create('x~0,y', 'x~')), [
      409,
      [['id_taken', '/data/id']],
    ])
    assert.deepEqual(statusAndErrors(await create('x,y', 'z')), [422, [['invalid_value', '/data/attributes/country']]]) // biome-ignore format: one line
    assert.deepEqual(statusAndErrors(await create('q,y', 'q', 'x~0,y')), [422, [['invalid_value', '/data/relationships/twin']]]) // biome-ignore format: one line
    assert.deepEqual(statusAndErrors(await create('xy', 'x')), [
      422,
      [['invalid_value', '/data/id']],
    ])
    assert.deepEqual(statusAndErrors(await create(undefined, 'x')), [
      422,
      [['missing_value', '/data/id']],
    ])
  })

  it('updates a resource, but not its id', async () => {
    const update = (relationships: object, attributes: object = {}) =>
      app.patch('/order-details/1,3', {
        data: { type: 'order-detail', id: '1,3', attributes, relationships },
      })
    const same = { order: { data: identify('order', '1') } }
    const { status, one } = await update(same, { quantity: 21 })
    assert.equal(status, 200)
    assert.equal(one.attributes?.quantity, 21)
    for (const data of [identify('order', '2'), null])
      assert.deepEqual(statusAndErrors(await update({ order: { data } })), [
        422,
        [['invalid_value', '/data/relationships/order']],
      ])
    const path = '/order-details/1,3/relationships/order'
    assert.equal((await app.patch(path, { data: identify('order', '1') })).status, 200)
    assert.deepEqual(statusAndErrors(await app.patch(path, { data: identify('order', '2') })), [
      422,
      [['invalid_value', '/data']],
    ])
    assert.deepEqual(statusAndErrors(await app.delete(path, { data: identify('order', '1') })), [
      422,
      [['invalid_value', '/data']],
    ])
    assert.equal((await app.delete(path, { data: identify('order', '2') })).status, 200)
    assert.equal((await app.get('/order-details/1,3')).one.id, '1,3')
  })

  it('writes a foreign key that shares a column with the id', async () => {
    const path = '/cities/a,b~1~0'
    await app.execute("insert into city values ('a', 'c', 6, null)")
    const link = (id: string | null) =>
      app.patch(`${path}/relationships/twin`, { data: id === null ? null : identify('city', id) })
    assert.equal((await link('a,c')).status, 200)
    assert.equal((await app.get(`${path}/twin`)).one.id, 'a,c')
    assert.deepEqual(statusAndErrors(await link('é,%2C')), [422, [['invalid_value', '/data']]])
    assert.equal((await link(null)).status, 200)
    const { one } = await app.get(path, { include: 'twin' })
    assert.deepEqual([one.id, linkage(one, 'twin')], ['a,b~1~0', null])
  })

  it('writes relationships to it from both sides', async () => {
    const notes = '/order-details/1,3/relationships/notes'
    assert.equal((await app.post(notes, { data: [identify('note', '3')] })).status, 200)
    assert.deepEqual((await app.get('/notes/3/relationships/detail')).body.data, identify('order-detail', '1,3')) // biome-ignore format: one line
    assert.equal((await app.patch(notes, { data: [identify('note', '4')] })).status, 200)
    assert.deepEqual((await app.get(notes)).body.data, [identify('note', '4')])
    assert.equal((await app.get('/notes/3/detail')).body.data, null)
    const to = '/notes/3/relationships/detail'
    assert.equal((await app.patch(to, { data: identify('order-detail', '2,2') })).status, 200)
    assert.deepEqual(
      statusAndErrors(await app.patch(to, { data: identify('order-detail', '2') })),
      [404, [['related_not_found', '/data']]],
    )
    const created = await app.post('/order-details/1,1/notes', {
      data: { type: 'note', attributes: { text: 'e' } },
    })
    assert.equal(created.status, 201)
    assert.equal((await app.get(`/notes/${created.one.id}/detail`)).one.id, '1,1')
    assert.equal((await app.delete('/order-details/1,3')).status, 409)
  })

  it('deletes a resource', async () => {
    await app.execute('delete from note')
    assert.equal((await app.delete('/order-details/1,3')).status, 200)
    assert.deepEqual(ids(await app.get('/order-details')), ['1,1', '2,2'])
    assert.equal((await app.delete('/order-details/1,3')).status, 404)
  })

  it('is looked up by the columns of the key, with no query per row', async () => {
    const point = await statementsOf(() => app.get('/order-details/1,3'))
    assert.equal(point.length, 1)
    const isFound =
      app.dialect === 'postgres'
        ? '("t0"."order_id", "t0"."product_id") = ($1::bigint, $2::bigint)'
        : 'where ("t0"."order_id", "t0"."product_id") = (?, ?)'
    assert.ok(point[0]?.includes(isFound), String(point[0]))
    const query = { include: 'details.notes,details.product', 'page[size]': 2 }
    const document = await statementsOf(() => app.get('/orders', query))
    // On SQLite the page, the count, three edges, and the linkage of the notes.
    assert.equal(document.length, app.dialect === 'postgres' ? 1 : 6, document.join('\n'))
  })

  it('is accepted as an id by calls in process', async (test) => {
    const store = await openStore(served.model, app.databaseUrl)
    test.after(() => store.close())
    const client = createApi({ model: served.model, store }).with()
    const found = await client.get('order-detail', '1,3', { include: ['notes'] })
    assert.deepEqual(found, { type: 'order-detail', id: '1,3', price: 2, quantity: 20, notes: [] })
    const created = await client.create('order-detail', { price: 1, order: '3', product: '3' })
    assert.equal(created.id, '3,3')
  })
})
