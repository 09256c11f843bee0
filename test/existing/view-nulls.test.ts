import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, integer, resource, toMany, toOne } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { databases } from '../databases.ts'
import { engine, openStore } from '../engine/engine.ts'
import { execute, filled } from '../filled.ts'
import { ids } from '../test-response.ts'

/** Totals by shop: a view, whose id is null for sales without a shop. */
const shop = resource('shop', {
  path: '/shops',
  table: 'shop',
  access: 'read-only',
  fields: {
    total: toOne('total', { column: 'id', foreignKey: 'other' }),
    totals: toMany('total', { column: 'shop' }),
  },
})
const total = resource('total', {
  path: '/totals',
  table: 'total',
  access: 'read-only',
  fields: { amount: attribute(integer), shop: toOne('shop', { column: 'shop' }) },
})
const served = {
  model: defineModel([shop, total], { maxPageSize: null }),
  tables: `
    create table shop (id integer primary key);
    insert into shop values (1), (2);
    create table sale (shop integer, amount integer);
    insert into sale values (1, 10), (1, 5), (2, 20);
    create view total as select shop as id, coalesce(shop, 2) as shop, sum(amount) as amount from sale group by shop`,
}

engine('Views that get a row whose id is null', served, (app) => {
  it('leave it out of lists, counts, linkage, included and related resources, filters and sorts', async () => {
    const linked = { data: [{ type: 'total', id: '2' }] }
    for (const isAdded of [false, true]) {
      if (isAdded) await app.execute('insert into sale values (null, 7)')
      for (const query of [{}, { sort: '-amount' }, { 'page[size]': '0' }, { include: 'shop' }]) {
        const list = await app.get('/totals', query)
        assert.deepEqual(ids(list).toSorted(), ['1', '2'])
        assert.equal(list.body.meta?.count, 2)
      }
      const one = await app.get('/shops/2', { include: 'totals,total' })
      assert.deepEqual(
        one.body.included?.map(({ id }) => id),
        ['2'],
      )
      assert.deepEqual(one.one.relationships?.totals?.data, linked.data)
      assert.deepEqual(ids(await app.get('/shops/2/totals')), ['2'])
      assert.deepEqual((await app.get('/shops/2/relationships/totals')).body.data, linked.data)
      const few = [{ name: 'totals', op: 'any', val: { name: 'amount', op: 'lt', val: 8 } }]
      assert.deepEqual(ids(await app.get('/shops', { filter: few })), [])
      assert.equal((await app.get('/totals/null')).status, 404)
    }
  })
})

for (const database of databases)
  it(`given requests before all tables exist, when a view gets a null id, then it is left out · ${database.name}`, async (test) => {
    const [view = '', ...tables] = served.tables.split(';').toReversed()
    const url = await filled(test, database, `${tables.at(-1)}; insert into shop values (1), (2)`)
    // It verifies nothing at the start.
    const store = await openStore(served.model, url)
    const server = createServer({ model: served.model, store, logLevel: 'silent' })
    test.after(() => server.close().then(() => store.close()))
    const get = async (path: string) => JSON.parse((await server.inject(path)).body)
    assert.equal((await get('/totals')).errors[0].code, 'internal_error')
    assert.equal((await get('/shops')).meta.count, 2)
    await execute(
      url,
      `create table sale (shop integer, amount integer); insert into sale values (1, 10), (null, 7); ${view}`,
    )
    const { data, meta } = await get('/totals')
    assert.deepEqual([data.map(({ id }: { id: string }) => id), meta.count], [['1'], 1])
    assert.deepEqual((await get('/shops/2?include=totals')).data.relationships.totals.data, [])
  })
