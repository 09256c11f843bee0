import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { assertServiceConforms } from '../../checker/check-served.ts'
import { connect } from '../../client.ts'
import type { Database } from '../../databases.ts'
import { folder, start } from '../../service/child.ts'
import { parseResponse } from '../../test-response.ts'
import { assertNoFailures, createStats, sendMalformed, type Target } from './send-malformed.ts'

/** The maximum number of requests that are generated together. */
const maxBatch = 10_000
/** The share of the requests that must be rejected; others are valid by chance. */
const rejectedShare = 0.7
/** The maximum growth of the memory of the service after the first batch, in MiB. */
const growth = 150
/** The maximum duration of a valid request afterwards, in milliseconds. */
const timeout = 20_000

/** The result of a run. */
interface MalformedReport {
  readonly sent: number
  readonly rejected: number
  /** Resident memory of the service after the first batch and at the end, in MiB. */
  readonly memory: readonly [first: number, last: number]
}

/**
 * Sends malformed requests of every kind to a process of the service. No response may be a 500 or take too long. Afterwards, the
 * service must respond in time, and its memory must not have grown.
 */
export async function testMalformedRequests(
  test: TestContext,
  database: Database,
  requests: number,
): Promise<MalformedReport> {
  const { url: databaseUrl, remove } = await database.create()
  // `test/html/malformed.test.ts` sends them to the pages.
  const args = ['--log-level', 'silent', '--html', 'off', '--database-url', databaseUrl]
  const child = await start(test, await folder(test), args)
  const { target, close } = targetAt(child.url)
  for (const name of ['Ada', 'Alan']) await create(target, 'person', { name })
  for (const serial of ['A-1', 'A-2']) await create(target, 'computer', { serial })
  const stats = createStats(2, 2)
  const batch = Math.min(maxBatch, Math.ceil(requests / 4))
  let first: number | undefined
  for (let round = 0; stats.sent < requests; round += 1) {
    await sendMalformed(target, stats, Math.min(batch, requests - stats.sent), round)
    assertNoFailures(stats)
    first ??= await memoryOf(child.process.pid)
  }
  assert.ok(stats.rejected > requests * rejectedShare, `only ${stats.rejected} were rejected`)
  const begun = performance.now()
  const { status } = await target.call('GET', '/persons/1')
  assert.equal(status, 200)
  assert.ok(performance.now() - begun < timeout, `${performance.now() - begun} ms`)
  const last = await memoryOf(child.process.pid)
  assert.ok(last - (first ?? last) < growth, `${first} MiB became ${last} MiB`)
  for (const [path, count] of [
    ['/persons', stats.persons],
    ['/computers', stats.computers],
  ] as const) {
    const response = await target.call('GET', path, { query: { 'page[size]': '1' } })
    assert.equal(response.body.meta?.count, count)
  }
  close()
  assert.equal((await child.end('SIGTERM')).code, 0, child.printed())
  await remove()
  return { sent: stats.sent, rejected: stats.rejected, memory: [first ?? last, last] }
}

function targetAt(url: string): Readonly<{ target: Target; close: () => void }> {
  const session = connect(url)
  const call: Target['call'] = async (method, path, options) => {
    const exchange = await session.send(method, path, options)
    assertServiceConforms({ ...exchange, isRandom: true })
    return parseResponse(exchange)
  }
  return { target: { url, call }, close: session.close }
}

async function create({ call }: Target, type: string, attributes: object): Promise<void> {
  const { status } = await call('POST', `/${type}s`, { body: { data: { type, attributes } } })
  assert.equal(status, 201)
}

/** The resident memory of a process, in MiB. */
export async function memoryOf(pid: number | undefined): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
  return Math.round(Number(stdout) / 1024)
}
