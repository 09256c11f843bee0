import assert from 'node:assert/strict'
import type { World } from '../world.ts'
import { chapter, ids, rule } from '../world.ts'
import { createSamples } from './samples.ts'

chapter('FIL Filtering', (world: World) => {
  // FIL-1 Use the `filter` family; the strategy is free.
  rule('FIL-1', 'a collection is filtered by a list of filter objects', async () => {
    const { ada, grace, engine } = await createSamples(world)
    const named = [{ name: 'name', op: 'startswith', val: 'G' }]
    assert.deepEqual(ids(await world.get('/persons', { filter: named })), [grace.id])
    const born = [{ name: 'birth_date', op: 'lt', val: '1900-01-01' }]
    assert.deepEqual(ids(await world.get('/persons', { filter: born })), [ada.id])
    assert.deepEqual(ids(await world.get('/persons', { filter: [...named, ...born] })), [])
    const owned = [{ name: 'owner__name', op: 'eq', val: 'Ada' }]
    assert.deepEqual(ids(await world.get('/computers', { filter: owned })), [engine.id])
    const path = `/persons/${ada.id}/computers`
    assert.deepEqual(ids(await world.get(path, { filter: owned })), [engine.id])
    const other = [{ name: 'serial', op: 'eq', val: 'compiler' }]
    assert.deepEqual(ids(await world.get(path, { filter: other })), [])
  })

  rule('FIL-1', 'a collection is filtered by the value of a field', async () => {
    const { grace, engine } = await createSamples(world)
    assert.deepEqual(ids(await world.get('/persons', { 'filter[name]': 'Grace' })), [grace.id])
    const two = { 'filter[name]': 'Grace', 'filter[gender]': 'male' }
    assert.deepEqual(ids(await world.get('/persons', two)), [])
    const owned = await world.get('/computers', { 'filter[owner__name]': 'Ada' })
    assert.deepEqual(ids(owned), [engine.id])
  })

  rule('FIL-1', 'both forms together combine, and the count is that of the matches', async () => {
    const { grace } = await createSamples(world)
    const filter = [
      {
        or: [
          { name: 'name', op: 'eq', val: 'Grace' },
          { name: 'name', op: 'eq', val: 'Ada' },
        ],
      },
    ]
    const answer = await world.get('/persons', { filter, 'filter[gender]': 'female' })
    assert.deepEqual(ids(answer), [grace.id])
    assert.deepEqual(answer.body.meta, { count: 1 })
  })
})
