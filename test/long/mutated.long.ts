import assert from 'node:assert/strict'
import { it } from 'node:test'
import { connect } from '../client.ts'
import { databases } from '../databases.ts'
import { memoryOf } from '../property/malformed/malformed.ts'
import { sendMutated } from '../property/malformed/mutated.ts'
import { readCount } from '../read-count.ts'
import { folder, start } from '../service/child.ts'

/** Requests with changed bytes, for all databases together. With those of `malformed.long.ts` they are 500,000. */
const requests = readCount('LAPIDARY_MUTATED', 400_000, 10_000)
/** The maximum growth of the memory of the service after the first tenth, in MiB. */
const growth = 150
/** The share of the requests that must be rejected; others are valid in spite of the changed bytes. */
const rejectedShare = 0.9

for (const database of databases) {
  const share = Math.ceil(requests / databases.length)
  it(`given ${share} requests with changed bytes, the service responds, does not fail and does not grow · ${database.name}`, async (test) => {
    const { url: databaseUrl, remove } = await database.create()
    const args = ['--log-level', 'silent', '--html', 'off', '--database-url', databaseUrl]
    const child = await start(test, await folder(test), args)
    await sendMutated(child.url, share / 10)
    const first = await memoryOf(child.process.pid)
    const statuses = await sendMutated(child.url, share)
    const last = await memoryOf(child.process.pid)
    const list = [...statuses].sort().map(([status, times]) => `${status}: ${times}`)
    test.diagnostic(`${list.join(', ')}; ${first} MiB, then ${last} MiB`)
    const failed = [...statuses.keys()].filter((status) => status === 0 || status >= 500)
    assert.deepEqual(failed, [])
    const rejected = [...statuses].reduce(
      (sum, [status, times]) => sum + (status >= 400 ? times : 0),
      0,
    )
    assert.ok(rejected > share * rejectedShare, list.join(', '))
    assert.ok(last - first < growth, `${first} MiB became ${last} MiB`)
    const session = connect(child.url)
    assert.equal((await session.send('GET', '/persons')).status, 200)
    session.close()
    assert.equal((await child.end('SIGTERM')).code, 0, child.printed())
    await remove()
  })
}
