import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  action,
  attribute,
  defineModel,
  idempotencyTable,
  resource,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { ColumnTypes } from '../databases.ts'
import type { TestResponse } from '../test-response.ts'
import { engine } from './engine.ts'

const seen: boolean[] = []
const commits: string[] = []

const customer = resource('customer', {
  path: '/customers',
  table: 'customer',
  fields: {
    name: attribute(text, { required: true }),
    orders: toMany('order', { column: 'customer_id' }),
    tags: toMany('tag', { through: { table: 'customer_tag', from: 'customer_id', to: 'tag_id' } }),
  },
  hooks: {
    beforeUpdate: (_stored, _change, { dryRun }) => {
      seen.push(dryRun)
    },
    afterCommit: ({ operation }) => {
      commits.push(operation)
    },
  },
  actions: {
    close: action({
      on: 'resource',
      dryRun: true,
      returns: { meta: { orders: text } },
      run: async ({ id, tx, dryRun }) => {
        await tx.update('customer', id, { name: 'closed' })
        return { orders: String(dryRun) }
      },
    }),
    open: action({ on: 'resource', run: () => {} }),
  },
})
/** Its orders are deleted with the customer, and its lines with the order; notes stay without one. */
const order = resource('order', {
  path: '/orders',
  table: 'orders',
  fields: {
    status: attribute(text),
    customer: toOne('customer', { column: 'customer_id' }),
    parent: toOne('order', { column: 'parent_id' }),
  },
})
const line = resource('line', {
  path: '/lines',
  table: 'line',
  fields: { amount: attribute(text), order: toOne('order', { column: 'order_id' }) },
})
const note = resource('note', {
  path: '/notes',
  table: 'note',
  fields: { text: attribute(text), order: toOne('order', { column: 'order_id' }) },
})
const tag = resource('tag', { path: '/tags', table: 'tag', fields: { name: attribute(text) } })
/** A parcel references a customer; the database checks that at the commit. */
const parcel = resource('parcel', {
  path: '/parcels',
  table: 'parcel',
  fields: { customer: toOne('customer', { column: 'customer_id' }) },
})

const served = {
  model: defineModel([customer, order, line, note, tag, parcel], {
    principal: () => 'everybody',
  }),
  tables: ({ newId, id }: ColumnTypes) => `
    create table customer (id ${newId}, name text not null unique);
    create table tag (id ${newId}, name text);
    create table customer_tag (customer_id ${id} references customer (id) on delete cascade,
      tag_id ${id} references tag (id), primary key (customer_id, tag_id));
    create table orders (id ${newId}, status text,
      customer_id ${id} references customer (id) on delete cascade,
      parent_id ${id} references orders (id) on delete cascade);
    create table line (id ${newId}, amount text, order_id ${id} references orders (id) on delete cascade);
    create table note (id ${newId}, text text, order_id ${id} references orders (id) on delete set null);
    create table parcel (id ${newId},
      customer_id ${id} references customer (id) deferrable initially deferred);
    ${idempotencyTable}
    insert into customer (name) values ('Ada'), ('Bob'), ('Cleo');
    insert into tag (name) values ('a'), ('b'), ('c');
    insert into customer_tag values (1, 1), (1, 2);
    insert into orders (status, customer_id, parent_id) values ('open', 1, null), ('paid', 1, 1), ('child', null, 2), ('other', 2, null);
    insert into line (amount, order_id) values ('1', 1), ('2', 2), ('3', 3), ('4', 4);
    insert into note (text, order_id) values ('n', 1), ('m', 4);
    insert into parcel (customer_id) values (3)`,
}

const codesOf = ({ body }: TestResponse) => body.errors?.map(({ code }) => code)

