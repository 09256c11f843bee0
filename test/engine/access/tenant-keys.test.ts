import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, declare, integer, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'

const { auth, defineModel, resource } = declare<{ auth: { org: string } }>()
const ofOrder = { column: ['org', 'order_id'], references: ['org', 'id'] } as const

/** The tenant is a part of each foreign key, and of the ids of wards and beds. */
const order = resource('order', {
  path: '/orders',
  table: 'orders',
  fields: { note: attribute(text), lines: toMany('line', ofOrder) },
})
const line = resource('line', {
  path: '/lines',
  table: 'line',
  fields: {
    word: attribute(text),
    order: toOne('order', ofOrder),
    ward: toOne('ward', { column: ['org', 'ward_code'] }),
    first: toOne('order', {
      column: ['org', 'first_id'],
      references: ['org', 'id'],
      access: 'immutable',
    }),
  },
})
const ward = resource('ward', {
  path: '/wards',
  table: 'ward',
  id: { column: ['org', 'code'], kind: [text, integer], client: 'required' },
  fields: {
    title: attribute(text),
    lines: toMany('line', { column: ['org', 'ward_code'] }),
    head: toOne('order', { column: ['org', 'head_id'], references: ['org', 'id'] }),
    beds: toMany('bed', {
      through: { table: 'placed', from: ['org', 'ward_code'], to: ['org', 'bed_number'] },
    }),
  },
})
const bed = resource('bed', {
  path: '/beds',
  table: 'bed',
  id: { column: ['org', 'number'], kind: [text, integer], client: 'required' },
  fields: { title: attribute(text) },
})

const served = {
  model: defineModel([order, line, ward, bed], {
    tenant: { column: 'org', value: auth((user) => user.org) },
  }),
  tables: ({ newId, id }: ColumnTypes) => `
    create table orders (id ${newId}, org text not null, note text, unique (org, id));
    create table ward (org text not null, code integer not null, title text, head_id ${id}, primary key (org, code),
      foreign key (org, head_id) references orders (org, id));
    create table bed (org text not null, number integer not null, title text, primary key (org, number));
    create table placed (org text not null, ward_code integer not null, bed_number integer not null, primary key (org, ward_code, bed_number),
      foreign key (org, ward_code) references ward (org, code), foreign key (org, bed_number) references bed (org, number));
    create index placed_bed on placed (org, bed_number);
    create table line (id ${newId}, org text not null, word text, order_id ${id}, ward_code integer, first_id ${id},
      foreign key (org, order_id) references orders (org, id), foreign key (org, ward_code) references ward (org, code),
      foreign key (org, first_id) references orders (org, id));
    create index line_order on line (org, order_id);
    create index line_ward on line (org, ward_code);
    create index line_first on line (org, first_id);
    insert into orders (id, org) values (1, 'a'), (2, 'a'), (3, 'b');
    insert into ward (org, code) values ('a', 1), ('a', 2), ('b', 3);
    insert into bed (org, number) values ('a', 1), ('b', 1), ('b', 3);
    insert into line (id, org, order_id, first_id) values (1, 'a', 1, 1), (2, 'a', null, null), (3, 'b', 3, null);
    ${newId.includes('identity') ? "select setval(pg_get_serial_sequence('line', 'id'), 10); select setval(pg_get_serial_sequence('orders', 'id'), 10)" : ''}`,
  server: { authenticate: () => ({ org: 'a' }) },
}

const identify = (type: string, id: string) => ({ type, id })
const toOneOf = (type: string, id: string) => ({ data: identify(type, id) })
const toManyOf = (type: string, ...of: readonly string[]) => ({
  data: of.map((id) => identify(type, id)),
})

