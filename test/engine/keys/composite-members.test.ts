import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, createApi, defineModel, integer, resource, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { ids, type TestResponse } from '../../test-response.ts'
import { engine, openStore } from '../engine.ts'

/** The members that a hook asks for, beside those of the client. */
const byHook: { members: string[] | undefined } = { members: undefined }

/** The orders of a tenant. The tenant is a part of all ids, and of all foreign keys. */
const order = resource('order', {
  path: '/orders',
  table: 'order',
  id: { column: ['tenant', 'number'], kind: [text, integer], client: 'required' },
  fields: {
    note: attribute(text),
    lines: toMany('line', { column: ['tenant', 'order_number'] }),
    last: toOne('line', { column: ['tenant', 'last_of'], foreignKey: 'other' }),
    checks: toMany('check', { column: ['tenant', 'number'], access: 'read-only' }),
  },
  hooks: {
    beforeUpdate: () => (byHook.members ? { checks: byHook.members } : undefined),
  },
})
const line = resource('line', {
  path: '/lines',
  table: 'line',
  id: { column: ['tenant', 'line'], kind: [text, integer], client: 'required' },
  fields: {
    word: attribute(text),
    order: toOne('order', { column: ['tenant', 'order_number'] }),
    origin: toOne('order', { column: ['tenant', 'origin_number'], access: 'immutable' }),
  },
})
/** Its id contains the foreign key. */
const check = resource('check', {
  path: '/checks',
  table: 'check',
  id: { column: ['tenant', 'number', 'part'], kind: [text, integer, integer], client: 'required' },
  fields: { order: toOne('order', { column: ['tenant', 'number'] }) },
})

const served = {
  model: defineModel([order, line, check]),
  tables: (_: ColumnTypes) =>
    `
    create table "order" (tenant text not null, number bigint not null, note text, primary key (tenant, number));
    create table line (tenant text not null, line bigint not null, word text, order_number bigint, last_of bigint, origin_number bigint,
      primary key (tenant, line), unique (tenant, last_of), foreign key (tenant, order_number) references "order" (tenant, number),
      foreign key (tenant, last_of) references "order" (tenant, number));
    create index line_order on line (tenant, order_number);
    create table "check" (tenant text not null, number bigint not null, part bigint not null, primary key (tenant, number, part),
      foreign key (tenant, number) references "order" (tenant, number));
    insert into "order" values ('a', 1, null), ('a', 2, null), ('b', 1, null);
    insert into line (tenant, line, word, order_number, last_of) values ('a', 1, 'x', 1, null), ('a', 2, 'y', 1, 1), ('a', 3, 'z', null, null), ('b', 1, 'w', 1, null);
    insert into "check" values ('a', 1, 7)`.replaceAll('bigint', 'integer'),
}

const identify = (type: string, id: string) => ({ type, id })
const toLines = (...of: readonly string[]) => ({ data: of.map((id) => identify('line', id)) })
const statusAndErrors = ({ status, body }: TestResponse) => [
  status,
  body.errors?.map(({ code, source }) => [code, source?.pointer]),
]