engine('Dry runs', served, (app) => {
  const send = (method: string, path: string, prefer: string, body?: unknown, more = {}) =>
    app.call(method, path, { headers: { prefer, ...more }, ...(body !== undefined && { body }) })
  const dry = (method: string, path: string, body?: unknown) => send(method, path, 'dry-run', body)
  /** Everything that is stored, as documents. */
  const readAll = async () => {
    const paths = ['customers?include=orders,tags', 'orders', 'lines', 'notes', 'parcels']
    return Promise.all(paths.map(async (path) => (await app.get(`/${path}`)).text))
  }

  it('a deletion counts what the database deletes and changes with it', async () => {
    const before = await readAll()
    const response = await dry('DELETE', '/customers/1')
    assert.equal(response.status, 200, response.text)
    assert.equal(response.headers['preference-applied'], 'dry-run')
    assert.deepEqual(response.body.meta, {
      message: 'Nothing was written: this was a dry run',
      dryRun: true,
      affected: {
        customer: { deleted: 1 },
        order: { deleted: 3 },
        line: { deleted: 3 },
        note: { updated: 1 },
      },
    })
    assert.deepEqual(await readAll(), before)
  })

  it('a create has no id', async () => {
    const before = await readAll()
    const attributes = { name: 'Dora' }
    const relationships = { orders: { data: [{ type: 'order', id: '4' }] } }
    const response = await dry('POST', '/customers', {
      data: { type: 'customer', attributes, relationships },
    })
    assert.deepEqual([response.status, response.headers.location], [200, undefined])
    const { meta, data } = response.body
    assert.equal(data, undefined)
    assert.deepEqual(meta, {
      message: 'Nothing was written: this was a dry run',
      dryRun: true,
      affected: { customer: { created: 1 }, order: { updated: 1 } },
      members: { customer: { orders: { added: 1, removed: 0 } } },
      wouldCreate: {
        type: 'customer',
        attributes,
        relationships: { orders: {}, tags: {} },
      },
    })
    assert.deepEqual(await readAll(), before)
  })

  it('an update shows the resource as it would be, and hooks see that it is a dry run', async () => {
    const before = await readAll()
    seen.length = 0
    commits.length = 0
    const data = {
      type: 'customer',
      id: '1',
      attributes: { name: 'Ada L.' },
      relationships: {
        orders: {
          data: [
            { type: 'order', id: '2' },
            { type: 'order', id: '4' },
          ],
        },
      },
    }
    const response = await dry('PATCH', '/customers/1?include=orders', { data })
    assert.equal(response.status, 200, response.text)
    const { body } = response
    assert.equal(!Array.isArray(body.data) && body.data?.attributes?.name, 'Ada L.')
    assert.deepEqual(body.included?.map(({ id }) => id).toSorted(), ['2', '4'])
    assert.deepEqual(body.meta, {
      message: 'Nothing was written: this was a dry run',
      dryRun: true,
      affected: { customer: { updated: 1 }, order: { updated: 2 } },
      members: { customer: { orders: { added: 1, removed: 1 } } },
    })
    assert.equal(response.headers.etag, undefined)
    assert.deepEqual([seen, commits], [[true], []])
    assert.deepEqual(await readAll(), before)
  })

  const links: readonly (readonly [string, object[], object])[] = [
    [
      'POST',
      [
        { type: 'tag', id: '2' },
        { type: 'tag', id: '3' },
      ],
      { added: 1, removed: 0 },
    ],
    ['PATCH', [{ type: 'tag', id: '3' }], { added: 1, removed: 2 }],
    ['DELETE', [{ type: 'tag', id: '1' }], { added: 0, removed: 1 }],
  ]
  for (const [method, data, members] of links)
    it(`${method} of a relationship counts its members`, async () => {
      const before = await readAll()
      const response = await dry(method, '/customers/1/relationships/tags', { data })
      assert.deepEqual(response.body.meta, {
        message: 'Nothing was written: this was a dry run',
        dryRun: true,
        affected: {},
        members: { customer: { tags: members } },
      })
      assert.deepEqual(await readAll(), before)
    })

  it('the errors are those of the write, also of deferred constraints', async () => {
    const before = await readAll()
    const taken = { data: { type: 'customer', attributes: { name: 'Ada' } } }
    for (const [method, path, body] of [
      ['DELETE', '/customers/3', undefined],
      ['DELETE', '/customers/9', undefined],
      ['POST', '/customers', taken],
      [
        'PATCH',
        '/customers/1',
        { data: { type: 'customer', id: '1', attributes: { name: null } } },
      ],
    ] as const) {
      const response = await dry(method, path, body)
      assert.ok(response.status >= 400, response.text)
      const actual = await app.call(method, path, body === undefined ? {} : { body })
      assert.deepEqual([response.status, response.body], [actual.status, actual.body])
    }
    assert.deepEqual(await readAll(), before)
  })

  it('an action is run if it is declared so', async () => {
    const before = await readAll()
    const closed = await dry('POST', '/customers/1/actions/close', { meta: {} })
    assert.deepEqual([closed.status, closed.body.meta], [200, { orders: 'true', dryRun: true }])
    const refused = await dry('POST', '/customers/1/actions/open', { meta: {} })
    assert.deepEqual([refused.status, codesOf(refused)], [400, ['invalid_preference']])
    assert.deepEqual(await readAll(), before)
  })

  it('a key has no effect on a dry run', async () => {
    const key = { 'idempotency-key': '"k"' }
    const body = { data: { type: 'customer', attributes: { name: 'Eve' } } }
    const first = await send('POST', '/customers', 'dry-run', body, key)
    assert.equal(first.status, 200)
    const second = await app.call('POST', '/customers', { headers: key, body })
    assert.deepEqual([second.status, second.headers['idempotency-replayed']], [201, undefined])
  })

  it('max-affected: nothing is written if the write affects more rows', async () => {
    const before = await readAll()
    const refused = await send('DELETE', '/customers/1', 'max-affected=7')
    assert.deepEqual([refused.status, codesOf(refused)], [422, ['too_many_affected']])
    assert.deepEqual(await readAll(), before)
    const done = await send('DELETE', '/customers/1', 'max-affected=8')
    assert.deepEqual([done.status, done.headers['preference-applied']], [200, 'max-affected=8'])
    assert.equal((await app.get('/customers/1')).status, 404)
  })

  const invalid = [
    'dry-run=no',
    'max-affected=many',
    'max-affected',
    'max-affected=-1',
    'dry-run "',
  ]
  for (const prefer of invalid)
    it(`Prefer: ${prefer} is rejected, because it would write too much`, async () => {
      const response = await send('DELETE', '/customers/1', prefer)
      assert.deepEqual([response.status, codesOf(response)], [400, ['invalid_preference']])
      assert.equal((await app.get('/customers/1')).status, 200)
    })

  it('a read ignores both', async () => {
    assert.equal((await send('GET', '/customers/1', 'dry-run, max-affected=0')).status, 200)
  })
})
