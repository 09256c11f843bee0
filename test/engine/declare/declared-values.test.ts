import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  attribute,
  boolean,
  datetime,
  defineModel,
  expression,
  resource,
  sql,
  text,
  toOne,
  uuid,
} from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'

const door = resource('door', {
  path: '/doors',
  table: 'door',
  insertDefaults: { house_id: 1 },
  fields: {
    open: attribute(boolean, { required: true }),
    broken: attribute(boolean, { required: true }),
    passable: expression(boolean, (column) => sql`${column('open')} or ${column('broken')}`),
    hung: attribute(datetime, { default: '2024-02-29T12:30:00.5+01:00' }),
    key: attribute(uuid, { default: () => 'ABCDEF00-0000-4000-8000-000000000001' }),
    house: toOne('house', { column: 'house_id', access: 'read-only' }),
    gate: toOne('house', { column: 'gate_id', access: 'read-only' }),
    sign: attribute(text, { access: 'read-only' }),
  },
  hooks: { beforeCreate: () => ({ sign: 'Pull', gate: '1' }) },
})
const house = resource('house', { path: '/houses', table: 'house', fields: {} })
/** It is read-only, so no two fields write one column. */
const view = resource('sight', {
  path: '/sights',
  table: 'door',
  access: 'read-only',
  fields: { open: attribute(boolean), again: attribute(boolean, { column: 'open' }) },
})

const served = {
  model: defineModel([door, house, view]),
  tables: ({ newId, boolean, datetime, uuid }: ColumnTypes) => `
    create table house (id ${newId});
    create table door (id ${newId}, open ${boolean} not null, broken ${boolean} not null, hung ${datetime},
      "key" ${uuid},
      house_id integer not null references house (id), gate_id integer not null references house (id),
      sign text not null);
    insert into house values (1)`,
}

engine('Values from declarations', served, (app) => {
  const make = async (open: boolean, broken: boolean) => {
    const attributes = { open, broken }
    const response = await app.post('/doors', { data: { type: 'door', attributes } })
    assert.equal(response.status, 201, response.text)
    return response
  }

  it('a default is read like a value of a body, and serialized in canonical text', async () => {
    const { attributes = {} } = (await make(true, false)).one
    assert.equal(attributes.hung, '2024-02-29T11:30:00.5Z')
    assert.equal(attributes.key, 'abcdef00-0000-4000-8000-000000000001')
    const found = await app.get('/doors', { 'filter[hung]': '2024-02-29T11:30:00.5Z' })
    assert.deepEqual(ids(found), ['1'])
  })

  it('an expression is one operand, whatever operators it contains', async () => {
    for (const [open, broken] of [
      [true, false],
      [false, true],
      [false, false],
    ] as const)
      await make(open, broken)
    assert.deepEqual(ids(await app.get('/doors', { 'filter[passable]': 'false' })), ['3'])
    assert.deepEqual(ids(await app.get('/doors', { 'filter[passable]': 'true' })), ['1', '2'])
  })

  it('insert defaults and hooks fill columns that no field writes', async () => {
    const { one } = await make(true, true)
    assert.equal(one.attributes?.sign, 'Pull')
    for (const name of ['house', 'gate']) {
      const { body } = await app.get(`/doors/1/relationships/${name}`)
      assert.deepEqual(body.data, { type: 'house', id: '1' })
    }
  })
})
