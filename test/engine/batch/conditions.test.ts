import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  action,
  attribute,
  createApi,
  defineModel,
  integer,
  resource,
  text,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import { type BatchSuite, describeBatches, summarize } from './send-batch.ts'

/** Its changes need conditions. */
const order = resource('order', {
  path: '/orders',
  table: 'purchase',
  conditions: 'required',
  fields: {
    status: attribute(text),
    previous: toOne('order', { column: 'previous_id' }),
    next: toMany('order', { column: 'previous_id' }),
  },
  actions: {
    send: action({
      returns: { resource: 'order' },
      run: async ({ id, tx }) => {
        await tx.update('order', String(id), { status: 'sent' })
        await tx.relate('order', String(id), 'next', { replace: [] })
        return String(id)
      },
    }),
    clear: action({
      on: 'collection',
      returns: { meta: { cleared: integer } },
      run: async ({ tx }) => {
        const { data } = await tx.list('order', { filter: { status: 'old' } })
        for (const { id } of data) await tx.remove('order', String(id))
        return { cleared: data.length }
      },
    }),
  },
})
const served: BatchSuite = {
  model: defineModel([order], { atomic: { actions: true } }),
  tables: ({ newId, id }) => `
    create table purchase (id ${newId}, status text, previous_id ${id} references purchase (id) on delete set null)`,
  fill: "insert into purchase (id, status) values (101, 'open'), (102, 'old')",
}
const identifier = { type: 'order', id: '101' }
const data = { ...identifier, attributes: { status: 'paid' } }
const lines = '/orders/101/relationships/next'

/** Every route that writes: its method, its path, its body, and the status without a condition. */
const routes: readonly (readonly [string, string, unknown, number])[] = [
  ['POST', '/orders', { data: { type: 'order' } }, 201],
  ['PATCH', '/orders/101', { data }, 428],
  ['DELETE', '/orders/101', undefined, 428],
  ['POST', '/orders/101/next', { data: { type: 'order' } }, 201],
  ['POST', lines, { data: [identifier] }, 200],
  ['PATCH', lines, { data: [] }, 428],
  ['DELETE', lines, { data: [identifier] }, 428],
  ['PATCH', '/orders/101/relationships/previous', { data: null }, 428],
  ['POST', '/orders/101/actions/send', { meta: {} }, 200],
  ['POST', '/orders/actions/clear', { meta: {} }, 200],
]

describeBatches('Conditions of every write', served, (app) => {
  const state = () => app.rows('select * from purchase order by id')

  for (const [method, path, body, status] of routes)
    it(`${method} ${path} checks every condition`, async () => {
      const before = await state()
      const send = (fields: Readonly<Record<string, string>>) =>
        app.send(method, path, body, fields)
      for (const [fields, code] of [
        [{ 'if-match': '"other"' }, '412 version_conflict'],
        [{ 'if-match': 'other' }, '400 invalid_request'],
        [{ 'if-none-match': 'other' }, '400 invalid_request'],
      ] as const) {
        const refused = summarize(await send(fields))
        assert.deepEqual(refused, [`${code} undefined`], JSON.stringify(fields))
      }
      assert.deepEqual(await state(), before)
      assert.equal((await send({})).status, status)
      assert.ok([200, 201].includes((await send({ 'if-match': '*' })).status))
    })

  for (const href of ['/orders/101/actions/send', '/orders/actions/clear'])
    it(`${href} in a batch checks its condition`, async () => {
      const call = (ifMatch: string) =>
        app.batch([{ op: 'update', href, data: { meta: {} }, meta: { ifMatch } }])
      assert.deepEqual(summarize(await call('other')), [
        '412 version_conflict /atomic:operations/0/meta/ifMatch',
      ])
      assert.equal((await call('*')).status, 200)
    })

  for (const fields of [{}, { 'if-none-match': '*' }, { 'if-match': '*' }])
    it(`a new resource that references itself needs none ${JSON.stringify(fields)}`, async () => {
      const previous = { data: { type: 'order', lid: 'o' } }
      const added = { type: 'order', lid: 'o', relationships: { previous } }
      const response = await app.batch([{ op: 'add', data: added }], fields)
      assert.equal(response.status, 200, JSON.stringify(response.errors))
    })

  const demanding: readonly object[] = [
    { op: 'update', data: { type: 'order', lid: 'o', attributes: {} } },
    { op: 'remove', ref: { type: 'order', lid: 'o' } },
    { op: 'update', ref: { type: 'order', lid: 'o', relationship: 'previous' }, data: null },
    { op: 'remove', ref: { type: 'order', lid: 'o', relationship: 'next' }, data: [identifier] },
    { op: 'remove', ref: identifier },
    { op: 'update', href: lines, data: [] },
  ]
  for (const operation of demanding)
    it(`says how an operation has the condition that it needs: ${JSON.stringify(operation)}`, async () => {
      const create = { op: 'add', data: { type: 'order', lid: 'o' } }
      const { status, errors } = await app.batch([create, { ...operation }])
      assert.equal(status, 428)
      assert.deepEqual(
        errors.map(({ source }) => source),
        [{ pointer: '/atomic:operations/1' }],
      )
      assert.match(
        String(errors[0]?.detail),
        /meta\.ifMatch of the operation, or "\*" for a resource/,
      )
      const meta = { ifMatch: '*' }
      assert.equal((await app.batch([create, { ...operation, meta }])).status, 200)
    })

  it('names a new resource whose condition does not hold by its local id', async () => {
    const ref = { type: 'order', lid: 'o' }
    const added = { op: 'add', data: ref }
    const missing = await app.batch([added, { op: 'remove', ref }])
    assert.match(
      missing.errors[0]?.detail ?? '',
      /^The resource order with lid "o" is changed only/,
    )
    const meta = { ifMatch: 'x' }
    const other = await app.batch([added, { op: 'remove', ref, meta }])
    assert.match(
      other.errors[0]?.detail ?? '',
      /^The resource order with lid "o" does not have the/,
    )
    const members = { op: 'update', ref: { ...ref, relationship: 'next' }, meta, data: [] }
    const linked = await app.batch([added, members])
    assert.match(linked.errors[0]?.detail ?? '', /^The relationship "next" of order with lid "o"/)
  })

  it('If-None-Match with the present version says that it is the present one', async () => {
    const { headers } = await app.send('GET', '/orders/101')
    const version = headers.get('etag')?.slice(1).split('.')[0]
    const fields = { 'if-match': '*', 'if-none-match': `"${version}"` }
    const { errors } = await app.send('PATCH', '/orders/101', { data }, fields)
    assert.equal(errors[0]?.code, 'version_conflict')
    assert.match(errors[0]?.detail ?? '', new RegExp(`101" has the version "${version}"`))
  })
})

