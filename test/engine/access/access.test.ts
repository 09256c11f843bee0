import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  attribute,
  boolean,
  bytes,
  datetime,
  defineModel,
  integer,
  json,
  number,
  resource,
  sql,
  text,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'

const shop = resource('shop', {
  path: '/shops',
  table: 'shop',
  fields: {
    name: attribute(text),
    sales: toMany('sale', { column: 'shop_id', access: 'read-only' }),
    report: toOne('report', { column: 'id', foreignKey: 'other', access: 'read-only' }),
    guests: toMany('shop', {
      ...{ access: 'read-only', through: { table: 'visit', from: 'host', to: 'guest' } },
    }),
  },
})
const sale = resource('sale', {
  path: '/sales',
  table: 'sale',
  fields: {
    amount: attribute(integer),
    shop: toOne('shop', { column: 'shop_id', access: 'read-only' }),
    clerk: toOne('clerk', { column: 'clerk_id' }),
  },
})
const clerk = resource('clerk', {
  path: '/clerks',
  table: 'clerk',
  fields: {
    name: attribute(text),
    sales: toMany('sale', { column: 'clerk_id' }),
    reports: toMany('report', { column: 'clerk_id', access: 'read-only' }),
  },
})
/** A view, which is not writable. */
const report = resource('report', {
  path: '/reports',
  table: 'report',
  access: 'read-only',
  fields: {
    total: attribute(integer),
    shop: toOne('shop', { column: 'id' }),
    clerk: toOne('clerk', { column: 'clerk_id' }),
  },
})

const shops = {
  model: defineModel([shop, sale, clerk, report]),
  tables: ({ newId }: ColumnTypes) => `
    create table shop (id ${newId}, name text);
    create table clerk (id ${newId}, name text);
    create table sale (id ${newId}, amount integer, shop_id integer references shop (id),
      clerk_id integer references clerk (id));
    create table visit (host integer, guest integer);
    create view report as select shop_id as id, sum(amount) as total, min(clerk_id) as clerk_id from sale group by shop_id;
    insert into shop values (1, 's1'), (2, 's2');
    insert into clerk values (1, 'c1'), (2, 'c2');
    insert into sale values (1, 10, 1, 1), (2, 20, 1, 1), (3, 5, 2, 2);
    insert into visit values (1, 2)`,
}

const one = (type: string, id = '1') => ({ type, id })

engine('Read-only types and relationships', shops, (app) => {
  it('a type over a view is read, filtered, sorted, included and linked to', async () => {
    const list = await app.get('/reports', { sort: '-total', include: 'shop,clerk' })
    assert.deepEqual(
      list.many.map(({ id, attributes }) => [id, attributes?.total]),
      [
        ['1', 30],
        ['2', 5],
      ],
    )
    assert.equal(list.body.included?.length, 4)
    assert.deepEqual(ids(await app.get('/reports', { 'filter[shop__name]': 's2' })), ['2'])
    assert.deepEqual(ids(await app.get('/clerks/2/reports')), ['2'])
    assert.equal((await app.get('/shops/1/report')).one.attributes?.total, 30)
    const { one: returned } = await app.get('/shops/2', { include: 'report' })
    assert.deepEqual(returned.relationships?.report?.data, one('report', '2'))
    const byTotal = await app.get('/shops', { sort: '-report.total' })
    assert.deepEqual(ids(byTotal), ['1', '2'])
    assert.equal((await app.get('/reports/3')).status, 404)
  })

  const data = { type: 'report', id: '1', attributes: { total: 0 } }

  for (const [method, path, body] of [
    ['POST', '/reports', { data }],
    ['PATCH', '/reports/1', { data }],
    ['DELETE', '/reports/1', undefined],
    ['PATCH', '/reports/1/relationships/shop', { data: one('shop', '2') }],
    ['POST', '/reports/1/relationships/shop', { data: one('shop', '2') }],
    ['DELETE', '/reports/1/relationships/shop', { data: one('shop', '1') }],
    ['POST', '/clerks/1/reports', { data }],
  ] as const)
    it(`${method} ${path}, a write to a read-only type, is 403`, async () => {
      const response = await app.call(method, path, { body })
      assert.deepEqual(
        [response.status, response.error.code],
        [403, 'read_only'],
        `${method} ${path}`,
      )
    })

  it('a read-only type allows only methods that read', async () => {
    assert.equal((await app.call('PUT', '/reports/1', { body: { data } })).status, 405)
    const { headers } = await app.call('OPTIONS', '/reports/1')
    assert.deepEqual(headers.allow?.split(', ').sort(), ['GET', 'HEAD', 'OPTIONS'])
  })

  it('a read-only relationship is readable; a write to it is 403, even if its inverse is writable', async () => {
    assert.deepEqual(ids(await app.get('/shops/1/sales')), ['1', '2'])
    assert.deepEqual(ids(await app.get('/shops/1/relationships/guests')), ['2'])
    assert.deepEqual(ids(await app.get('/sales', { 'filter[shop__name]': 's1' })), ['1', '2'])
    const sent = { data: { type: 'sale', attributes: { amount: 1 } } }
    for (const [method, path, body] of [
      ...['POST', 'PATCH', 'DELETE'].flatMap((method) => [
        [method, '/shops/1/relationships/sales', { data: [one('sale', '3')] }] as const,
        [method, '/shops/1/relationships/guests', { data: [] }] as const,
        [method, '/sales/1/relationships/shop', { data: one('shop', '2') }] as const,
      ]),
      ['POST', '/shops/1/sales', sent] as const,
      ['POST', '/shops/1/guests', { data: { type: 'shop' } }] as const,
    ]) {
      const response = await app.call(method, path, { body })
      assert.deepEqual(
        [response.status, response.error.code],
        [403, 'read_only'],
        `${method} ${path}`,
      )
    }
    assert.equal((await app.get('/sales')).body.meta?.count, 3)
  })

  it('a read-only relationship in the body of a resource is ignored', async () => {
    const relationships = { shop: { data: one('shop', '2') }, clerk: { data: one('clerk', '2') } }
    const data = { type: 'sale', id: '1', attributes: { amount: 11 }, relationships }
    const changed = await app.patch('/sales/1', { data })
    assert.equal(changed.status, 200, changed.text)
    assert.equal((await app.get('/sales/1/shop')).one.id, '1')
    assert.equal((await app.get('/sales/1/clerk')).one.id, '2')
    const made = await app.post('/sales', { data: { type: 'sale', relationships } })
    assert.equal((await app.get(`/sales/${made.one.id}/shop`)).body.data, null)
    const many = { sales: { data: [] }, guests: { data: [one('shop', '9')] } }
    await app.patch('/shops/1', { data: { ...one('shop'), relationships: many } })
    assert.deepEqual(ids(await app.get('/shops/1/sales')), ['1', '2'])
    assert.deepEqual(ids(await app.get('/shops/1/guests')), ['2'])
  })

  it('an unknown relationship next to a read-only one is rejected', async () => {
    const relationships = { shops: { data: null } }
    const response = await app.patch('/sales/1', { data: { ...one('sale'), relationships } })
    assert.deepEqual([response.status, response.error.code], [422, 'unknown_field'])
  })
})

