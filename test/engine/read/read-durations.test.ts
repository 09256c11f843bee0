import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { PostgresPool } from '../../../src/postgres/connection/connection-pool.ts'
import { beginWrite } from '../../../src/postgres/transaction.ts'
import type { Statement } from '../../../src/sql/statement.ts'
import { everyDatabase } from '../../databases.ts'
import { filled } from '../../filled.ts'

const plain = (sql: string): Statement => ({ sql, placeholders: [] })
const noValues = { planValues: [] }

const quick = plain(`select 'quick'`)
/** Takes about 50 ms, so it should start within half a second. */
const medium = plain(`select 'medium' from pg_sleep(0.05)`)
/** How long a medium read has to wait until no quick one overtakes it, and some more, in milliseconds. */
const afterStart = 2000

for (const database of everyDatabase.filter(({ name }) => name === 'PostgreSQL')) {
  describe('given a pool of one connection, and reads that have run before', () => {
    async function openPool(test: TestContext): Promise<PostgresPool> {
      const url = await filled(test, database, 'create table thing (id integer primary key)')
      const pool = new PostgresPool(url, { poolSize: 1 })
      test.after(() => pool.close())
      // The server prepares both from their second run on.
      for (let run = 0; run < 5; run += 1)
        for (const statement of [quick, medium]) await pool.shared.all(statement, noValues)
      return pool
    }

    /** Sends reads while the connection is occupied. @returns their names in the order of their results */
    async function orderOf(
      pool: PostgresPool,
      send: (read: (statement: Statement) => void) => Promise<void> | void,
    ): Promise<readonly unknown[]> {
      const order: unknown[] = []
      const reads: Promise<unknown>[] = []
      const read = async (statement: Statement) => {
        const [row] = await pool.shared.all(statement, noValues)
        order.push(row?.[0])
      }
      await pool.write(beginWrite, async (transaction) => {
        await transaction.execute('select 1')
        await send((statement) => void reads.push(read(statement)))
        await transaction.commit()
      })
      await Promise.all(reads)
      return order
    }

    it('when a quick read waits with longer ones, then it overtakes them', async (test) => {
      const pool = await openPool(test)
      const order = await orderOf(pool, (read) => {
        for (const statement of [medium, medium, quick]) read(statement)
      })
      assert.deepEqual(order, ['quick', 'medium', 'medium'])
    })

    it('when a read fails sooner than expected, then no less is expected of the next one', async (test) => {
      const pool = await openPool(test)
      const query = { statement: plain('select 1 / 0'), values: noValues }
      pool.durations.record(query, 60_000, true)
      const expected = pool.durations.expect(query)
      await assert.rejects(pool.shared.all(query.statement, noValues), { name: 'ConstraintError' })
      assert.equal(pool.durations.expect(query), expected)
      const unknown = { statement: plain(`select 1 / 0 ${' '.repeat(100_000)}`), values: noValues }
      await assert.rejects(pool.shared.all(unknown.statement, noValues), {
        name: 'ConstraintError',
      })
      assert.equal(pool.durations.expect(unknown), undefined)
    })

    it('when a longer read has waited ten times as long as it takes, then no quick one overtakes it', async (test) => {
      const pool = await openPool(test)
      const order = await orderOf(pool, async (read) => {
        read(medium)
        await pause(afterStart)
        read(quick)
      })
      assert.deepEqual(order, ['medium', 'quick'])
    })
  })
}
