import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { serveDatabase } from '../cli/walk-database.ts'
import { databases } from '../databases.ts'
import { filled } from '../filled.ts'

for (const database of databases.filter(({ dialect }) => dialect === 'sqlite'))
  describe('Booleans of other programs on SQLite', () => {
    it('given -1 for true, as Access stores it, then filters and sorts find what responses have', async (test) => {
      const url = await filled(
        test,
        database,
        `create table product (id integer primary key, discontinued boolean, sold boolean);
         create table sale (id integer primary key, product_id integer references product (id));
         insert into product values (1, -1, 1), (2, 0, 0), (3, 1, null), (4, 2.5, 1), (5, null, 0), (6, 'f', 1);
         insert into sale values (1, 1), (2, 2)`,
      )
      const { get, send } = await serveDatabase(test, url)
      const list = async (path: string) => [(await get(path)).data].flat()
      const ids = async (path: string) => (await list(path)).map((each) => each?.id)
      const filter = (op: string, val: unknown) =>
        `/products?filter=${encodeURIComponent(JSON.stringify([{ name: 'discontinued', op, val }]))}`
      const values = (await list('/products')).map((each) => each?.attributes?.discontinued)
      assert.deepEqual(values, [true, false, true, true, null, null])
      assert.deepEqual(await ids('/products?filter[discontinued]=true'), ['1', '3', '4'])
      assert.deepEqual(await ids(filter('ne', true)), ['2'])
      assert.deepEqual(await ids(filter('in_', [false])), ['2'])
      assert.deepEqual(await ids(filter('eq', null)), ['5', '6'])
      assert.deepEqual(await ids('/sales?filter[product__discontinued]=true'), ['1'])
      const attributes = { discontinued: false }
      const data = { type: 'products', id: '1', attributes }
      assert.equal((await send('PATCH', '/products/1', JSON.stringify({ data }))).status, 200)
      assert.deepEqual(await ids('/products?filter[discontinued]=false'), ['1', '2'])
    })
  })