let made = 0

const account = resource('account', {
  path: '/accounts',
  table: 'account',
  fields: {
    email: attribute(text, { required: true, access: 'immutable' }),
    invited: attribute(datetime, { access: 'immutable' }),
    secret: attribute(text, { access: 'write-only', required: true }),
    status: attribute(text, { default: 'new' }),
    rank: attribute(integer, { default: () => (made += 1) }),
    token: attribute(uuid, {
      access: 'read-only',
      default: '0000000A-0000-4000-8000-000000000001',
    }),
    joined: attribute(datetime, { default: '2024-02-29T12:00:00+02:00' }),
    options: attribute(json, { default: () => ({ a: [1] }) }),
    role: attribute(text, { required: true, default: 'guest' }),
    stamp: attribute(text, { access: 'read-only' }),
    mark: attribute(text),
    wrong: attribute(datetime, { default: () => (made < 0 ? 'never' : '2024-01-01T00:00:00Z') }),
  },
})
const accounts = {
  model: defineModel([account]),
  tables: ({ newId, datetime, uuid, json }: ColumnTypes) => `
    create table account (id ${newId}, email text not null, invited ${datetime}, secret text not null,
      status text, rank integer, token ${uuid}, joined ${datetime}, options ${json}, role text not null,
      stamp text default 'by the table', mark text default 'by the table', wrong ${datetime})`,
}

