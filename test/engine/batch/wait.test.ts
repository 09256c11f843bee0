import assert from 'node:assert/strict'
import { once } from 'node:events'
import { beforeEach, it } from 'node:test'
import { attribute, defineModel, idempotencyTable, resource, text } from 'lapidary'
import { addPerson, events, office } from './office.ts'
import { type BatchSuite, describeBatches } from './send-batch.ts'

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

/** The notes that have been committed. */
const committed: string[] = []
const note = resource('note', {
  path: '/notes',
  table: 'note',
  fields: { text: attribute(text) },
  hooks: {
    // It waits until nobody needs it any more.
    afterCreate: async ({ attributes }, { signal }) => {
      if (attributes.text === 'slow' && !signal.aborted) await once(signal, 'abort')
    },
    afterCommit: ({ operation }) => {
      committed.push(operation)
    },
  },
})
const notes: BatchSuite = {
  model: defineModel([note], { atomic: true, principal: () => 'everybody' }),
  tables: ({ newId }) => `create table note (id ${newId}, text text); ${idempotencyTable}`,
  fill: `insert into note (text) values ('first')`,
}
const addNote = (text: string) => ({ op: 'add', data: { type: 'note', attributes: { text } } })

describeBatches('Several writes in one request that are late', notes, (app) => {
  for (const prefer of ['wait=1', 'wait=1, max-affected=5', 'wait=1, dry-run'])
    it(`are rolled back together, and their key may be used again: ${prefer}`, async () => {
      committed.length = 0
      const headers = { prefer, 'idempotency-key': '"late"' }
      const late = await app.batch([addNote('quick'), addNote('slow'), addNote('last')], headers)
      assert.deepEqual(
        late.errors.map(({ status, code, source }) => [status, code, source]),
        [['503', 'query_timeout', undefined]],
      )
      assert.match(String(late.errors[0]?.detail), /wait=1 allows, and was stopped/)
      assert.deepEqual(await app.rows('select text from note'), [{ text: 'first' }])
      assert.deepEqual(committed, [])
      const again = await app.batch([addNote('second')], { 'idempotency-key': '"late"' })
      assert.equal(again.status, 200)
      assert.equal(again.headers.get('idempotency-replayed'), null)
      assert.deepEqual(committed, ['create'])
    })
})
