import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, boolean, defineModel, integer, resource, text, toMany, toOne } from 'lapidary'
import { z } from 'zod'
import type { ColumnTypes } from '../../databases.ts'
import type { TestResponse } from '../../test-response.ts'
import { engine } from '../engine.ts'

// A foreign key may be an attribute, too. Then a change of the relationship changes the attribute, and the validator of the type
// runs, from whichever side the relationship is written.

const seat = resource('seat', {
  path: '/seats',
  table: 'seat',
  validate: z
    .object({ name: z.string().nullable(), sold: z.any(), guest_id: z.number().nullable() })
    .refine(({ sold, guest_id }) => !sold || guest_id !== null, {
      path: ['guest_id'],
      message: 'a sold seat needs a guest',
    })
    .refine(({ name, guest_id }) => name !== 'A1' || guest_id !== 2, {
      path: ['guest_id'],
      message: 'guest 2 must not sit there',
    }),
  fields: {
    name: attribute(text),
    sold: attribute(boolean, { default: false }),
    guest_id: attribute(integer, { access: 'read-only' }),
    guest: toOne('guest', { column: 'guest_id' }),
  },
})
const guest = resource('guest', {
  path: '/guests',
  table: 'guest',
  fields: { name: attribute(text), seats: toMany('seat', { column: 'guest_id' }) },
})

const served = {
  model: defineModel([seat, guest]),
  tables: ({ newId, boolean: flag }: ColumnTypes, dialect: string) => `
    create table guest (id ${newId}, name text);
    create table seat (id ${newId}, name text, sold ${flag}, guest_id bigint references guest (id));
    insert into guest values (1, 'Ada'), (2, 'Bob');
    insert into seat (id, name, sold, guest_id) values (1, 'A1', ${dialect === 'sqlite' ? '1' : 'true'}, 1),
      (2, 'A2', ${dialect === 'sqlite' ? '1' : 'true'}, 1), (3, 'A3', ${dialect === 'sqlite' ? '0' : 'false'}, null)`,
}

const seats = (...ids: string[]) => ({ data: ids.map((id) => ({ type: 'seat', id })) })
const errorsOf = ({ status, body }: TestResponse) => [
  status,
  ...(body.errors ?? []).map(({ detail, source }) => `${source?.pointer} ${detail}`),
]

engine('Validators of foreign keys', served, (app) => {
  const sold = 'guest_id: a sold seat needs a guest.'
  const place = 'guest_id: guest 2 must not sit there.'
  const writes = [
    [
      'POST',
      '/seats',
      { data: { type: 'seat', attributes: { sold: true } } },
      [422, `/data/attributes/guest_id ${sold}`],
    ],
    [
      'PATCH',
      '/seats/1',
      { data: { type: 'seat', id: '1', relationships: { guest: { data: null } } } },
      [422, `/data/attributes/guest_id ${sold}`],
    ],
    ['PATCH', '/seats/1/relationships/guest', { data: null }, [422, `/data ${sold}`]],
    [
      'PATCH',
      '/seats/1/relationships/guest',
      { data: { type: 'guest', id: '2' } },
      [422, `/data ${place}`],
    ],
    ['POST', '/guests/2/relationships/seats', seats('1', '3'), [422, `/data ${place}`]],
    ['DELETE', '/guests/1/relationships/seats', seats('1'), [422, `/data ${sold}`]],
    ['PATCH', '/guests/1/relationships/seats', seats('3'), [422, `/data ${sold}`]],
    [
      'PATCH',
      '/guests/2',
      { data: { type: 'guest', id: '2', relationships: { seats: seats('1') } } },
      [422, `/data ${place}`],
    ],
    [
      'POST',
      '/guests/2/seats',
      { data: { type: 'seat', attributes: { name: 'A1' } } },
      [422, `/data/attributes/guest_id ${place}`],
    ],
  ] as const
  for (const [method, path, body, expected] of writes) {
    it(`given ${method} ${path} ${JSON.stringify(body)}, when the seat would not be valid, then the response is 422 and nothing changes`, async () => {
      assert.deepEqual(errorsOf(await app.call(method, path, { body })), expected)
      const { many } = await app.get('/seats')
      assert.deepEqual(
        many.map(({ attributes }) => attributes?.guest_id),
        [1, 1, null],
      )
    })
  }

  it('given valid changes from both sides, when they are written, then they are stored', async () => {
    const moved = await app.post('/guests/2/relationships/seats', seats('2', '3'))
    assert.equal(moved.status, 200, moved.text)
    const data = { type: 'seat', attributes: { sold: true } }
    const created = await app.post('/guests/1/seats', { data })
    assert.equal(created.status, 201, created.text)
    const relationships = { guest: { data: { type: 'guest', id: '2' } } }
    assert.equal((await app.post('/seats', { data: { ...data, relationships } })).status, 201)
    const { many } = await app.get('/seats')
    assert.deepEqual(
      many.map(({ attributes }) => attributes?.guest_id),
      [1, 2, 2, 1, 2],
    )
  })
})