engine('Immutable, write-only and default attributes', accounts, (app) => {
  const create = (attributes: object = {}) =>
    app.post('/accounts', {
      data: { type: 'account', attributes: { email: 'a@b', secret: 's', ...attributes } },
    })
  const update = (attributes: object) =>
    app.patch('/accounts/1', { data: { ...one('account'), attributes } })

  it('immutable: a create sets it, an update may repeat it, no update changes it', async () => {
    await create({ invited: '2024-01-01T00:00:00.500+01:00' })
    for (const [attributes, status] of [
      [{ email: 'a@b' }, 200],
      [{ email: 'a@b', invited: '2023-12-31T23:00:00.5Z', status: 'old' }, 200],
      [{ email: 'A@b' }, 422],
      [{ invited: null }, 422],
      [{ invited: '2024-01-01T00:00:00Z', status: 'lost' }, 422],
    ] as const) {
      const response = await update(attributes)
      assert.equal(response.status, status, response.text)
      if (status === 422) {
        const [name] = Object.keys(attributes)
        assert.deepEqual(response.error.source, { pointer: `/data/attributes/${name}` })
      }
    }
    const { attributes } = (await app.get('/accounts/1')).one
    assert.deepEqual([attributes?.email, attributes?.status], ['a@b', 'old'])
    assert.equal(attributes?.invited, '2023-12-31T23:00:00.5Z')
    const complete = (await app.get('/accounts/1')).one
    assert.equal((await app.patch('/accounts/1', { data: complete })).status, 200)
  })

  it('immutable and omitted in a create: it stays null', async () => {
    await create()
    assert.equal((await update({ invited: null })).status, 200)
    assert.equal((await update({ invited: '2024-01-01T00:00:00Z' })).status, 422)
  })

  it('all errors of a body are reported together', async () => {
    await create()
    const response = await update({ email: 'x', role: null, rank: 'none', token: 5, nobody: 1 })
    assert.equal(response.status, 422)
    assert.deepEqual(
      response.body.errors?.map(({ source }) => source?.pointer?.split('/').at(-1)).sort(),
      ['email', 'nobody', 'rank', 'role'],
    )
  })

  it('write-only: accepted, never returned', async () => {
    const response = await create({ secret: 'hush' })
    assert.ok(!response.text.includes('hush'))
    assert.equal((await update({ secret: 'other' })).status, 200)
    assert.equal((await update({ secret: null })).status, 422)
    for (const query of [{}, { 'fields[account]': 'secret' }])
      assert.ok(!(await app.get('/accounts', query)).text.includes('other'))
    const bare = await app.post('/accounts', {
      data: { type: 'account', attributes: { email: 'x' } },
    })
    assert.deepEqual(bare.error.source, { pointer: '/data/attributes/secret' })
  })

  it('a create without a value stores the default: a constant, a function or that of the column', async () => {
    const before = made
    const { attributes } = (await create()).one
    assert.deepEqual(
      { ...attributes, rank: undefined },
      {
        ...{ email: 'a@b', invited: null, status: 'new', rank: undefined },
        ...{ token: '0000000a-0000-4000-8000-000000000001', joined: '2024-02-29T10:00:00Z' },
        ...{ options: { a: [1] }, role: 'guest', stamp: 'by the table', mark: 'by the table' },
        wrong: '2024-01-01T00:00:00Z',
      },
    )
    assert.equal(attributes?.rank, before + 1)
    assert.equal((await create()).one.attributes?.rank, before + 2)
    assert.equal(
      (await app.get('/accounts', { 'filter[token]': String(attributes?.token) })).many.length,
      2,
    )
  })

  it('a sent value replaces the default; null too, unless the attribute is required', async () => {
    const sent = { status: null, rank: 99, role: 'admin', mark: null, joined: null, options: null }
    const response = await create({
      ...sent,
      token: '0000000b-0000-4000-8000-000000000001',
      stamp: 'mine',
    })
    assert.equal(response.status, 201, response.text)
    const { attributes } = response.one
    for (const [name, value] of Object.entries(sent)) assert.equal(attributes?.[name], value, name)
    assert.equal(attributes?.token, '0000000a-0000-4000-8000-000000000001')
    assert.equal(attributes?.stamp, 'by the table')
    const rejected = await create({ role: null })
    assert.deepEqual(rejected.error.source, { pointer: '/data/attributes/role' })
  })

  it('an update applies no defaults', async () => {
    await create({ status: null, rank: 99 })
    const { attributes } = (await update({ mark: 'changed' })).one
    assert.deepEqual([attributes?.status, attributes?.rank], [null, 99])
  })

  it('a default function that returns an invalid value is a 500, and nothing is stored', async () => {
    const before = made
    made = -9
    const response = await create()
    made = before
    assert.deepEqual([response.status, response.error.code], [500, 'internal_error'])
    assert.equal((await app.get('/accounts')).body.meta?.count, 0)
  })
})

const stamped = resource('stamped', {
  ...{ path: '/stamped', table: 'stamped', scope: (column) => sql`${column('kind')} = ${'a'}` },
  insertDefaults: {
    kind: 'a',
    size: 5n,
    weight: 1.5,
    is_new: true,
    mark: new Uint8Array([1, 2]),
    empty: null,
  },
  fields: {
    size: attribute(integer, { access: 'read-only' }),
    weight: attribute(number, { access: 'read-only' }),
    is_new: attribute(boolean, { access: 'read-only' }),
    mark: attribute(bytes, { access: 'read-only' }),
    empty: attribute(text, { access: 'read-only' }),
  },
})

engine(
  'Insert defaults',
  {
    model: defineModel([stamped]),
    tables: ({ newId, boolean, bytes, number }: ColumnTypes) => `
      create table stamped (id ${newId}, kind text not null, size integer not null, weight ${number} not null,
        is_new ${boolean} not null, mark ${bytes} not null, empty text default 'x')`,
  },
  (app) => {
    it('are stored by each create, returned like any other value, and cannot be sent', async () => {
      const attributes = { size: 7, is_new: false, empty: 'y' }
      const response = await app.post('/stamped', { data: { type: 'stamped', attributes } })
      assert.equal(response.status, 201, response.text)
      const stored = { size: 5, weight: 1.5, is_new: true, mark: 'AQI=', empty: null }
      assert.deepEqual(response.one.attributes, stored)
      assert.deepEqual(ids(await app.get('/stamped')), ['1'])
    })
  },
)
