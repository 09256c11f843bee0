import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { getHeapSpaceStatistics } from 'node:v8'
import pg from 'pg'
import { sql } from '../../../src/model/dialect.ts'
import { PostgresPool } from '../../../src/postgres/connection/connection-pool.ts'
import { preparedBounds } from '../../../src/postgres/connection/prepared.ts'
import { postgresDialect } from '../../../src/postgres/dialect.ts'
import { beginWrite } from '../../../src/postgres/transaction.ts'
import { compileStatement, type Statement } from '../../../src/sql/statement.ts'
import { defaultCacheSize } from '../../../src/sql/statement-cache.ts'
import { everyDatabase } from '../../databases.ts'
import { filled } from '../../filled.ts'
import { long } from '../../long-tests.ts'
import { until } from '../../service/processes.ts'

/** Returns a statement with one parameter. */
const withParameter = (sql: string): Statement => ({
  sql,
  placeholders: [{ source: 0, bind: (value) => String(value) }],
})
const plain = (sql: string): Statement => ({ sql, placeholders: [] })
const noValues = { planValues: [] }

const ids = plain('select id from thing order by id')
const add = withParameter('insert into thing values ($1)')

/** Returns the size of V8's old generation in bytes. */
function oldGenerationSize(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')
  return space?.space_used_size ?? Number.NaN
}

/** Makes a pool expect that a statement runs for about so many milliseconds. */
function expectDuration({ durations }: PostgresPool, statement: Statement, duration: number): void {
  for (let run = 0; run < 50; run += 1)
    durations.record({ statement, values: noValues }, duration, true)
}

