import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeService, ids } from '../../service-suite.ts'

/** Wraps a filter on persons in relationships, each with `not`s around it: an even number in all, so they cancel out. */
function nested(levels: number, nots: number): unknown {
  let filter: unknown = { name: 'name', op: 'eq', val: 'Ada' }
  for (let level = 0; level < levels; level += 1) {
    for (let not = 0; not < nots; not += 1) filter = { not: filter }
    const relationship =
      level % 2 === 0 ? { name: 'owner', op: 'has' } : { name: 'computers', op: 'any' }
    filter = { ...relationship, val: filter }
  }
  return [filter]
}

describeService('Queries that are too complex for a database', (app) => {
  it('are served up to the limit of the database, then rejected with 400, never with 500', async () => {
    const ada = await app.person({ name: 'Ada' })
    await app.computer({}, ada)
    const statuses: number[] = []
    for (let nots = 0; nots <= 3; nots += 1) {
      const response = await app.get('/persons', { filter: nested(20, nots) })
      statuses.push(response.status)
      if (response.status === 200) assert.deepEqual(ids(response), [ada.id])
      else assert.match(response.error.detail, /too complex for the database/)
    }
    // PostgreSQL accepts every valid query; the parser of SQLite does not.
    const expected = app.dialect === 'postgres' ? [200] : [200, 400]
    assert.deepEqual([...new Set(statuses)].sort(), expected)
  })

  it('are served up to the deepest allowed include, and rejected beyond it', async () => {
    const ada = await app.person()
    const computer = await app.computer({}, ada)
    const path = (length: number) =>
      Array.from({ length }, (_, index) => (index % 2 === 0 ? 'computers' : 'owner')).join('.')
    const deepest = await app.get('/persons', { include: path(20) })
    assert.deepEqual(
      deepest.body.included?.map(({ id }) => id),
      [computer.id],
    )
    const deeper = await app.get('/persons', { include: path(21) })
    assert.equal(deeper.status, 400)
    assert.equal(deeper.error.source?.parameter, 'include')
  })
})
