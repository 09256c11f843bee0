import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import type { Settings } from '../../service/settings.ts'
import { type RunningService, startService } from '../../service/start-service.ts'
import { assertServiceConforms } from '../checker/check-served.ts'
import { type Call, connect } from '../client.ts'
import { PostgresServer } from '../postgres-server.ts'
import { until } from '../service/processes.ts'
import { parseResponse, type TestResponse } from '../test-response.ts'

/** The timeout of the database in these tests, in milliseconds. */
const databaseTimeout = 2000

describe('A PostgreSQL server that fails', () => {
  let database: PostgresServer
  let service: RunningService | undefined

  before(async () => {
    database = await PostgresServer.make('fsync=off')
  })
  after(() => database.remove())

  async function during(
    settings: Partial<Settings>,
    work: (
      ask: (method: string, path: string, call?: Call) => Promise<TestResponse>,
    ) => Promise<void>,
  ): Promise<void> {
    const usual = { port: 0, logLevel: 'silent', databaseUrl: database.url, databaseTimeout }
    service = await startService({ ...usual, ...settings })
    const session = connect(service.url)
    try {
      await work(async (method, path, call) => {
        const exchange = await session.send(method, path, call)
        assertServiceConforms(exchange)
        return parseResponse(exchange)
      })
    } finally {
      session.close()
      await service.close(0)
    }
  }

  it('requests get 503 with Retry-After while it is down, and are served when it is back', async () => {
    await during({}, async (ask) => {
      assert.equal((await ask('POST', '/persons', person('Ada'))).status, 201)
      await database.crash()
      for (const [method, path, call] of requests) assertUnavailable(await ask(method, path, call))
      await database.start()
      await assertBack(ask)
    })
  })

  it('requests get 503 within the timeout while it hangs, and are served when it continues', async () => {
    await during({}, async (ask) => {
      const pid = await database.pid()
      const hung = [pid, ...(await backends(database))]
      for (const each of hung) process.kill(each, 'SIGSTOP')
      try {
        for (const [method, path, call] of requests) {
          const begun = performance.now()
          assertUnavailable(await ask(method, path, call))
          assert.ok(performance.now() - begun < 10 * databaseTimeout, `${method} took too long`)
        }
      } finally {
        for (const each of hung) process.kill(each, 'SIGCONT')
      }
      await assertBack(ask)
    })
  })

  it('a start while it is down ends with one line that names it', async () => {
    await database.crash()
    await assert.rejects(
      during({}, async () => {}),
      /^Error: PostgreSQL at 127\.0\.0\.1:\d+\/postgres cannot be reached: /,
    )
    await database.start()
  })

  it('given a read that runs for too long, it is stopped, and only that one', async () => {
    await during({}, async (ask) => {
      const holder = await connected(database)
      await holder.query('begin; lock table person')
      const [slow, other] = await Promise.all([ask('GET', '/persons'), ask('GET', '/')])
      assert.equal(slow.status, 503)
      assert.equal(slow.headers['retry-after'], undefined)
      assert.deepEqual(slow.body.errors?.[0], {
        status: '503',
        code: 'query_timeout',
        title: 'The query took too long',
        detail: `The read was stopped after ${databaseTimeout} ms; narrow the filter, sort by an indexed attribute, or include less.`,
      })
      assert.equal(other.status, 200)
      await holder.query('rollback')
      await holder.end()
      await assertBack(ask)
    })
  })

  it('given a write that waits for a lock for too long, it gets 503 with Retry-After', async () => {
    await during({}, async (ask) => {
      const holder = await connected(database)
      await holder.query('begin; lock table person')
      assertUnavailable(await ask('POST', '/persons', person('Eve')))
      await holder.query('rollback')
      await holder.end()
      await assertBack(ask)
    })
  })

  it('requests wait for a connection up to the limit of the queue', async () => {
    const settings = { databasePool: 2, databaseQueue: 3, databaseTimeout: 20_000 }
    await during(settings, async (ask) => {
      const holder = await connected(database)
      await holder.query('begin; lock table person')
      const requests = Array.from({ length: 6 }, () => ask('GET', '/persons'))
      // As long as the table is locked, the only response is that to the request too many.
      assertUnavailable(await Promise.race(requests))
      await holder.query('rollback')
      await holder.end()
      const statuses = (await Promise.all(requests)).map(({ status }) => status)
      assert.deepEqual(statuses.sort(), [200, 200, 200, 200, 200, 503])
    })
  })

  it('a transaction that a deadlock ends is tried again', async () => {
    await during({ databaseTimeout: 10_000 }, async (ask) => {
      const { id } = (await ask('POST', '/persons', person('Ada'))).one
      const computer = (await ask('POST', '/computers', body('computer', { serial: 'x' }))).one.id
      const holder = await connected(database)
      // PostgreSQL ends the transaction whose deadlock check runs first, which is not that of the holder.
      await holder.query("set deadlock_timeout = '60s'; begin")
      await holder.query(`update computer set serial = 'held' where id = ${computer}`)
      const data = [{ type: 'computer', id: computer }]
      const link = ask('PATCH', `/persons/${id}/relationships/computers`, { body: { data } })
      const waiting = `select from pg_stat_activity where wait_event_type = 'Lock'`
      await until(async () => (await holder.query(waiting)).rowCount === 1, 'nothing waits')
      await holder.query(`update person set name = 'held' where id = ${id}`)
      await holder.query('commit')
      await holder.end()
      assert.equal((await link).status, 200)
      const returned = await ask('GET', `/persons/${id}?include=computers`)
      assert.equal(returned.one.attributes?.name, 'held')
      assert.deepEqual(
        returned.body.included?.map(({ id, attributes }) => [id, attributes?.serial]),
        [[computer, 'held']],
      )
    })
  })
})

const body = (type: string, attributes: object) => ({ body: { data: { type, attributes } } })
const person = (name: string) => body('person', { name })

const requests: readonly (readonly [method: string, path: string, call?: Call])[] = [
  ['GET', '/persons'],
  ['GET', '/persons/1?include=computers'],
  ['GET', '/persons?page[size]=0'],
  ['POST', '/persons', person('Eve')],
  ['DELETE', '/persons/1'],
]

function assertUnavailable({ status, headers, body }: TestResponse): void {
  assert.equal(status, 503, JSON.stringify(body))
  assert.equal(headers['retry-after'], '1')
  assert.equal(body.errors?.[0]?.code, 'unavailable')
}

/** The maximum number of failures, 20 ms apart, after the database has started again. */
const maxFailures = 100

/** Asserts that requests are served again soon. */
async function assertBack(
  ask: (method: string, path: string) => Promise<TestResponse>,
): Promise<void> {
  for (let failures = 0; ; failures += 1) {
    const { status } = await ask('GET', '/persons?include=computers')
    if (status === 200) return
    assert.ok(failures < maxFailures, `${status} after ${failures} failures`)
    await pause(20)
  }
}

async function connected(database: PostgresServer): Promise<Client> {
  const client = new Client({ connectionString: database.url })
  await client.connect()
  return client
}

/** The processes of every connection but our own. */
async function backends(database: PostgresServer): Promise<number[]> {
  const client = await connected(database)
  const { rows } = await client.query<{ pid: number }>(
    "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  )
  await client.end()
  return rows.map(({ pid }) => pid)
}
