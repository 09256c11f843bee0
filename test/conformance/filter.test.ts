import assert from 'node:assert/strict'
import type { TestService } from '../service-suite.ts'
import { describeService, ids, rule } from '../service-suite.ts'
import { createSamples } from './samples.ts'

describeService('Filtering', (app: TestService) => {
  rule(
    'FIL-1',
    'given a list of filter objects, a collection has the matching resources',
    async () => {
      const { ada, grace, engine } = await createSamples(app)
      const byName = [{ name: 'name', op: 'startswith', val: 'G' }]
      assert.deepEqual(ids(await app.get('/persons', { filter: byName })), [grace.id])
      const byDate = [{ name: 'birth_date', op: 'lt', val: '1900-01-01' }]
      assert.deepEqual(ids(await app.get('/persons', { filter: byDate })), [ada.id])
      assert.deepEqual(ids(await app.get('/persons', { filter: [...byName, ...byDate] })), [])
      const byOwner = [{ name: 'owner__name', op: 'eq', val: 'Ada' }]
      assert.deepEqual(ids(await app.get('/computers', { filter: byOwner })), [engine.id])
      const path = `/persons/${ada.id}/computers`
      assert.deepEqual(ids(await app.get(path, { filter: byOwner })), [engine.id])
      const bySerial = [{ name: 'serial', op: 'eq', val: 'compiler' }]
      assert.deepEqual(ids(await app.get(path, { filter: bySerial })), [])
    },
  )

  rule('FIL-1', 'given filter[field], a collection has the resources with this value', async () => {
    const { grace, engine } = await createSamples(app)
    assert.deepEqual(ids(await app.get('/persons', { 'filter[name]': 'Grace' })), [grace.id])
    const two = { 'filter[name]': 'Grace', 'filter[gender]': 'male' }
    assert.deepEqual(ids(await app.get('/persons', two)), [])
    const byOwner = await app.get('/computers', { 'filter[owner__name]': 'Ada' })
    assert.deepEqual(ids(byOwner), [engine.id])
  })

  rule(
    'FIL-1',
    'given filter and filter[field], both apply, and the count has the matches',
    async () => {
      const { grace } = await createSamples(app)
      const filter = [
        {
          or: [
            { name: 'name', op: 'eq', val: 'Grace' },
            { name: 'name', op: 'eq', val: 'Ada' },
          ],
        },
      ]
      const response = await app.get('/persons', { filter, 'filter[gender]': 'female' })
      assert.deepEqual(ids(response), [grace.id])
      assert.deepEqual(response.body.meta, { count: 1 })
    },
  )
})
