import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { addPerson, events, office } from './office.ts'
import { describeBatches } from './send-batch.ts'

describeBatches('Several writes in one request that has a deadline', office, (app) => {
  beforeEach(() => {
    events.length = 0
  })
  const remove = { op: 'remove', ref: { type: 'person', id: '2' } }

  it('are committed together, and the hooks after the commit run', async () => {
    const { status, headers } = await app.batch([addPerson('Eve'), remove], { prefer: 'wait=60' })
    assert.deepEqual([status, headers.get('preference-applied')], [200, 'wait=60'])
    assert.deepEqual(events, ['created Eve', 'committed create', 'committed delete'])
  })

  it('write nothing if one fails', async () => {
    const before = await app.rows('select name from person order by id')
    const unknown = { op: 'remove', ref: { type: 'person', id: '99' } }
    const { status } = await app.batch([addPerson('Eve'), unknown], { prefer: 'wait=60' })
    assert.equal(status, 404)
    assert.deepEqual(await app.rows('select name from person order by id'), before)
  })
})
