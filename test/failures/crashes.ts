import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startService } from '../../service/start-service.ts'
import { assertServiceConforms } from '../checker/check-served.ts'
import { connect } from '../client.ts'
import { PostgresServer } from '../postgres-server.ts'
import { parseResponse } from '../test-response.ts'

/** The number of clients; each sends one request after the other. */
const clients = 8
/** The maximum number of failures, 20 ms apart, after the database has started again. */
const maxFailures = 100

/** The responses that clients got to their writes, by the name of the person that each write creates. */
class WriteRecord {
  /** The ids of persons whose creation was acknowledged. */
  readonly created = new Map<string, string>()
  /** Persons whose creation has no response, so that they may exist or not. */
  readonly inDoubt = new Set<string>()
  readonly rejected = new Set<string>()
  reads = 0
}

/**
 * Crashes PostgreSQL repeatedly while clients write. Afterwards, every acknowledged write must be stored once, and no rejected
 * write.
 */
export async function crashDuringWrites(test: TestContext, crashes: number): Promise<void> {
  const database = await PostgresServer.make()
  test.after(() => database.remove())
  const settings = {
    port: 0,
    logLevel: 'silent',
    databaseUrl: database.url,
    databaseTimeout: 3000,
  }
  const service = await startService(settings)
  test.after(() => service.close(0))
  const record = new WriteRecord()
  const stop = new AbortController()
  const work = Promise.all(
    Array.from({ length: clients }, (_, client) => load(service.url, client, record, stop.signal)),
  )
  for (let crash = 0; crash < crashes; crash += 1) {
    await pause(100 + Math.random() * 200)
    await database.crash()
    await pause(Math.random() * 100)
    await database.start()
    await assertServes(service.url)
  }
  stop.abort()
  await work
  await assertAccounted(service.url, record)
  const isTested =
    record.created.size > crashes && record.rejected.size > 0 && record.reads > crashes
  assert.ok(isTested, 'too few requests')
}

/** Writes and reads, one request after the other, until `stop`. */
async function load(
  url: string,
  client: number,
  record: WriteRecord,
  stop: AbortSignal,
): Promise<void> {
  const session = connect(url)
  for (let number = 0; !stop.aborted; number += 1) {
    const name = `${client}-${number}`
    const attributes = { name, email: `${name}@example.org` }
    const data = { type: 'person', attributes }
    const exchange = await session.send('POST', '/persons', { body: { data } })
    assertServiceConforms(exchange)
    const answer = parseResponse(exchange)
    if (answer.status === 201) record.created.set(name, answer.one.id)
    else {
      assert.equal(answer.status, 503, JSON.stringify(answer.body))
      assert.equal(answer.headers['retry-after'], '1')
      const isInDoubt = /may or may not have been stored/.test(JSON.stringify(answer.body))
      const list = isInDoubt ? record.inDoubt : record.rejected
      list.add(name)
    }
    const read = await session.send('GET', '/persons', {
      query: { sort: '-id', 'page[size]': '3' },
    })
    assertServiceConforms(read)
    if (read.status === 200) record.reads += 1
    else assert.equal(read.status, 503)
  }
  session.close()
}

async function assertServes(url: string): Promise<void> {
  const session = connect(url)
  for (let failures = 0; ; failures += 1) {
    const { status } = await session.send('GET', '/persons?page[size]=1')
    if (status === 200) break
    assert.ok(failures < maxFailures, `${status} after ${failures} failures`)
    await pause(20)
  }
  session.close()
}

async function assertAccounted(url: string, record: WriteRecord): Promise<void> {
  const session = connect(url)
  const answer = parseResponse(
    await session.send('GET', '/persons', { query: { 'page[size]': '0' } }),
  )
  session.close()
  const stored = answer.many.map(({ id, attributes }) => [String(attributes?.name), id] as const)
  const ids = new Map(stored)
  assert.equal(ids.size, stored.length, 'a write was applied twice')
  for (const [name, id] of record.created)
    assert.equal(ids.get(name), id, `${name} was acknowledged and is not there`)
  for (const name of record.rejected)
    assert.ok(!ids.has(name), `${name} was rejected and is stored`)
  for (const name of ids.keys())
    assert.ok(record.created.has(name) || record.inDoubt.has(name), `${name} was never sent`)
}
