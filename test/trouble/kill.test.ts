import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startService } from '../../service/start-service.ts'
import { readAnswer } from '../answer.ts'
import { assertConforms } from '../checker/check-exchange.ts'
import { connect } from '../client.ts'
import { PostgresServer } from '../postgres-server.ts'

/** How often the database is ended at once. */
const crashes = 20
/** How many clients work at the same time, each a request after the other. */
const clients = 8
/** How long the service may take to serve again once the database is back, in milliseconds. */
const recovery = 2000

/** What clients were told of their writes, by a name that each write has to itself. */
class Ledger {
  /** Of persons that were made, with their ids. */
  readonly made = new Map<string, string>()
  /** Of persons that may have been made or not: the answer was lost. */
  readonly inDoubt = new Set<string>()
  readonly refused = new Set<string>()
  reads = 0
  readonly refusedReads = new Set<string>()
}

describe('PostgreSQL is ended at once, again and again', () => {
  it(`loses no acknowledged write and applies none twice, over ${crashes} times`, async (test) => {
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
      Array.from({ length: clients }, (_, client) =>
        load(service.url, client, ledger, stop.signal),
      ),
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
  })
})

/** Writes and reads, one after the other, until it is told to stop. */
async function load(url: string, client: number, ledger: Ledger, stop: AbortSignal): Promise<void> {
  const session = connect(url)
  for (let number = 0; !stop.aborted; number += 1) {
    const name = `${client}-${number}`
    const attributes = { name, email: `${name}@example.org` }
    const data = { type: 'person', attributes }
    const exchange = await session.send('POST', '/persons', { body: { data } })
    assertConforms(exchange)
    const answer = readAnswer(exchange)
    if (answer.status === 201) ledger.made.set(name, answer.one.id)
    else {
      assert.equal(answer.status, 503, JSON.stringify(answer.body))
      assert.equal(answer.headers['retry-after'], '1')
      const isInDoubt = /may have been kept or not/.test(JSON.stringify(answer.body))
      const list = isInDoubt ? ledger.inDoubt : ledger.refused
      list.add(name)
    }
    const read = await session.send('GET', '/persons', {
      query: { sort: '-id', 'page[size]': '3' },
    })
    assertConforms(read)
    if (read.status === 200) ledger.reads += 1
    else assert.equal(read.status, 503)
  }
  session.close()
}

async function assertServes(url: string): Promise<void> {
  const session = connect(url)
  const deadline = performance.now() + recovery
  for (;;) {
    const { status } = await session.send('GET', '/persons?page[size]=1')
    if (status === 200) break
    assert.ok(performance.now() < deadline, `${status} after ${recovery} ms`)
    await pause(20)
  }
  session.close()
}

async function assertAccounted(url: string, ledger: Ledger): Promise<void> {
  const session = connect(url)
  const answer = readAnswer(await session.send('GET', '/persons', { query: { 'page[size]': '0' } }))
  session.close()
  const stored = answer.many.map(({ id, attributes }) => [String(attributes?.name), id] as const)
  const ids = new Map(stored)
  assert.equal(ids.size, stored.length, 'a write was applied twice')
  for (const [name, id] of ledger.made)
    assert.equal(ids.get(name), id, `${name} was acknowledged and is not there`)
  for (const name of ledger.refused) assert.ok(!ids.has(name), `${name} was refused and is there`)
  for (const name of ids.keys())
    assert.ok(ledger.made.has(name) || ledger.inDoubt.has(name), `${name} was never sent`)
  assert.ok(
    ledger.made.size > crashes && ledger.refused.size > 0 && ledger.reads > crashes,
    'too little happened',
  )
}
