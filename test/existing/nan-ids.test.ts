import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, resource, text, toMany, toOne } from 'lapidary'
import { engine, openStore } from '../engine/engine.ts'
import { ids } from '../test-response.ts'

const product = resource('product', {
  path: '/products',
  table: 'product',
  id: { column: 'no', client: 'required' },
  fields: { name: attribute(text), parts: toMany('part', { column: 'product_no' }) },
})
const part = resource('part', {
  path: '/parts',
  table: 'part',
  access: 'read-only',
  fields: { product: toOne('product', { column: 'product_no' }) },
})
const served = {
  model: defineModel([product, part]),
  only: 'postgres',
  // No client can have stored the key.
  hasForeignValues: true,
  tables: `
    create table product (no numeric(18,0) primary key, name text);
    create table part (id integer primary key, product_no numeric(18,0) references product (no));
    create index on part (product_no);
    insert into product values (1, 'one'), ('NaN', 'none'); insert into part values (1, 1), (2, 'NaN')`,
} as const

engine('Ids of the type numeric(n,0)', served, (app) => {
  it('given the id NaN, then the row is in no document, and the start says so', async () => {
    const list = await app.get('/products', { include: 'parts' })
    assert.deepEqual([ids(list), list.body.meta?.count], [['1'], 1])
    assert.equal((await app.get('/products/NaN')).status, 404)
    for (const query of [{ include: 'product' }, { 'fields[part]': 'product' }]) {
      const parts = await app.get('/parts', query)
      const linked = parts.many.map(({ relationships }) => relationships?.product?.data)
      assert.deepEqual(linked, [{ type: 'product', id: '1' }, null])
    }
    assert.equal((await app.get('/parts/2/product')).body.data, null)
    const store = await openStore(served.model, app.databaseUrl)
    const { warnings } = await store.verify()
    await store.close()
    assert.ok(
      warnings.includes(
        'product.id: the column "no" of "product" contains "NaN", which is not an id of product; such rows are left out of every response; correct or delete them',
      ),
      warnings.join('\n'),
    )
  })
})
