import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import { sql } from '../../src/model/dialect.ts'
import { postgresDialect } from '../../src/store/postgres/dialect.ts'
import { PostgresPool } from '../../src/store/postgres/pool.ts'
import { preparedBounds } from '../../src/store/postgres/prepared.ts'
import { beginWrite } from '../../src/store/postgres/transaction.ts'
import { compileStatement, type Statement } from '../../src/store/statement.ts'
import { defaultCacheSize } from '../../src/store/statement-cache.ts'
import { filled, lasting } from '../filled.ts'

/** A statement of one value. */
const asking = (sql: string): Statement => ({
  sql,
  placeholders: [{ source: 0, bind: (value) => String(value) }],
})
const plain = (sql: string): Statement => ({ sql, placeholders: [] })
const none = { parameters: [] }

const ids = plain('select id from thing order by id')
const add = asking('insert into thing values ($1)')

/** What has survived two collections of what is young, in bytes. */
function oldSpace(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')
  return space?.space_used_size ?? Number.NaN
}

for (const database of lasting.filter(({ name }) => name === 'PostgreSQL')) {
  describe('What is sent to PostgreSQL together', () => {
    /** One connection to a database with one table. */
    async function connected(test: TestContext): Promise<PostgresPool> {
      const url = await filled(test, database, 'create table thing (id integer primary key)')
      const pool = new PostgresPool(url, { poolSize: 1 })
      test.after(() => pool.close())
      return pool
    }

    it('comes back one by one, in the order sent', async (test) => {
      const pool = await connected(test)
      await pool.write(beginWrite, async (transaction) => {
        const came = await Promise.all([
          transaction.run(add, { parameters: [1] }),
          transaction.run(add, { parameters: [2] }),
          transaction.all(ids, none),
          transaction.records(plain('select 3 as three, null as nothing')),
        ])
        assert.deepEqual(came, [1, 1, [[1], [2]], [{ three: 3, nothing: null }]])
        await transaction.commit()
      })
      assert.deepEqual(await pool.shared.all(ids, none), [[1], [2]])
    })

    it('fails together from the one that fails on; those before it are told, and nothing is kept', async (test) => {
      const pool = await connected(test)
      const broken = pool.write(beginWrite, async (transaction) => {
        const came = await Promise.allSettled([
          transaction.run(add, { parameters: [1] }),
          transaction.run(add, { parameters: [1] }),
          transaction.run(add, { parameters: [2] }),
        ])
        assert.deepEqual(
          came.map(({ status }) => status),
          ['fulfilled', 'rejected', 'rejected'],
        )
        await transaction.commit()
      })
      await assert.rejects(broken, /caught; the transaction was rolled back/)
      assert.deepEqual(await pool.shared.all(ids, none), [])
    })

    it('does not run where its transaction does not begin', async (test) => {
      const pool = await connected(test)
      const broken = pool.write([plain('begin isolation level none')], (transaction) =>
        transaction.run(add, { parameters: [1] }),
      )
      await assert.rejects(broken, /syntax error/)
      assert.deepEqual(await pool.shared.all(ids, none), [])
    })

    it('is prepared again after it failed, whether it was prepared or not', async (test) => {
      const { shared } = await connected(test)
      const named = asking('select $1::text::regclass::text')
      await assert.rejects(shared.all(named, { parameters: ['nowhere'] }), /does not exist/)
      assert.deepEqual(await shared.all(named, { parameters: ['pg_class'] }), [['pg_class']])
      const late = plain('select count(*)::integer from later')
      await assert.rejects(shared.all(late, none), /does not exist/)
      await shared.execute('create table later ()')
      assert.deepEqual(await shared.all(late, none), [[0]])
    })

    it('binds what declarations put there as the driver does', async (test) => {
      const { shared } = await connected(test)
      const mixed = compileStatement(
        sql`select ${undefined}::integer, 2 = any(${[1, 2]}::integer[]), ${new Date(0)}::timestamptz = 'epoch', ${{ a: 1 }}::jsonb ->> 'a'`,
        postgresDialect('none'),
      )
      assert.deepEqual(await shared.all(mixed, none), [[null, true, true, '1']])
    })

    it('are quick reads that wait for a connection: up to four at a time', async (test) => {
      const { shared } = await connected(test)
      // The time is that of the transaction, which is one for all that go together.
      const quick = { ...plain('select clock_timestamp() > now(), now()::text'), isPointRead: true }
      const busy = shared.allUnprepared(plain('select pg_sleep(0.05)'))
      const came = await Promise.all(Array.from({ length: 8 }, () => shared.all(quick, none)))
      await busy
      const times = came.map(([row]) => row?.[1])
      assert.deepEqual(
        [...Map.groupBy(times, (time) => time).values()].map(({ length }) => length),
        [4, 4],
      )
    })

    it('are quick reads of which one fails: it fails alone', async (test) => {
      const { shared } = await connected(test)
      const half = { ...asking('select 1 / $1::integer'), isPointRead: true }
      const busy = shared.allUnprepared(plain('select pg_sleep(0.05)'))
      const came = await Promise.allSettled(
        [1, 0, 1].map((number) => shared.all(half, { parameters: [number] })),
      )
      await busy
      assert.deepEqual(
        came.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
    })

    it('waits for a connection on which it is prepared; who waits longest lets sixteen go first', async (test) => {
      const { shared } = await connected(test)
      const known = plain('select 1')
      for (let time = 1; time <= 2; time += 1) await shared.all(known, none)
      const busy = shared.allUnprepared(plain('select pg_sleep(0.1)'))
      await setTimeout(20)
      const went: string[] = []
      const ask = async (name: string, statement: Statement) => {
        await shared.all(statement, none)
        went.push(name)
      }
      await Promise.all([
        ask('new', plain('select 2')),
        ...Array.from({ length: 20 }, () => ask('known', known)),
      ])
      await busy
      assert.equal(went.indexOf('new'), 16)
      assert.equal(went.length, 21)
    })

    it('is refused when too many wait: the last one, and no other', async (test) => {
      const url = await filled(test, database, 'create table thing (id integer primary key)')
      const pool = new PostgresPool(url, { poolSize: 1, queueSize: 2 })
      test.after(() => pool.close())
      const came = await Promise.allSettled(
        ['select pg_sleep(0.05)', 'select 1', 'select 2', 'select 3'].map((sql) =>
          pool.shared.all(plain(sql), none),
        ),
      )
      assert.deepEqual(
        came.map(({ status }) => status),
        ['fulfilled', 'fulfilled', 'fulfilled', 'rejected'],
      )
    })

    it('is kept prepared from its second time on', async (test) => {
      const { shared } = await connected(test)
      const prepared = plain('select count(*)::integer from pg_prepared_statements')
      const kept: unknown[] = []
      for (let time = 1; time <= 3; time += 1) {
        await shared.all(ids, none)
        kept.push(...(await shared.allUnprepared(prepared)).flat())
      }
      assert.deepEqual(kept, [0, 1, 1])
    })

    it('is kept prepared so often and no more; what was given up is prepared again', async (test) => {
      const { shared } = await connected(test)
      const many = Array.from(
        { length: preparedBounds(defaultCacheSize).statements + 20 },
        (_, number) => plain(`select ${number} as number`),
      )
      for (const round of [many, many.toReversed()])
        for (const statement of round)
          assert.equal(
            `select ${(await shared.all(statement, none))[0]?.[0]} as number`,
            statement.sql,
          )
      const kept = await shared.allUnprepared(
        plain('select count(*)::integer from pg_prepared_statements'),
      )
      assert.deepEqual(kept, [[preparedBounds(defaultCacheSize).statements]])
    })

    it('may be of the simple protocol, in its place', async (test) => {
      const pool = await connected(test)
      await pool.write(beginWrite, async (transaction) => {
        const added = transaction.run(add, { parameters: [1] })
        assert.equal(
          await transaction.execute('insert into thing values (2); savepoint here'),
          'SAVEPOINT',
        )
        assert.equal(await added, 1)
        await transaction.commit()
      })
      assert.deepEqual(await pool.shared.all(ids, none), [[1], [2]])
    })

    it('leaves a connection as it was where nothing was sent', async (test) => {
      const pool = await connected(test)
      await pool.write(beginWrite, (transaction) => transaction.commit())
      await assert.rejects(
        pool.write(beginWrite, async () => {
          throw new Error('no')
        }),
        /no/,
      )
      assert.deepEqual(await pool.shared.all(ids, none), [])
    })

    it('cannot copy: that ends its connection, and no other', async (test) => {
      const pool = await connected(test)
      await assert.rejects(
        pool.shared.allUnprepared(plain('copy thing from stdin')),
        /not available/,
      )
      assert.deepEqual(await pool.shared.all(ids, none), [])
    })

    it('does not outlive those who asked: V8 collects it with what is young', async (test) => {
      const pool = await connected(test)
      const many = plain(`select repeat('x', 50) || i from generate_series(1, 200) as many(i)`)
      const before = oldSpace()
      let most = 0
      for (let each = 0; each < 2000; each += 1) {
        assert.equal((await pool.shared.all(many, none)).length, 200)
        most = Math.max(most, oldSpace() - before)
      }
      assert.ok(most < 20e6, `${(most / 1e6).toFixed(0)} MB of 50 grew old`)
    })
  })
}
