import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, date, defineModel, resource, text } from 'lapidary'
import { engine } from '../engine/engine.ts'

/** Prices until a day, which is a part of the id and an attribute. */
const declarePrice = <Type extends string>(type: Type, invalidValues: 'error' | 'null') =>
  resource(type, {
    path: `/${type}`,
    table: 'price',
    id: { column: ['product', 'till'], kind: [text, date] },
    access: 'read-only',
    fields: {
      product: attribute(text),
      till: attribute(date, { required: true, invalidValues }),
    },
  })
const served = {
  model: defineModel([declarePrice('strict', 'error'), declarePrice('lenient', 'null')]),
  only: 'postgres',
  // No client can have stored the date.
  hasForeignValues: true,
  tables: `
    create table price (product text, till date, primary key (product, till));
    insert into price values ('a', '2026-01-01'), ('a', 'infinity')`,
} as const

engine('A date in an id that is infinity', served, (app) => {
  it('given an attribute that allows null for it, then the row is served by its id', async () => {
    const response = await app.get('/lenient/a,infinity')
    assert.equal(response.status, 200)
    assert.deepEqual(response.body.data, {
      type: 'lenient',
      id: 'a,infinity',
      attributes: { product: 'a', till: null },
      links: { self: '/lenient/a%2Cinfinity' },
    })
    const list = await app.get('/lenient')
    assert.deepEqual([list.status, list.body.meta?.count], [200, 2])
  })

  it('given an attribute that does not, then only the field without it is served', async () => {
    assert.equal((await app.get('/strict/a,infinity')).status, 500)
    const response = await app.get('/strict/a,infinity', { 'fields[strict]': 'product' })
    assert.equal(response.status, 200)
  })
})
