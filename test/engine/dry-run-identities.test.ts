import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  attribute,
  auth,
  createHandler,
  defineModel,
  resource,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { type ColumnTypes, databases } from '../databases.ts'
import { openStore } from './engine.ts'

interface User {
  readonly team: string
  readonly isLead: boolean
}

const ofTeam = { filter: [{ name: 'team', op: 'eq', val: auth((user: User) => user.team) }] }
const customer = resource('customer', {
  path: '/customers',
  table: 'customer',
  access: { read: true, create: true, update: true, delete: true },
  fields: { name: attribute(text), orders: toMany('order', { column: 'customer_id' }) },
})
const order = resource('order', {
  path: '/orders',
  table: 'orders',
  access: { read: ofTeam, create: true, update: true, delete: true },
  fields: {
    team: attribute(text),
    customer: toOne('customer', { column: 'customer_id' }),
    lines: toMany('line', { column: 'order_id' }),
  },
})
const line = resource('line', {
  path: '/lines',
  table: 'line',
  access: {
    read: auth((user: User) => user.isLead) as never,
    create: true,
    update: true,
    delete: true,
  },
  fields: { amount: attribute(text) },
})
/** Who is no lead does not know of the customer of a visit. */
const visit = resource('visit', {
  path: '/visits',
  table: 'visit',
  access: { read: true, create: true, update: true, delete: true },
  fields: {
    place: attribute(text),
    customer: toOne('customer', {
      column: 'customer_id',
      readable: auth((user: User) => user.isLead) as never,
    }),
  },
})
const model = defineModel([customer, order, line, visit], { atomic: true })

/** The orders of the red team and their lines are in both databases. */
const createTables = ({ newId, id }: ColumnTypes, isOther: boolean) => `
  create table customer (id ${newId}, name text);
  create table orders (id ${newId}, team text, customer_id ${id} references customer (id) on delete cascade);
  create table line (id ${newId}, amount text, order_id ${id} references orders (id) on delete cascade);
  create table visit (id ${newId}, place text, customer_id ${id} references customer (id) on delete set null);
  insert into customer (name) values ('Ada'), ('Bob');
  insert into orders (team, customer_id) values ('red', 1), ('blue', ${isOther ? 2 : 1}), ('blue', 2);
  insert into line (amount, order_id) values ('1', 1), ('2', ${isOther ? 1 : 2});
  insert into visit (place, customer_id) values ('a', 1), ('b', ${isOther ? 2 : 1})`

/** The deletion of a customer: alone, and by an operation. */
const requests: Readonly<Record<string, () => Request>> = {
  'of a request of its own': () =>
    new Request('http://localhost/customers/1', {
      method: 'DELETE',
      headers: { prefer: 'dry-run' },
    }),
  'of an operation': () =>
    new Request('http://localhost/operations', {
      method: 'POST',
      headers: {
        prefer: 'dry-run',
        'content-type': 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"',
      },
      body: JSON.stringify({
        'atomic:operations': [{ op: 'remove', ref: { type: 'customer', id: '1' } }],
      }),
    }),
}

const cases = databases.flatMap((database) =>
  Object.entries(requests).map(([door, create]) => ({ database, door, create })),
)
for (const { database, door, create } of cases)
  describe(`Dry runs of identities, ${door} · ${database.name}`, () => {
    const ask = async (isOther: boolean, user: User) => {
      const opened = await database.create()
      const store = await openStore(model, opened.url)
      await store.migrate([{ version: 1, sql: createTables(database.columnTypes, isOther) }])
      const handle = createHandler({ model, store, authenticate: () => user })
      const response = await handle(create())
      const sent = [response.status, ...response.headers, await response.text()]
      await store.close()
      await opened.remove()
      return sent
    }

    it('show nothing of the rows and fields that the identity may not read', async () => {
      const member = { team: 'red', isLead: false }
      const [one, other] = [await ask(false, member), await ask(true, member)]
      assert.deepEqual(other, one)
      assert.match(
        String(one.at(-1)),
        /"affected":\{"customer":\{"deleted":1\},"order":\{"deleted":1\}\}/,
      )
    })

    it('count what the identity may read', async () => {
      const lead = { team: 'blue', isLead: true }
      assert.match(
        String((await ask(false, lead)).at(-1)),
        /"affected":\{"customer":\{"deleted":1\},"order":\{"deleted":1\},"line":\{"deleted":1\},"visit":\{"updated":2\}\}/,
      )
    })
  })
