import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import type { Resource } from '../../test-response.ts'
import { addComputer, addPerson, events, office } from './office.ts'
import { batchType, describeBatches, summarize } from './send-batch.ts'

const tables = ['person', 'computer', 'membership', 'folder', 'purchase']
const person = (id: string) => ({ type: 'person', id })
/** A create, a change of members, an update of two rows, and a deletion. */
const operations = [
  addPerson('Eve', 'p'),
  addComputer('c', { type: 'person', lid: 'p' }),
  { op: 'add', ref: { type: 'team', id: '1', relationship: 'people' }, data: [person('1')] },
  {
    op: 'update',
    ref: { ...person('1'), relationship: 'computers' },
    data: [
      { type: 'computer', id: '1' },
      { type: 'computer', id: '2' },
    ],
  },
  { op: 'remove', ref: person('2') },
]

describeBatches('Restricted writes in one request', office, (app) => {
  beforeEach(() => {
    events.length = 0
  })
  const readAll = () =>
    Promise.all(tables.map((table) => app.rows(`select * from ${table} order by 1, 2`)))
  const dry = { prefer: 'dry-run' }

  it('a dry run says what all operations affect, and stores nothing', async () => {
    const before = await readAll()
    const response = await app.batch(operations, dry)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), batchType)
    assert.equal(response.headers.get('preference-applied'), 'dry-run')
    assert.deepEqual(Reflect.get(response.document, 'meta'), {
      message: 'Nothing was written: this was a dry run',
      dryRun: true,
      affected: { person: { created: 1, deleted: 1 }, computer: { created: 1, updated: 2 } },
      members: {
        team: { people: { added: 1, removed: 0 } },
        person: { computers: { added: 2, removed: 0 } },
      },
    })
    const [created, , related] = response.results
    const would = created?.meta?.wouldCreate
    assert.deepEqual(Object.keys(would ?? {}).sort(), ['attributes', 'relationships', 'type'])
    assert.deepEqual(related, {})
    assert.equal(response.results.length, operations.length)
    assert.deepEqual(await readAll(), before)
    assert.deepEqual(events, ['created Eve'])
  })

  it('a dry run hides the id of a new resource also where a later operation changes it', async () => {
    const own = { type: 'person', lid: 'p' }
    const [created, updated, other] = (
      await app.batch(
        [
          addPerson('Eve', 'p'),
          { op: 'update', data: { ...own, attributes: { note: 'new' } } },
          { op: 'update', data: { ...person('1'), attributes: { note: 'old' } } },
        ],
        dry,
      )
    ).results
    const would = updated?.meta?.wouldCreate as Resource | undefined
    assert.deepEqual(Object.keys(updated ?? {}), ['meta'])
    assert.deepEqual(Object.keys(would ?? {}), Object.keys(created?.meta?.wouldCreate ?? {}))
    assert.equal(would?.attributes?.note, 'new')
    assert.doesNotMatch(JSON.stringify([created, updated]), /"(?:id|self|related)":/)
    assert.deepEqual([other?.data?.id, other?.meta], ['1', undefined])
  })

  it('a dry run counts what the dry runs of single requests count', async () => {
    const single = await app.send('DELETE', '/persons/2', undefined, dry)
    const batch = await app.batch([{ op: 'remove', ref: person('2') }], dry)
    const affectedOf = ({ document }: typeof batch) => Reflect.get(document, 'meta').affected
    assert.deepEqual(affectedOf(batch), affectedOf(single))
  })

  it('a dry run has the errors of the batch', async () => {
    const failing = [addPerson('Eve'), { op: 'remove', ref: person('99') }]
    const [tried, sent] = [await app.batch(failing, dry), await app.batch(failing)]
    assert.deepEqual(summarize(tried), ['404 not_found /atomic:operations/1/ref'])
    assert.deepEqual(tried.errors, sent.errors)
  })

  it('counts a new resource that references itself once', async () => {
    const own = {
      op: 'add',
      data: {
        ...addPerson('Eve', 'p').data,
        relationships: { boss: { data: { type: 'person', lid: 'p' } } },
      },
    }
    const { document } = await app.batch([own], dry)
    assert.deepEqual(Reflect.get(document, 'meta').affected, { person: { created: 1 } })
  })

  it('a batch that affects more rows than its client allows writes nothing', async () => {
    const before = await readAll()
    // Two persons, three computers and one member.
    const refused = await app.batch(operations, { prefer: 'max-affected=5' })
    assert.deepEqual([refused.status, refused.errors[0]?.code], [422, 'too_many_affected'])
    assert.deepEqual(await readAll(), before)
    const allowed = await app.batch(operations, { prefer: 'max-affected=6' })
    assert.equal(allowed.status, 200)
    assert.equal(allowed.headers.get('preference-applied'), 'max-affected=6')
    assert.equal(allowed.results.length, operations.length)
  })

  for (const prefer of ['dry-run', 'max-affected=9'])
    it(`refuses ${prefer} for an action that does not declare it, and writes nothing`, async () => {
      const before = await readAll()
      const call = {
        op: 'update',
        href: '/persons/1/actions/rename',
        data: { meta: { to: 'Ida' } },
      }
      const { status, errors } = await app.batch([addPerson('Eve'), call], { prefer })
      assert.deepEqual([status, errors.map(({ code }) => code)], [400, ['invalid_preference']])
      assert.deepEqual(await readAll(), before)
    })
})
