import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  attribute,
  createApi,
  DeclarationError,
  defineModel,
  resource,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import type { TestResponse } from '../../test-response.ts'
import { engine, openStore } from '../engine.ts'

const account = resource('account', {
  path: '/accounts',
  table: 'account',
  fields: {
    name: attribute(text, { required: true }),
    transfers: toMany('transfer', { column: 'account_id', access: 'read-only' }),
  },
})
const transfer = resource('transfer', {
  path: '/transfers',
  table: 'transfer',
  fields: {
    note: attribute(text),
    account: toOne('account', { column: 'account_id', access: 'immutable' }),
    labels: toMany('label', {
      access: 'immutable',
      through: { table: 'transfer_label', from: 'transfer_id', to: 'label_id' },
    }),
    receipt: toOne('receipt', { column: 'transfer_id', foreignKey: 'other', access: 'immutable' }),
  },
})
const label = resource('label', {
  path: '/labels',
  table: 'label',
  fields: { word: attribute(text) },
})
const receipt = resource('receipt', {
  path: '/receipts',
  table: 'receipt',
  fields: { text: attribute(text) },
})
const model = defineModel([account, transfer, label, receipt])

const served = {
  model,
  tables: ({ newId }: ColumnTypes) => `
    create table account (id ${newId}, name text not null);
    create table label (id ${newId}, word text);
    create table transfer (id ${newId}, note text, account_id integer references account (id));
    create table transfer_label (transfer_id integer not null references transfer (id),
      label_id integer not null references label (id), primary key (transfer_id, label_id));
    create table receipt (id ${newId}, text text, transfer_id integer unique references transfer (id));
    insert into account (name) values ('a'), ('b');
    insert into label (word) values ('x'), ('y'), ('z');
    insert into receipt (text) values ('r'), ('s');
    insert into transfer (note, account_id) values ('first', 1), ('second', null);
    insert into transfer_label values (1, 1), (1, 2);
    update receipt set transfer_id = 1 where id = 1`,
}

const errorsOf = ({ body }: TestResponse) =>
  (body.errors ?? []).map(({ status, code, detail, source }) => ({
    status,
    code,
    detail,
    ...source,
  }))

const one = (type: string, id: string) => ({ data: { type, id } })
const many = (type: string, ...ids: readonly string[]) => ({
  data: ids.map((id) => ({ type, id })),
})
const update = (id: string, relationships: object, attributes: object = {}) => ({
  data: { type: 'transfer', id, attributes, relationships },
})