/** Clients choose its ids, and its version is a column. */
const parcel = resource('parcel', {
  path: '/parcels',
  table: 'parcel',
  id: { kind: uuid, client: 'required' },
  version: 'row_version',
  fields: { label: attribute(text) },
})
const depot: BatchSuite = {
  model: defineModel([parcel], { atomic: true }),
  tables: ({ uuid }) =>
    `create table parcel (id ${uuid} primary key, label text, row_version integer not null default 1)`,
  fill: '',
}

describeBatches('The version of a resource that is created anew', depot, (app) => {
  const ids = ['5d1ad4d3-3d8c-4a7a-9f35-0a4f3b2b3f10', '5d1ad4d3-3d8c-4a7a-9f35-0a4f3b2b3f11']
  const toData = (id: string) => ({ type: 'parcel', id, attributes: { label: 'a' } })
  const adds = ids.map((id) => ({ op: 'add', data: toData(id) }))
  const removes = ids.map((id) => ({ op: 'remove', ref: { type: 'parcel', id } }))
  const path = `/parcels/${ids[0]}`
  const renew: Readonly<Record<string, () => Promise<unknown>>> = {
    'by requests': async () => {
      await app.send('DELETE', path)
      await app.send('POST', '/parcels', { data: toData(String(ids[0])) })
    },
    'in one batch': () => app.batch([...removes, ...adds]),
    'in process': async () => {
      const client = createApi({ model: depot.model, store: app.store }).with()
      await client.remove('parcel', String(ids[0]))
      await client.create('parcel', { id: ids[0], label: 'a' } as never)
    },
  }
  for (const [how, work] of Object.entries(renew))
    it(`differs from that of the deleted one, ${how}`, async () => {
      await app.batch(adds)
      const { headers } = await app.send('GET', path)
      const condition = { 'if-match': String(headers.get('etag')) }
      await work()
      assert.equal((await app.send('GET', path)).status, 200)
      const body = { data: { ...toData(String(ids[0])), attributes: { label: 'lost' } } }
      const updates = [
        await app.send('PATCH', path, body, condition),
        await app.send('DELETE', path, undefined, condition),
      ]
      assert.deepEqual(
        updates.map(({ status }) => status),
        [412, 412],
      )
    })

  it('is another one in each row of an insert, and leaves room to count', async () => {
    await app.batch(adds)
    const rows = await app.rows('select row_version from parcel')
    const versions = rows.map(({ row_version }) => Number(row_version))
    assert.equal(new Set(versions).size, 2)
    assert.ok(versions.every((each) => each >= 1 && each <= 2 ** 30))
  })
})