engine('Foreign keys that contain the tenant', served, (app) => {
  const linked = async (path: string) => ids(await app.get(path)).join(' ')
  const rows = async (type: string) =>
    (await app.get(`/${type}`)).many.map(({ id }) => id).join(' ')

  it('are written by creates, whose rows belong to the tenant of the identity', async () => {
    const relationships = { order: toOneOf('order', '2'), ward: toOneOf('ward', 'a,1') }
    const created = await app.post('/lines', { data: { type: 'line', relationships } })
    assert.equal(created.status, 201, created.text)
    const { id = '' } = created.one
    assert.equal(await linked('/orders/2/lines'), id)
    assert.equal(await linked('/wards/a,1/lines'), id)
    const related = await app.post('/orders/2/lines', { data: { type: 'line' } })
    assert.equal(related.status, 201, related.text)
    assert.equal(await linked('/orders/2/lines'), `${id} ${related.one.id}`)
    const ofWard = {
      head: toOneOf('order', '1'),
      lines: toManyOf('line', '2'),
      beds: toManyOf('bed', 'a,1'),
    }
    const data = { type: 'ward', id: 'a,7', relationships: ofWard }
    const withMembers = await app.post('/wards', { data })
    assert.equal(withMembers.status, 201, withMembers.text)
    assert.equal(await linked('/wards/a,7/lines'), '2')
    assert.equal(await linked('/wards/a,7/beds'), 'a,1')
    assert.equal((await app.get('/wards/a,7/head')).one.id, '1')
  })

  for (const [title, write] of [
    [
      'the address of the resource',
      (name: string, data: unknown) =>
        app.patch('/lines/1', {
          data: { ...identify('line', '1'), relationships: { [name]: { data } } },
        }),
    ],
    [
      'the address of the relationship',
      (name: string, data: unknown) => app.patch(`/lines/1/relationships/${name}`, { data }),
    ],
  ] as const)
    it(`are changed and removed at ${title}, and the row keeps its tenant`, async () => {
      assert.equal((await write('order', identify('order', '2'))).status, 200)
      assert.equal((await app.get('/lines/1/order')).one.id, '2')
      assert.equal((await write('ward', identify('ward', 'a,2'))).status, 200)
      const removed = await write('order', null)
      assert.equal(removed.status, 200, removed.text)
      assert.equal((await app.get('/lines/1/order')).body.data, null)
      assert.equal((await app.get('/lines/1/ward')).one.id, 'a,2')
      assert.equal(await rows('lines'), '1 2')
    })

  it('are changed from the other side, and the members keep their tenant', async () => {
    for (const path of ['/orders/2', '/wards/a,2']) {
      const members = `${path}/relationships/lines`
      assert.equal((await app.post(members, toManyOf('line', '1', '2'))).status, 200)
      assert.equal(await linked(`${path}/lines`), '1 2')
      const removed = await app.delete(members, toManyOf('line', '1'))
      assert.equal(removed.status, 200, removed.text)
      assert.equal(await linked(`${path}/lines`), '2')
      assert.equal((await app.patch(members, toManyOf('line', '1'))).status, 200)
      assert.equal(await linked(`${path}/lines`), '1')
      assert.equal(await rows('lines'), '1 2')
    }
  })

  it('of a join table are written once for both sides', async () => {
    const path = '/wards/a,1/relationships/beds'
    const added = await app.post(path, toManyOf('bed', 'a,1'))
    assert.equal(added.status, 200, added.text)
    assert.equal(await linked('/wards/a,1/beds'), 'a,1')
    assert.equal((await app.delete(path, toManyOf('bed', 'a,1'))).status, 200)
    assert.equal(await linked('/wards/a,1/beds'), '')
  })

  for (const [title, send, foreign, missing] of [
    [
      'a create',
      (id) =>
        app.post('/lines', {
          data: { type: 'line', relationships: { order: toOneOf('order', id) } },
        }),
      '3',
      '9',
    ],
    [
      'a create with a composite id',
      (id) =>
        app.post('/lines', {
          data: { type: 'line', relationships: { ward: toOneOf('ward', id) } },
        }),
      'b,3',
      'b,9',
    ],
    [
      'a create of a row with a composite id',
      (id) =>
        app.post('/wards', {
          data: { type: 'ward', id: 'a,8', relationships: { beds: toManyOf('bed', id) } },
        }),
      'b,3',
      'b,9',
    ],
    [
      'an update',
      (id) =>
        app.patch('/lines/1', {
          data: { ...identify('line', '1'), relationships: { order: toOneOf('order', id) } },
        }),
      '3',
      '9',
    ],
    [
      'a relationship',
      (id) => app.patch('/lines/1/relationships/ward', toOneOf('ward', id)),
      'b,3',
      'b,9',
    ],
    [
      'a relationship of a row with a composite id',
      (id) => app.patch('/wards/a,1/relationships/head', toOneOf('order', id)),
      '3',
      '9',
    ],
    ['members', (id) => app.post('/orders/1/relationships/lines', toManyOf('line', id)), '3', '9'],
    [
      'members of a row with a composite id',
      (id) => app.patch('/wards/a,1/relationships/lines', toManyOf('line', id)),
      '3',
      '9',
    ],
    [
      'members over a join table',
      (id) => app.post('/wards/a,1/relationships/beds', toManyOf('bed', id)),
      'b,3',
      'b,9',
    ],
  ] as const satisfies readonly (readonly [
    string,
    (id: string) => ReturnType<typeof app.get>,
    string,
    string,
  ])[])
    it(`${title}: a resource of another tenant is one that does not exist`, async () => {
      const [other, none] = [await send(foreign), await send(missing)]
      assert.deepEqual(
        [other.status, other.body.errors?.map(({ code }) => code)],
        [404, ['related_not_found']],
      )
      assert.equal(other.text.replaceAll(foreign, 'id'), none.text.replaceAll(missing, 'id'))
    })

  it('are immutable like others, although a part of them is never written', async () => {
    const patch = (id: string) =>
      app.patch('/lines/1', {
        data: { ...identify('line', '1'), relationships: { first: toOneOf('order', id) } },
      })
    assert.equal((await patch('1')).status, 200)
    assert.deepEqual([(await patch('2')).status, (await patch('2')).error.code], [403, 'read_only'])
  })
})