for (const database of everyDatabase.filter(({ name }) => name === 'PostgreSQL')) {
  describe('Pipelined statements on PostgreSQL', () => {
    /** Opens one connection to a database with one table. */
    async function openPool(test: TestContext): Promise<PostgresPool> {
      const url = await filled(test, database, 'create table thing (id integer primary key)')
      const pool = new PostgresPool(url, { poolSize: 1 })
      test.after(() => pool.close())
      return pool
    }

    /** Keeps the only connection busy with a statement, until the returned function is called. */
    async function occupy(
      test: TestContext,
      url: string,
      { shared }: PostgresPool,
    ): Promise<() => Promise<void>> {
      const holder = new pg.Client(url)
      await holder.connect()
      test.after(() => holder.end())
      await holder.query('select pg_advisory_lock(1)')
      const busy = shared.allUnprepared(plain('select pg_advisory_lock(1)'))
      const waits = `select from pg_locks join pg_database on pg_database.oid = database
        where locktype = 'advisory' and not granted and datname = current_database()`
      await until(async () => (await holder.query(waits)).rowCount === 1, 'no statement waits')
      return async () => {
        await holder.query('select pg_advisory_unlock(1)')
        await busy
      }
    }

    it('given statements sent without awaiting, then each gets its own result, in order', async (test) => {
      const pool = await openPool(test)
      await pool.write(beginWrite, async (transaction) => {
        const results = await Promise.all([
          transaction.run(add, { planValues: [1] }),
          transaction.run(add, { planValues: [2] }),
          transaction.all(ids, noValues),
          transaction.records(plain('select 3 as three, null as nothing')),
        ])
        assert.deepEqual(results, [1, 1, [[1], [2]], [{ three: 3, nothing: null }]])
        await transaction.commit()
      })
      assert.deepEqual(await pool.shared.all(ids, noValues), [[1], [2]])
    })

    it('given a batch whose second statement fails, then the first succeeds, the third fails, and the transaction is rolled back', async (test) => {
      const pool = await openPool(test)
      const failing = pool.write(beginWrite, async (transaction) => {
        const results = await Promise.allSettled([
          transaction.run(add, { planValues: [1] }),
          transaction.run(add, { planValues: [1] }),
          transaction.run(add, { planValues: [2] }),
        ])
        assert.deepEqual(
          results.map(({ status }) => status),
          ['fulfilled', 'rejected', 'rejected'],
        )
        await transaction.commit()
      })
      await assert.rejects(failing, /caught; the transaction was rolled back/)
      assert.deepEqual(await pool.shared.all(ids, noValues), [])
    })

    it('given a begin that fails, then the statements after it do not run', async (test) => {
      const pool = await openPool(test)
      const failing = pool.write([plain('begin isolation level none')], (transaction) =>
        transaction.run(add, { planValues: [1] }),
      )
      await assert.rejects(failing, /syntax error/)
      assert.deepEqual(await pool.shared.all(ids, noValues), [])
    })

    it('given a statement that failed, whether it was prepared or not, when it runs again, then it is prepared again', async (test) => {
      const { shared } = await openPool(test)
      const named = withParameter('select $1::text::regclass::text')
      await assert.rejects(shared.all(named, { planValues: ['nowhere'] }), /does not exist/)
      assert.deepEqual(await shared.all(named, { planValues: ['pg_class'] }), [['pg_class']])
      const late = plain('select count(*)::integer from later')
      await assert.rejects(shared.all(late, noValues), /does not exist/)
      await shared.execute('create table later ()')
      assert.deepEqual(await shared.all(late, noValues), [[0]])
    })

    it('given values of declarations, then they are bound as the driver binds them', async (test) => {
      const { shared } = await openPool(test)
      const mixed = compileStatement(
        sql`select ${undefined}::integer, 2 = any(${[1, 2]}::integer[]), ${new Date(0)}::timestamptz = 'epoch', ${{ a: 1 }}::jsonb ->> 'a'`,
        postgresDialect('none'),
      )
      assert.deepEqual(await shared.all(mixed, noValues), [[null, true, true, '1']])
    })

    it('given point reads that wait for a connection, then they run in batches of four', async (test) => {
      const { shared } = await openPool(test)
      // now() is the time of the transaction, which is the same for a batch.
      const pointRead = {
        ...plain('select clock_timestamp() > now(), now()::text'),
        pointRead: 'one row' as const,
      }
      const busy = shared.allUnprepared(plain('select pg_sleep(0.05)'))
      const results = await Promise.all(
        Array.from({ length: 8 }, () => shared.all(pointRead, noValues)),
      )
      await busy
      const times = results.map(([row]) => row?.[1])
      assert.deepEqual(
        [...Map.groupBy(times, (time) => time).values()].map(({ length }) => length),
        [4, 4],
      )
    })

    it('given a batch of point reads, when one fails, then the others succeed', async (test) => {
      const { shared } = await openPool(test)
      const pointRead = {
        ...withParameter('select 1 / $1::integer'),
        pointRead: 'one row' as const,
      }
      const busy = shared.allUnprepared(plain('select pg_sleep(0.05)'))
      const results = await Promise.allSettled(
        [1, 0, 1].map((number) => shared.all(pointRead, { planValues: [number] })),
      )
      await busy
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
    })

    it('given waiting statements that are prepared on the next connection, then sixteen of them overtake one that is not', async (test) => {
      const url = await filled(test, database, 'create table thing (id integer primary key)')
      const pool = new PostgresPool(url, { poolSize: 1 })
      test.after(() => pool.close())
      const { shared } = pool
      const known = plain('select 1')
      // A statement is prepared from the second time on.
      const other = plain('select 2')
      for (const statement of [known, known, other]) await shared.all(statement, noValues)
      expectDuration(pool, other, 0)
      expectDuration(pool, known, 5)
      const release = await occupy(test, url, pool)
      const finished: string[] = []
      const run = async (name: string, statement: Statement) => {
        await shared.all(statement, noValues)
        finished.push(name)
      }
      const all = [run('other', other), ...Array.from({ length: 20 }, () => run('known', known))]
      await release()
      await Promise.all(all)
      assert.equal(finished.indexOf('other'), 16)
      assert.equal(finished.length, 21)
    })

    it('given a full queue, when one more statement waits, then only that one is rejected', async (test) => {
      const url = await filled(test, database, 'create table thing (id integer primary key)')
      const pool = new PostgresPool(url, { poolSize: 1, queueSize: 2 })
      test.after(() => pool.close())
      const results = await Promise.allSettled(
        ['select pg_sleep(0.05)', 'select 1', 'select 2', 'select 3'].map((sql) =>
          pool.shared.all(plain(sql), noValues),
        ),
      )
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'fulfilled', 'fulfilled', 'rejected'],
      )
    })

    it('given a statement that is repeated, then it stays prepared from the second time on', async (test) => {
      const { shared } = await openPool(test)
      const prepared = plain('select count(*)::integer from pg_prepared_statements')
      const counts: unknown[] = []
      for (let time = 1; time <= 3; time += 1) {
        await shared.all(ids, noValues)
        counts.push(...(await shared.allUnprepared(prepared)).flat())
      }
      assert.deepEqual(counts, [0, 1, 1])
    })

    it('given more statements than a connection keeps prepared, then the limit holds, and evicted ones are prepared again', async (test) => {
      const { shared } = await openPool(test)
      const many = Array.from(
        { length: preparedBounds(defaultCacheSize).statements + 20 },
        (_, number) => plain(`select ${number} as number`),
      )
      for (const round of [many, many.toReversed()])
        for (const statement of round)
          assert.equal(
            `select ${(await shared.all(statement, noValues))[0]?.[0]} as number`,
            statement.sql,
          )
      const count = await shared.allUnprepared(
        plain('select count(*)::integer from pg_prepared_statements'),
      )
      assert.deepEqual(count, [[preparedBounds(defaultCacheSize).statements]])
    })

    it('given text of the simple protocol between statements, then it runs in its place', async (test) => {
      const pool = await openPool(test)
      await pool.write(beginWrite, async (transaction) => {
        const added = transaction.run(add, { planValues: [1] })
        assert.equal(
          await transaction.execute('insert into thing values (2); savepoint here'),
          'SAVEPOINT',
        )
        assert.equal(await added, 1)
        await transaction.commit()
      })
      assert.deepEqual(await pool.shared.all(ids, noValues), [[1], [2]])
    })

    it('given a transaction without statements, when it ends, then the connection is unchanged', async (test) => {
      const pool = await openPool(test)
      await pool.write(beginWrite, (transaction) => transaction.commit())
      await assert.rejects(
        pool.write(beginWrite, async () => {
          throw new Error('no')
        }),
        /no/,
      )
      assert.deepEqual(await pool.shared.all(ids, noValues), [])
    })

    it('given a copy from stdin, then its connection is closed and the next statement gets another', async (test) => {
      const pool = await openPool(test)
      await assert.rejects(
        pool.shared.allUnprepared(plain('copy thing from stdin')),
        /not available/,
      )
      assert.deepEqual(await pool.shared.all(ids, noValues), [])
    })

    it(
      'given results that nobody holds, then V8 collects them in the young generation',
      long,
      async (test) => {
        const pool = await openPool(test)
        const longRows = plain(
          `select repeat('x', 50) || i from generate_series(1, 200) as many(i)`,
        )
        const before = oldGenerationSize()
        let growth = 0
        for (let each = 0; each < 2000; each += 1) {
          assert.equal((await pool.shared.all(longRows, noValues)).length, 200)
          growth = Math.max(growth, oldGenerationSize() - before)
        }
        assert.ok(growth < 20e6, `${(growth / 1e6).toFixed(0)} of 50 MB reached the old generation`)
      },
    )

    it(
      'given queries of clients that may disconnect, then V8 collects their requests in the young generation',
      long,
      async (test) => {
        const pool = await openPool(test)
        const before = oldGenerationSize()
        let growth = 0
        const sendQueries = async () => {
          for (let each = 0; each < 700; each += 1) {
            const request = new Array<number>(1000).fill(each)
            const signal = () => {
              request.length = 0
              return new AbortController().signal
            }
            await pool.shared.all(ids, noValues, signal)
            growth = Math.max(growth, oldGenerationSize() - before)
          }
        }
        await Promise.all(Array.from({ length: 8 }, sendQueries))
        assert.ok(growth < 20e6, `${(growth / 1e6).toFixed(0)} of 45 MB reached the old generation`)
      },
    )
  })
}
