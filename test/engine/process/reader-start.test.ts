import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { Reader } from '../../../src/sqlite/readers/reader.ts'
import { RemoteTransaction } from '../../../src/sqlite/readers/remote-transaction.ts'

describe('A reader process on SQLite', () => {
  it('given a deadline before it has started, then it is left to later reads', async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'lapidary-reader-'))
    const path = join(folder, 'test.db')
    new DatabaseSync(path).close()
    const reader = new Reader(path, () => {}, {})
    test.after(() => {
      reader.kill()
      rmSync(folder, { recursive: true })
    })
    const begin = (timeout: number) =>
      new RemoteTransaction(reader, {
        timeout,
        deadline: performance.now() + timeout,
        signal: undefined,
        record: () => {},
        onEnd: () => {},
      })
    const query = { statement: { sql: 'select 7', placeholders: [] }, values: { planValues: [] } }
    const first = begin(0)
    await assert.rejects(first.query(query), { code: 'query_timeout' })
    // Its `begin` was not sent, so nothing of it may be sent any more.
    await assert.rejects(first.query(query), { code: 'query_timeout' })
    first.end()
    const second = begin(60_000)
    assert.deepEqual(await second.query(query), [[7]])
    second.end()
    assert.ok(reader.isAlive)
  })
})