engine('Immutable relationships', served, (app) => {
  const linkage = async (id: string) => {
    const { one } = await app.get(`/transfers/${id}`, { include: 'account,labels,receipt' })
    const ids = (name: string) =>
      [one.relationships?.[name]?.data ?? []].flat().map((each) => each.id)
    return [ids('account'), ids('labels'), ids('receipt')]
  }
  const first = [['1'], ['1', '2'], ['1']]

  it('are set by a create', async () => {
    const relationships = {
      account: one('account', '2'),
      labels: many('label', '3', '1'),
      receipt: one('receipt', '2'),
    }
    const body = { data: { type: 'transfer', attributes: {}, relationships } }
    const created = await app.post('/transfers', body)
    assert.equal(created.status, 201, created.text)
    assert.deepEqual(await linkage(created.one.id), [['2'], ['1', '3'], ['2']])
  })

  for (const [name, pointed] of [
    ['account', one('account', '2')],
    ['account', { data: null }],
    ['labels', many('label', '1')],
    ['labels', many('label', '1', '3')],
    ['labels', many('label', '1', '2', '3')],
    ['labels', many('label')],
    ['receipt', one('receipt', '2')],
    ['receipt', { data: null }],
  ] as const)
    it(`given an update with another ${name}, ${JSON.stringify(pointed.data)}, then it is 403`, async () => {
      const response = await app.patch(
        '/transfers/1',
        update('1', { [name]: pointed }, { note: 'x' }),
      )
      assert.deepEqual(errorsOf(response), [
        {
          status: '403',
          code: 'read_only',
          pointer: `/data/relationships/${name}`,
          detail: `${name} cannot be changed after the resource is created.`,
        },
      ])
      assert.deepEqual(await linkage('1'), first)
      assert.equal((await app.get('/transfers/1')).one.attributes?.note, 'first')
    })

  it('given an update that sends back what is stored, then the rest of it is stored', async () => {
    const same = {
      account: one('account', '1'),
      labels: many('label', '2', '1'),
      receipt: one('receipt', '1'),
    }
    const response = await app.patch('/transfers/1', update('1', same, { note: 'again' }))
    assert.equal(response.status, 200, response.text)
    assert.equal(response.one.attributes?.note, 'again')
    assert.deepEqual(await linkage('1'), first)
    const none = { account: { data: null }, labels: many('label'), receipt: { data: null } }
    assert.equal((await app.patch('/transfers/2', update('2', none))).status, 200)
  })

  it('report every change of one update together', async () => {
    const changes = { account: one('account', '2'), labels: many('label') }
    const response = await app.patch('/transfers/1', update('1', changes))
    assert.deepEqual(
      errorsOf(response).map(({ pointer }) => pointer),
      ['/data/relationships/account', '/data/relationships/labels'],
    )
  })

  it('cannot be written at their own paths', async () => {
    for (const name of ['account', 'labels', 'receipt'])
      for (const method of ['PATCH', 'POST', 'DELETE']) {
        const path = `/transfers/1/relationships/${name}`
        const body = name === 'labels' ? many('label', '3') : one(name, '2')
        const response = await app.call(method, path, { body })
        assert.equal(response.status, 403, `${method} ${path}`)
        const detail = `${method} is not allowed: ${name} cannot be changed after the resource is created.`
        assert.deepEqual(errorsOf(response), [{ status: '403', code: 'read_only', detail }])
        const allow = (await app.call('OPTIONS', path)).headers.allow
        assert.equal(allow, name === 'labels' ? 'GET, HEAD, QUERY, OPTIONS' : 'GET, HEAD, OPTIONS')
      }
    assert.equal((await app.post('/transfers/1/labels', { data: { type: 'label' } })).status, 403)
    assert.deepEqual(await linkage('1'), first)
  })

  it('cannot be changed in process either', async () => {
    const store = await openStore(model, app.databaseUrl)
    try {
      const client = createApi({ model, store }).with()
      // The compiler rejects it as well.
      const relate = client.relate as (...call: readonly unknown[]) => Promise<void>
      const rejected = { code: 'read_only', status: 403, message: /account cannot be changed/ }
      await assert.rejects(relate('transfer', '1', 'account', { replace: null }), rejected)
      await assert.rejects(
        client.update('transfer', '1', {
          note: 'x',
          // @ts-expect-error an update does not change it
          account: '2',
        }),
        rejected,
      )
      const { id } = await client.create('transfer', { account: '2', labels: ['1'] })
      assert.deepEqual(await linkage(id), [['2'], ['1'], []])
      // @ts-expect-error immutable
      void (() => client.relate('transfer', '1', 'labels', { add: ['3'] }))
      // @ts-expect-error read-only
      void (() => client.relate('account', '1', 'transfers', { add: ['1'] }))
    } finally {
      await store.close()
    }
  })

  it('given a writable relationship on the other side, then the start names it', async () => {
    const writable = resource('account', {
      path: '/accounts',
      table: 'account',
      fields: { transfers: toMany('transfer', { column: 'account_id' }) },
    })
    const store = await openStore(
      defineModel([writable, transfer, label, receipt]),
      app.databaseUrl,
    )
    try {
      await assert.rejects(store.verify(), (error) => {
        assert.ok(error instanceof DeclarationError)
        assert.deepEqual(error.errors, [
          'account.fields.transfers.access: writes would change transfer.fields.account, which is immutable; set access: "read-only"',
        ])
        return true
      })
    } finally {
      await store.close()
    }
  })
})
