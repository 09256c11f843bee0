import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startService } from '../../service/start-service.ts'
import { assertServiceConforms } from '../checker/check-served.ts'
import { connect } from '../client.ts'
import { PostgresServer } from '../postgres-server.ts'
import { parseResponse } from '../test-response.ts'

/** Clients that work at the same time, each one request after the other. */
const clients = 8
/** How often a request may fail after the database is back, 20 ms apart. */
const maxFailures = 100

/** The responses that clients got to their writes, by the name of the person that each write creates. */
class Ledger {
  /** The ids of persons whose creation was acknowledged. */
  readonly created = new Map<string, string>()
  /** Persons that may exist or not: the response was lost. */
  readonly inDoubt = new Set<string>()
  readonly rejected = new Set<string>()
  reads = 0
}

/**
 * Stops PostgreSQL without warning, again and again, while clients write. Afterwards every acknowledged write must be
 * there once, and no write that was rejected.
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
  const ledger = new Ledger()
  const stop = new AbortController()
  const work = Promise.all(
    Array.from({ length: clients }, (_, client) => load(service.url, client, ledger, stop.signal)),
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
  await assertAccounted(service.url, ledger)
  const isTested =
    ledger.created.size > crashes && ledger.rejected.size > 0 && ledger.reads > crashes
  assert.ok(isTested, 'too few requests')
}

/** Writes and reads, one request after the other, until `stop`. */
async function load(url: string, client: number, ledger: Ledger, stop: AbortSignal): Promise<void> {
  const session = connect(url)
  for (let number = 0; !stop.aborted; number += 1) {
    const name = `${client}-${number}`
    const attributes = { name, email: `${name}@example.org` }
    const data = { type: 'person', attributes }
    const exchange = await session.send('POST', '/persons', { body: { data } })
    assertServiceConforms(exchange)
    const answer = parseResponse(exchange)
    if (answer.status === 201) ledger.created.set(name, answer.one.id)
    else {
      assert.equal(answer.status, 503, JSON.stringify(answer.body))
      assert.equal(answer.headers['retry-after'], '1')
      const isInDoubt = /may or may not have been stored/.test(JSON.stringify(answer.body))
      const list = isInDoubt ? ledger.inDoubt : ledger.rejected
      list.add(name)
    }
    const read = await session.send('GET', '/persons', {
      query: { sort: '-id', 'page[size]': '3' },
    })
    assertServiceConforms(read)
    if (read.status === 200) ledger.reads += 1
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

async function assertAccounted(url: string, ledger: Ledger): Promise<void> {
  const session = connect(url)
  const answer = parseResponse(
    await session.send('GET', '/persons', { query: { 'page[size]': '0' } }),
  )
  session.close()
  const stored = answer.many.map(({ id, attributes }) => [String(attributes?.name), id] as const)
  const ids = new Map(stored)
  assert.equal(ids.size, stored.length, 'a write was applied twice')
  for (const [name, id] of ledger.created)
    assert.equal(ids.get(name), id, `${name} was acknowledged and is not there`)
  for (const name of ledger.rejected) assert.ok(!ids.has(name), `${name} was rejected and is there`)
  for (const name of ids.keys())
    assert.ok(ledger.created.has(name) || ledger.inDoubt.has(name), `${name} was never sent`)
}
