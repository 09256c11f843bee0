import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startMeters } from 'lapidary/telemetry'
import {
  type ObservedStatement,
  RunningStatement,
  statementEnded,
} from '../../src/observe/events.ts'

const source = { system: 'sqlite' }

/** What a process has measured while work ran. */
function measure(work: () => void) {
  const meters = startMeters()
  try {
    work()
    return meters.snapshot()
  } finally {
    meters.stop()
  }
}

describe('Measured statements', () => {
  it('are in series of their own up to 1,000; further ones share that of their operation', () => {
    const { operationDuration = [] } = measure(() => {
      for (let index = 0; index < 3000; index += 1)
        new RunningStatement({ sql: `select * from tenant_${index}` }, source).end(1)
    })
    assert.equal(operationDuration.length, 1001)
    const [shared] = operationDuration.filter(
      ({ attributes }) => attributes['db.query.summary'] === 'SELECT',
    )
    assert.equal(
      shared?.buckets?.reduce((sum, count) => sum + count),
      2000,
    )
    assert.equal(shared.attributes['db.collection.name'], undefined)
  })

  it('that fail have the code of the database, or the class of the error, and never its message', () => {
    const coded = Object.assign(new Error('secret of a row'), { code: '23505' })
    const wrapped = new Error('secret outside', { cause: coded })
    const { operationDuration = [], returnedRows = [] } = measure(() => {
      for (const error of [wrapped, new RangeError('secret of a value'), 'secret text'])
        new RunningStatement({ sql: 'select 1' }, source).fail(error)
    })
    assert.deepEqual(
      operationDuration.map(({ attributes }) => [
        attributes['error.type'],
        attributes['db.response.status_code'],
      ]),
      [
        ['23505', '23505'],
        ['RangeError', undefined],
        ['_OTHER', undefined],
      ],
    )
    assert.doesNotMatch(JSON.stringify({ operationDuration, returnedRows }), /secret/)
  })

  it('that are read in batches count once, without the waits between their batches', () => {
    const heard: ObservedStatement[] = []
    const listen = (each: ObservedStatement) => void heard.push(each)
    statementEnded.subscribe(listen)
    const running = new RunningStatement({ sql: 'select 1' }, source)
    running.addBatch(200, 2)
    running.addBatch(50, 1)
    running.endBatches()
    statementEnded.unsubscribe(listen)
    assert.deepEqual(
      heard.map(({ rows, duration }) => ({ rows, duration })),
      [{ rows: 250, duration: 3 }],
    )
  })
})
