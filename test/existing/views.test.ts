import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  attribute,
  DeclarationError,
  defineModel,
  integer,
  type Model,
  resource,
  text,
  toOne,
} from 'lapidary'
import { databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { filled } from '../filled.ts'

const readOnly: Model = defineModel([
  resource('total', {
    path: '/totals',
    table: 'total',
    access: 'read-only',
    fields: { amount: attribute(integer) },
  }),
])
const writable: Model = defineModel([
  resource('total', {
    path: '/totals',
    table: 'total',
    id: { client: 'required' },
    fields: { amount: attribute(integer), label: attribute(text, { access: 'read-only' }) },
  }),
])
/** Sales, each with the row of a view whose key is the sale's id. */
const withTotal = (access: 'read-only' | 'read-write') =>
  defineModel([
    resource('sale', {
      path: '/sales',
      table: 'sale',
      id: { client: 'required' },
      fields: { total: toOne('total', { column: 'id', foreignKey: 'other', access }) },
    }),
    resource('total', {
      path: '/totals',
      table: 'total',
      access: 'read-only',
      fields: { amount: attribute(integer) },
    }),
  ])
const tables = `
  create table sale (id integer primary key, shop integer, amount integer);
  insert into sale values (1, 5, 10), (2, 5, 20), (3, null, 30);`
const aggregated = `create view total as select id, amount, 'x' as label from sale group by id, amount`

/** A title, the view, the model, and the line of the error on each database. */
type Case = readonly [title: string, view: string, model: Model, sqlite: string, postgres?: string]

const idError = (problem: string) =>
  `total.id: the column "id" of "total" ${problem}, and each id must name one resource; choose another column, or change the view`

// biome-ignore format: a table, one row per case
const cases: readonly Case[] = [
  ['given a view whose id repeats, it is rejected with the id',
    `create view total as select coalesce(shop, 7) as id, amount from sale`, readOnly, idError('has "5" in several rows')],
  ['given a view whose id is null in a row, it is rejected',
    `create view total as select shop as id, sum(amount) as amount from sale group by shop`, readOnly, idError('is null in some rows')],
  ['given a writable view that accepts no change, it is rejected', aggregated, writable,
    'total.access: "total" is a view; set access: "read-only"'],
]

for (const database of databases) {
  const { dialect } = database
  describe(`Views at the start · ${database.name}`, () => {
    for (const [title, view, model, error] of cases)
      it(title, async (test) => {
        const store = await openStore(model, await filled(test, database, `${tables} ${view}`))
        test.after(() => store.close())
        await assert.rejects(store.verify(), (thrown) => {
          assert.ok(thrown instanceof DeclarationError)
          assert.deepEqual(thrown.errors, [error])
          return true
        })
      })

    it('given a view with a trigger for inserts only, the error names the changes that are left', async (test) => {
      const trigger =
        dialect === 'sqlite'
          ? `create trigger "a ""b""" instead of /* update */ insert on "TOTAL" begin select 1; end`
          : `create function nothing() returns trigger language plpgsql as $$ begin return new; end $$;
             create trigger a instead of insert on total for each row execute function nothing()`
      const sql = `${tables} ${aggregated}; ${trigger}`
      const store = await openStore(writable, await filled(test, database, sql))
      test.after(() => store.close())
      await assert.rejects(store.verify(), {
        errors: [
          'total.access: the view "total" accepts no update and delete; create a trigger "instead of update and delete", or set access: "read-only"',
        ],
      })
    })

    it('given a view that computes a column, it is served with its declared kind', async (test) => {
      const sql = `${tables} create view total as select id, amount + 1 as amount from sale`
      const store = await openStore(readOnly, await filled(test, database, sql))
      test.after(() => store.close())
      assert.deepEqual(await store.verify(), { warnings: [], unserved: [] })
    })

    it('given a relationship whose key a view holds that accepts no update, it is rejected unless it is read-only', async (test) => {
      const sql = `${tables} ${aggregated}`
      const open = async (access: 'read-only' | 'read-write') =>
        openStore(withTotal(access), await filled(test, database, sql))
      const rejected = await open('read-write')
      test.after(() => rejected.close())
      await assert.rejects(rejected.verify(), {
        errors: ['sale.fields.total.access: "total" is a view; set access: "read-only"'],
      })
      const served = await open('read-only')
      test.after(() => served.close())
      await served.verify()
    })

    if (dialect === 'postgres') {
      it('given a writable field over a column that a view computes, it is rejected', async (test) => {
        const sql = `${tables} create view total as select id, amount + 1 as amount, 'x' as label from sale`
        const store = await openStore(writable, await filled(test, database, sql))
        test.after(() => store.close())
        await assert.rejects(store.verify(), {
          errors: [
            'total.fields.amount.access: the column "amount" of the table "total" cannot be written through the view; set access: "read-only"',
          ],
        })
      })

      it('given a rule on inserts that returns no row, creates with ids of the database are a warning', async (test) => {
        const sql = `create table log (id bigint generated by default as identity primary key);
          create table sale (id bigint generated by default as identity primary key, amount bigint);
          create rule log_sale as on insert to sale do instead insert into log default values`
        const sale = resource('sale', {
          path: '/sales',
          table: 'sale',
          fields: { amount: attribute(integer) },
        })
        const store = await openStore(defineModel([sale]), await filled(test, database, sql))
        test.after(() => store.close())
        assert.deepEqual((await store.verify()).warnings, [
          `sale: the rule "log_sale" on "sale" replaces inserts and does not return the new row, so creates without a client's id are 409; to fix it: add "returning" to the rule, use a trigger, or set client: "required"`,
        ])
      })
    }
  })
}