engine('Members whose foreign key shares columns with their ids', served, (app) => {
  const path = '/orders/a,1/relationships/lines'
  const linesOf = async (id: string) => ids(await app.get(`/orders/${id}/lines`)).join(' ')

  it('are added, removed and replaced', async () => {
    assert.equal(await linesOf('a,1'), 'a,1 a,2')
    assert.equal((await app.post(path, toLines('a,3', 'a,1'))).status, 200)
    assert.equal(await linesOf('a,1'), 'a,1 a,2 a,3')
    assert.equal((await app.delete(path, toLines('a,1', 'b,1'))).status, 200)
    assert.equal(await linesOf('a,1'), 'a,2 a,3')
    assert.equal((await app.patch(path, toLines('a,1'))).status, 200)
    assert.equal(await linesOf('a,1'), 'a,1')
    assert.equal(await linesOf('b,1'), 'b,1')
    const moved = await app.post('/orders/a,2/relationships/lines', toLines('a,1'))
    assert.equal(moved.status, 200)
    assert.deepEqual([await linesOf('a,1'), await linesOf('a,2')], ['', 'a,1'])
    assert.equal((await app.get('/lines/a,1')).one.attributes?.word, 'x')
  })

  it('are written with the resource, and with a new one', async () => {
    const relationships = { lines: toLines('a,3'), last: { data: identify('line', 'a,3') } }
    const data = { type: 'order', id: 'a,1', relationships }
    assert.equal((await app.patch('/orders/a,1', { data })).status, 200)
    assert.equal(await linesOf('a,1'), 'a,3')
    assert.equal((await app.get('/orders/a,1/last')).one.id, 'a,3')
    const created = await app.post('/orders', { data: { ...data, id: 'a,9' } })
    assert.equal(created.status, 201, created.text)
    assert.deepEqual([await linesOf('a,1'), await linesOf('a,9')], ['', 'a,3'])
    const empty = { ...data, relationships: { last: { data: null } } }
    assert.equal((await app.patch('/orders/a,9', { data: { ...empty, id: 'a,9' } })).status, 200)
    assert.equal((await app.get('/orders/a,9/last')).body.data, null)
    const line = { type: 'line', id: 'a,8', attributes: { word: 'v' } }
    const related = await app.post('/orders/a,2/lines', { data: line })
    assert.deepEqual([related.status, related.one.id], [201, 'a,8'])
    assert.equal(await linesOf('a,2'), 'a,8')
  })

  it('are errors where their ids would have to change', async () => {
    const rejected = await app.post(path, toLines('a,3', 'b,1'))
    assert.deepEqual(statusAndErrors(rejected), [422, [['invalid_value', '/data/1']]])
    assert.equal(
      rejected.error.detail,
      'line "b,1" cannot be a member of "lines" of "a,1": "tenant" is a part of its id, which cannot change, and has another value.',
    )
    const relationships = { lines: toLines('b,1'), last: { data: identify('line', 'b,1') } }
    for (const id of ['a,1', 'a,77']) {
      const data = { type: 'order', id, relationships }
      const written =
        id === 'a,1' ? app.patch('/orders/a,1', { data }) : app.post('/orders', { data })
      assert.deepEqual(statusAndErrors(await written), [
        422,
        [
          ['invalid_value', '/data/relationships/lines/data/0'],
          ['invalid_value', '/data/relationships/last/data'],
        ],
      ])
    }
    const other = { type: 'line', id: 'b,9' }
    assert.equal((await app.post('/orders/a,1/lines', { data: other })).status, 422)
    assert.deepEqual([await linesOf('a,1'), await linesOf('b,1')], ['a,1 a,2', 'b,1'])
  })

  it('cannot be given to another resource by an immutable relationship', async () => {
    const send = (origin: string) => {
      const relationships = { origin: { data: identify('order', origin) } }
      return { data: { type: 'line', id: 'a,4', relationships } }
    }
    assert.equal((await app.post('/lines', send('a,1'))).status, 201)
    assert.equal((await app.patch('/lines/a,4', send('a,1'))).status, 200)
    const changed = await app.patch('/lines/a,4', send('a,2'))
    assert.deepEqual(
      [changed.status, changed.error.code, changed.error.source?.pointer],
      [403, 'read_only', '/data/relationships/origin'],
    )
    assert.equal((await app.get('/lines/a,4/origin')).one.id, 'a,1')
  })

  it('are read-only if the foreign key is a part of the id', async () => {
    const members = { data: [identify('check', 'a,1,7')] }
    const reason =
      'the relationship "checks" is read-only, because its foreign key is a part of the id of each check, and an id never changes; create and delete check resources instead.'
    for (const rejected of [
      await app.post('/orders/a,2/relationships/checks', members),
      await app.patch('/orders/a,2/relationships/checks', members),
    ])
      assert.deepEqual(
        [rejected.status, rejected.error.code, rejected.error.detail.replace(/^\w+/, '')],
        [403, 'read_only', ` is not allowed: ${reason}`],
      )
    const store = await openStore(served.model, app.databaseUrl)
    try {
      const client = createApi({ model: served.model, store }).with()
      const relate = client.relate as (...parameters: unknown[]) => Promise<unknown>
      await assert.rejects(relate('order', 'a,2', 'checks', { add: ['a,1,7'] }), {
        message: reason,
      })
    } finally {
      await store.close()
    }
    const data = { type: 'order', id: 'a,2', relationships: { checks: members } }
    assert.equal((await app.patch('/orders/a,2', { data })).status, 200)
    assert.deepEqual(ids(await app.get('/orders/a,1/checks')), ['a,1,7'])
    // A member is created, and deleted.
    const created = await app.post('/checks', { data: { type: 'check', id: 'a,2,1' } })
    assert.equal(created.status, 201)
    assert.deepEqual(ids(await app.get('/orders/a,2/checks')), ['a,2,1'])
    assert.equal((await app.delete('/checks/a,2,1')).status, 200)
  })

  it('cannot be changed by a hook if the foreign key is a part of the id', async () => {
    const store = await openStore(served.model, app.databaseUrl)
    try {
      byHook.members = ['a,1,7']
      const client = createApi({ model: served.model, store }).with()
      await assert.rejects(client.update('order', 'a,2', { note: 'x' }), /the id of check would/)
    } finally {
      byHook.members = undefined
      await store.close()
    }
    assert.deepEqual(ids(await app.get('/orders/a,1/checks')), ['a,1,7'])
  })
})
