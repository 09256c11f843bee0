import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attribute, auth, createHandler, defineModel, resource, text, toOne } from 'lapidary'
import { createPages } from 'lapidary/html'
import { type ColumnTypes, databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'

interface User {
  readonly team: string
}

const all = { read: true, create: true, update: true, delete: true }
const ofTeam = { filter: [{ name: 'team', op: 'eq', val: auth((user: User) => user.team) }] }
const customer = resource('customer', {
  ...{ path: '/customers', table: 'customer', access: all },
  fields: { name: attribute(text) },
})
const order = resource('order', {
  ...{ path: '/orders', table: 'orders', access: { ...all, read: ofTeam, delete: false } },
  fields: { team: attribute(text), customer: toOne('customer', { column: 'customer_id' }) },
})
const visit = resource('visit', {
  ...{ path: '/visits', table: 'visit', access: all },
  fields: { customer: toOne('customer', { column: 'customer_id' }) },
})
const model = defineModel([customer, order, visit])

/** In the other database, what the red team does not see references another customer. */
const createTables = ({ newId, id }: ColumnTypes, isOther: boolean) => `
  create table customer (id ${newId}, name text);
  create table orders (id ${newId}, team text, customer_id ${id} references customer (id) on delete cascade);
  create table visit (id ${newId}, customer_id ${id} references customer (id) on delete set null);
  insert into customer (name) values ('Ada'), ('Bob'), ('Cleo');
  insert into orders (team, customer_id) values ('red', 1), ('red', 1), ('blue', ${isOther ? 2 : 1});
  insert into visit (customer_id) values (1)`

/** How often a page is read: a busy machine may not count in the time that a page has for it. */
const maxTries = 20

for (const database of databases)
  describe(`Pages with a form that deletes · ${database.name}`, () => {
    /** Returns what the form of a page says. */
    const readForms = async (isOther: boolean, team: string, path: string, expected: string) => {
      const opened = await database.create()
      const store = await openStore(model, opened.url)
      await store.migrate([{ version: 1, sql: createTables(database.columnTypes, isOther) }])
      const handle = createHandler({
        ...{ model, store, html: createPages(), authenticate: () => ({ team }) },
      })
      const headers = { accept: 'text/html' }
      let form = ''
      for (let tries = 0; tries < maxTries && form !== expected; tries += 1) {
        const response = await handle(new Request(`http://localhost${path}`, { headers }))
        form = /This deletes [^<]*/.exec(await response.text())?.[0] ?? ''
      }
      await store.close()
      await opened.remove()
      return form
    }
    const cases = [
      ['blue', '/customers/1', 'deletes: 1 order. With it, the database changes: 1 visit.'],
      ['red', '/customers/1', 'deletes: 2 order. With it, the database changes: 1 visit.'],
    ] as const
    for (const [team, path, text] of cases)
      it(`tell the ${team} team how many rows the database deletes and changes with it`, async () => {
        const expected = `This deletes customer 1. With it, the database ${text}`
        assert.equal(await readForms(false, team, path, expected), expected)
      })

    it('tell nothing of rows that the identity may not read', async () => {
      const expected = `This deletes customer 1. With it, the database ${cases[1][2]}`
      assert.equal(await readForms(true, 'red', '/customers/1', expected), expected)
    })

    it('tell nothing of a resource that nothing references', async () => {
      const alone = 'This deletes customer 3.'
      assert.equal(await readForms(false, 'red', '/customers/3', alone), alone)
      const visited = 'This deletes visit 1.'
      assert.equal(await readForms(false, 'red', '/visits/1', visited), visited)
    })

    it('have no form where the rules refuse the deletion', async () => {
      assert.equal(await readForms(false, 'red', '/orders/1', ''), '')
    })
  })
