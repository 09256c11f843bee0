import assert from 'node:assert/strict'
import { connect, createServer } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Scheduler } from '../../../src/postgres/connection/scheduler.ts'
import { defaultCacheSize } from '../../../src/sql/statement-cache.ts'
import { everyDatabase } from '../../databases.ts'
import { execute, filled } from '../../filled.ts'

const write = { class: 'write' } as const
/** How often old and unused connections are closed, in milliseconds. */
const closingInterval = 300_000

for (const database of everyDatabase.filter(({ name }) => name === 'PostgreSQL')) {
  describe('Sessions of PostgreSQL', () => {
    /** Opens a scheduler of one session. */
    async function openScheduler(
      test: TestContext,
      { poolSize = 1, timeout = 5000, through = async (url: string) => url } = {},
    ) {
      const url = await through(
        await filled(test, database, 'create table thing (id integer primary key)'),
      )
      const scheduler = new Scheduler(url, {
        ...{ poolSize, queueSize: 10, timeout, driverTimeout: timeout },
        ...{ statementCache: defaultCacheSize, keepsSessions: true },
        source: { system: 'postgresql' },
      })
      test.after(() => scheduler.close())
      return { ...{ scheduler, url }, acquire: () => scheduler.acquire(write) }
    }

    it('when work waits, then it gets the session that other work releases', async (test) => {
      const { acquire } = await openScheduler(test)
      const session = await acquire()
      const waiting = acquire()
      session.release(false)
      assert.equal(await waiting, session)
      session.release(false)
      assert.equal(await acquire(), session)
      session.release(false)
    })

    it('when a session is broken, then the work that waits gets another one', async (test) => {
      const { acquire } = await openScheduler(test)
      const session = await acquire()
      const waiting = acquire()
      session.release(true)
      const other = await waiting
      assert.notEqual(other, session)
      assert.deepEqual((await other.client.query('select 1 as one')).rows, [{ one: 1 }])
      other.release(false)
    })

    it('when the server ends a session that is not used, then the next work gets another one', async (test) => {
      const { acquire, url, scheduler } = await openScheduler(test)
      const session = await acquire()
      const { rows } = await session.client.query('select pg_backend_pid() as pid')
      session.release(false)
      const lost = new Promise<void>((resolve) => session.client.once('end', resolve))
      await execute(url, `select pg_terminate_backend(${rows[0].pid})`)
      await lost
      assert.equal(scheduler.isConnected, false)
      const other = await acquire()
      assert.deepEqual((await other.client.query('select 1 as one')).rows, [{ one: 1 }])
      other.release(false)
    })

    it('when a session was not used for two intervals, then it is closed', async (test) => {
      const { acquire, scheduler } = await openScheduler(test)
      test.mock.timers.enable({ apis: ['setTimeout'] })
      const session = await acquire()
      session.release(false)
      test.mock.timers.tick(closingInterval)
      assert.equal(scheduler.isConnected, true)
      test.mock.timers.tick(closingInterval)
      assert.equal(scheduler.isConnected, false)
    })

    it('when a session was open for six intervals, then it is closed once it is released', async (test) => {
      const { acquire, scheduler } = await openScheduler(test)
      test.mock.timers.enable({ apis: ['setTimeout'] })
      for (let interval = 0; interval < 5; interval += 1) {
        const session = await acquire()
        session.release(false)
        test.mock.timers.tick(closingInterval)
      }
      const session = await acquire()
      test.mock.timers.tick(closingInterval)
      assert.equal(scheduler.isConnected, true)
      session.release(false)
      assert.equal(scheduler.isConnected, false)
    })

    it('when the client of work that waits disconnects, then the next work gets the session', async (test) => {
      const { acquire, scheduler } = await openScheduler(test)
      const session = await acquire()
      const controller = new AbortController()
      const stopped = scheduler.acquire({ ...write, signal: controller.signal })
      const next = acquire()
      controller.abort()
      await assert.rejects(stopped, { code: 'query_timeout' })
      session.release(false)
      assert.equal(await next, session)
      session.release(false)
    })

    it('when work waits too long, then it is rejected, and later work is served', async (test) => {
      const { acquire, scheduler } = await openScheduler(test, { timeout: 1500 })
      const session = await acquire()
      const stream = assert.rejects(scheduler.acquire({ class: 'stream' }), { code: 'overloaded' })
      await assert.rejects(acquire(), { code: 'unavailable', status: 503 })
      await stream
      session.release(false)
      const later = await acquire()
      later.release(false)
    })

    it('when work has waited, and no further connection can be opened, then it waits for the rest of the time only', async (test) => {
      let isHanging = false
      /** Starts a proxy that can hang: it accepts connections and sends nothing. */
      const through = async (url: string) => {
        const proxied = new URL(url)
        const proxy = createServer((socket) => {
          socket.on('error', () => {})
          if (isHanging) return
          const server = connect(Number(proxied.port), proxied.hostname)
          server.on('error', () => {})
          socket.pipe(server).pipe(socket)
        })
        await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
        test.after(() => proxy.close())
        const address = proxy.address()
        assert.ok(address !== null && typeof address === 'object')
        return Object.assign(new URL(url), { host: `127.0.0.1:${address.port}` }).href
      }
      const { acquire } = await openScheduler(test, { timeout: 1500, through })
      const session = await acquire()
      isHanging = true
      const waiting = acquire().catch((error) => error.code)
      await pause(1200)
      session.release(true)
      // It has waited for 1200 of 1500 ms.
      const first = await Promise.race([waiting, pause(1000, 'still waiting')])
      assert.equal(first, 'unavailable')
    })

    it('when a read would be one stream too many, then it cannot continue as a stream', async (test) => {
      const { scheduler } = await openScheduler(test, { poolSize: 2 })
      const stream = await scheduler.acquire({ class: 'stream' })
      const read = await scheduler.acquire({ class: 'quick' })
      assert.throws(() => scheduler.continueAsStream(read), { code: 'overloaded', status: 503 })
      stream.release(false)
      scheduler.continueAsStream(read)
      const waiting = scheduler.acquire({ class: 'stream' })
      const other = await scheduler.acquire({ class: 'slow' })
      read.release(false)
      const next = await waiting
      for (const session of [other, next]) session.release(false)
    })

    it('when the scheduler closes while work waits, then that is rejected, and the session is closed', async (test) => {
      const { acquire, scheduler } = await openScheduler(test)
      const session = await acquire()
      const waiting = acquire()
      const closing = scheduler.close()
      session.release(false)
      await assert.rejects(waiting, /The store is closed/)
      await closing
      await assert.rejects(acquire(), /The store is closed/)
      assert.equal(scheduler.isConnected, false)
    })
  })
}
