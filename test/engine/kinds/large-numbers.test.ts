import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, integer64, number, resource } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'

const served = {
  model: defineModel([
    resource('star', {
      path: '/stars',
      table: 'star',
      fields: { mass: attribute(number), rank: attribute(integer64()) },
    }),
  ]),
  tables: ({ newId, number, integer64 }: ColumnTypes) =>
    `create table star (id ${newId}, mass ${number}, rank ${integer64})`,
}

/** Doubles whose shortest spelling in digits alone is another whole number, and their neighbours. */
const masses = [2 ** 53, 2 ** 60, 2 ** 62, -(2 ** 62), 2 ** 62 + 1024, 2 ** 63, 1e21, 1e22]

engine('Doubles beyond 2^53', served, (app) => {
  for (const op of ['in_', 'eq', 'between']) {
    it(`are found by ${op} as they were stored`, async () => {
      for (const mass of masses) {
        const data = { type: 'star', attributes: { mass } }
        assert.equal((await app.post('/stars', { data })).status, 201)
      }
      for (const [index, mass] of masses.entries()) {
        const val = { in_: [mass, null], eq: mass, between: [mass, mass] }[op]
        const found = await app.get('/stars', { filter: [{ name: 'mass', op, val }] })
        assert.deepEqual(ids(found), [String(index + 1)], `${op} ${mass}`)
      }
    })
  }

  it('do not make 64-bit integers in the same rows lose digits', async () => {
    await app.execute(`insert into star (mass, rank) values
      (9223372036854775807.0, 9223372036854775807), (9007199254740992.0, 9007199254740993),
      (9007199254740992.0, 9007199254740992), (4611686018427388928.0, 4611686018427388928), (0.5, 0)`)
    const found = async (op: string) =>
      ids(await app.get('/stars', { filter: [{ name: 'mass', op, field: 'rank' }] }))
    assert.deepEqual(await found('eq'), ['3', '4'])
    assert.deepEqual(await found('gt'), ['1', '5'])
    assert.deepEqual(await found('lt'), ['2'])
  })
})
