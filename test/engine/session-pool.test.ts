import assert from 'node:assert/strict'
import { connect, createServer } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import type { Session } from '../../src/store/postgres/session.ts'
import { SessionPool } from '../../src/store/postgres/session-pool.ts'
import { defaultCacheSize } from '../../src/store/statement-cache.ts'
import { everyDatabase } from '../databases.ts'
import { filled } from '../filled.ts'

for (const database of everyDatabase.filter(({ name }) => name === 'PostgreSQL')) {
  describe('Sessions of PostgreSQL', () => {
    /** Opens a pool of one session. */
    async function openPool(
      test: TestContext,
      { timeout = 5000, through = async (url: string) => url } = {},
    ) {
      const url = await through(
        await filled(test, database, 'create table thing (id integer primary key)'),
      )
      const pool = new SessionPool(url, {
        ...{ poolSize: 1, timeout, driverTimeout: timeout, statementCache: defaultCacheSize },
        keepsSessions: true,
      })
      test.after(() => pool.close())
      return pool
    }

    /** Counts how many times a session returns to the driver's pool from now on, until it is acquired there again. */
    function spyOnReturns({ client }: Session): () => number {
      let returns = 0
      const { release } = client
      client.release = (error) => {
        returns += 1
        release.call(client, error)
      }
      return () => returns
    }

    it('when a request waits, then it gets the session that another one releases', async (test) => {
      const pool = await openPool(test)
      const session = await pool.acquire()
      const countReturns = spyOnReturns(session)
      const waiting = pool.acquire()
      await setImmediate()
      assert.equal(pool.waiting, 1)
      session.release(false)
      assert.equal(await waiting, session)
      assert.equal(countReturns(), 0)
      session.release(false)
    })

    it('when no request takes a session that was released, then it returns to the pool of the driver', async (test) => {
      const pool = await openPool(test)
      const session = await pool.acquire()
      const countReturns = spyOnReturns(session)
      session.release(false)
      assert.equal(countReturns(), 0)
      await setImmediate()
      assert.equal(countReturns(), 1)
      await pool.close()
    })

    it('when a session is broken, then the request that waits gets another one', async (test) => {
      const pool = await openPool(test)
      const session = await pool.acquire()
      const waiting = pool.acquire()
      session.release(true)
      const other = await waiting
      assert.notEqual(other, session)
      assert.deepEqual((await other.client.query('select 1 as one')).rows, [{ one: 1 }])
      other.release(false)
    })

    it('when a session was handed over a thousand times, then it returns to the pool of the driver once', async (test) => {
      const pool = await openPool(test)
      const first = await pool.acquire()
      const countReturns = spyOnReturns(first)
      first.release(false)
      for (let time = 0; time < 1000; time += 1) {
        assert.equal(countReturns(), 0, `after ${time} times`)
        const session = await pool.acquire()
        assert.equal(session, first)
        session.release(false)
      }
      assert.equal(countReturns(), 1)
    })

    it('when the client of a request that waits disconnects, then the next request gets the session', async (test) => {
      const pool = await openPool(test)
      const session = await pool.acquire()
      const controller = new AbortController()
      const stopped = pool.acquire(controller.signal)
      const next = pool.acquire()
      controller.abort()
      await assert.rejects(stopped, { code: 'query_timeout' })
      session.release(false)
      assert.equal(await next, session)
      session.release(false)
    })

    it('when a request waits too long, then it is rejected, and later ones are served', async (test) => {
      const pool = await openPool(test, { timeout: 1500 })
      const session = await pool.acquire()
      await assert.rejects(pool.acquire(), { code: 'unavailable', status: 503 })
      session.release(false)
      const later = await pool.acquire()
      later.release(false)
    })

    it('when a request has waited, and no further connection can be opened, then it waits for the rest of the time only', async (test) => {
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
      const pool = await openPool(test, { timeout: 1500, through })
      const session = await pool.acquire()
      isHanging = true
      const waiting = pool.acquire().catch((error) => error.code)
      await pause(1200)
      session.release(true)
      // It has waited for 1200 of 1500 ms.
      const first = await Promise.race([waiting, pause(1000, 'still waiting')])
      assert.equal(first, 'unavailable')
    })

    it('when the pool closes while a request waits, then that one is rejected, and the session is closed', async (test) => {
      const pool = await openPool(test)
      const session = await pool.acquire()
      const waiting = pool.acquire()
      const closing = pool.close()
      session.release(false)
      await assert.rejects(waiting, /The store is closed/)
      await closing
      await assert.rejects(pool.acquire(), /The store is closed/)
      assert.equal(pool.isConnected, false)
    })
  })
}
