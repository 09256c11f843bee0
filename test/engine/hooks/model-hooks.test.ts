import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import {
  attribute,
  type BeginContext,
  defineModel,
  RequestError,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { engine } from '../engine.ts'

/** The hooks that ran, in order. */
let seen: string[] = []
/** The last context of `begin`. */
let context: BeginContext | undefined
let rejecting = false

const list = resource('list', {
  path: '/lists',
  table: 'list',
  fields: {
    name: attribute(text),
    changed_by: attribute(text, { access: 'read-only' }),
    items: toMany('item', { column: 'list_id' }),
  },
  hooks: {
    beforeCreate: ({ attributes }) => {
      seen.push('list')
      return attributes.name === 'own' ? { changed_by: 'list' } : { name: 'of the list' }
    },
    beforeRead: () => void seen.push('read of list'),
  },
})
const item = resource('item', {
  path: '/items',
  table: 'item',
  fields: {
    title: attribute(text),
    changed_by: attribute(text, { access: 'read-only' }),
    list: toOne('list', { column: 'list_id' }),
  },
})

const served = {
  model: defineModel([list, item], {
    hooks: {
      async begin(request) {
        context = request
        const rows = await request.query(sql`select count(*) as all_of from item`)
        seen.push(`begin ${rows[0]?.all_of}`)
        if (rejecting) throw new RequestError({ status: 401, detail: 'Nobody may do this.' })
      },
      beforeCreate(change, { type, auth }) {
        seen.push(`create ${type} ${JSON.stringify(change)}`)
        return { changed_by: auth, name: undefined }
      },
      beforeUpdate(current, change, { type, auth }) {
        seen.push(`update ${type} ${current.id} ${JSON.stringify(change)}`)
        return { changed_by: auth }
      },
      async afterUpdate(updated, before, { type, query }) {
        const by = [before, updated].map(({ attributes }) => attributes.changed_by).join(' → ')
        await query(sql`insert into audit (entry) values (${`${type} ${updated.id}: ${by}`})`)
      },
      beforeDelete: ({ id }, { type }) => void seen.push(`delete ${type} ${id}`),
      beforeRead: ({ type }) => void seen.push(`read ${type}`),
      afterRead: (resources, { type }) => void seen.push(`${resources.length} ${type}`),
      afterCommit: ({ operation }, { type }) => void seen.push(`${operation} of ${type}`),
    },
  }),
  tables: ({ newId }: ColumnTypes) => `
    create table list (id ${newId}, name text, changed_by text);
    create table item (id ${newId}, title text, changed_by text, list_id bigint references list (id));
    create table audit (id ${newId}, entry text);
    insert into list (id, name) values (1, 'groceries');
    insert into item (id, title) values (1, 'milk')`,
  server: { authenticate: () => 'somebody' },
}

engine('Hooks of a model', served, (app) => {
  beforeEach(() => {
    seen = []
    rejecting = false
  })

  it('given a model with hooks, when resources are written, then they run for every type, before the hooks of the type, and the values of the type win', async () => {
    const data = { type: 'list', attributes: { name: 'x' } }
    const { one } = await app.post('/lists', { data })
    assert.deepEqual(one.attributes, { name: 'of the list', changed_by: 'somebody' })
    assert.deepEqual(seen, [
      'begin 1',
      'create list {"attributes":{"name":"x"},"relationships":{}}',
      'list',
      'read list',
      'read of list',
      '1 list',
      'create of list',
    ])
    const own = await app.post('/lists', { data: { ...data, attributes: { name: 'own' } } })
    assert.deepEqual(own.one.attributes, { name: 'own', changed_by: 'list' })
  })

  it('given a write from the other side, when it is committed, then the audit has both types', async () => {
    await app.post('/lists/1/relationships/items', { data: [{ type: 'item', id: '1' }] })
    assert.deepEqual(seen, [
      'begin 1',
      'update list 1 {"attributes":{},"relationships":{"items":{"change":"add","ids":["1"]}}}',
      'update item 1 {"attributes":{},"relationships":{"list":"1"}}',
      'update of item',
      'update of list',
    ])
    const { one } = await app.get('/items/1')
    assert.equal(one.attributes?.changed_by, 'somebody')
    await app.delete('/items/1')
    assert.deepEqual(seen.slice(-3), ['begin 1', 'delete item 1', 'delete of item'])
  })

  const requests = [
    ['GET', '/lists', undefined],
    ['GET', '/lists?page[size]=1000&include=items', undefined],
    ['GET', '/lists/1', undefined],
    ['GET', '/lists/99', undefined],
    ['GET', '/lists/1/items', undefined],
    ['GET', '/items/1/list', undefined],
    ['GET', '/lists/1/relationships/items', undefined],
    ['POST', '/lists/1/items', { data: { type: 'item' } }],
    ['PATCH', '/lists/1', { data: { type: 'list', id: '1', attributes: { name: 'x' } } }],
    ['PATCH', '/lists/99', { data: { type: 'list', id: '99', attributes: { name: 'x' } } }],
    ['PATCH', '/lists/1/relationships/items', { data: [] }],
    ['DELETE', '/lists/99', undefined],
    ['DELETE', '/lists/1', undefined],
  ] as const
  for (const [method, path, body] of requests) {
    it(`given begin, when ${method} ${path} runs, then begin runs once and first, and can reject the request before it is known whether the resource exists`, async () => {
      await app.call(method, path, { body })
      assert.equal(seen[0], 'begin 1')
      assert.equal(seen.filter((each) => each.startsWith('begin')).length, 1)
      rejecting = true
      seen = []
      const response = await app.call(method, path, { body })
      assert.deepEqual([response.status, seen.length], [401, 1], response.text)
    })
  }

  it('given a list that is streamed, when it is read, then begin runs once, before the first row', async () => {
    await app.execute(
      `insert into item (title) with recursive numbers (n) as
         (select 1 union all select n + 1 from numbers where n < 800) select 'x' from numbers`,
    )
    const { many } = await app.get('/items?page[size]=1000')
    assert.equal(many.length, 801)
    assert.deepEqual(seen.slice(0, 2), ['begin 801', 'read item'])
    assert.equal(seen.filter((each) => each.startsWith('begin')).length, 1)
  })

  it('given begin and hooks, when they run, then the context has the request', async () => {
    await app.call('GET', '/lists', { headers: { 'x-request-id': 'abc' } })
    assert.ok(context)
    const { auth, ip, log, requestId, signal } = context
    assert.deepEqual([auth, ip], ['somebody', '127.0.0.1'])
    assert.equal(typeof requestId, 'string')
    log.debug({ list: 1 }, 'from a hook')
    assert.ok(signal instanceof AbortSignal && !signal.aborted)
    assert.equal(context.signal, signal)
  })
})
