import assert from 'node:assert/strict'
import { it } from 'node:test'
import { auth, createApi, defineModel, type Sql, sql } from 'lapidary'
import { openPostgres } from 'lapidary/postgres'
import { openSqlite } from 'lapidary/sqlite'
import { openStore } from '../engine/engine.ts'
import { until } from '../service/processes.ts'
import { inProcess, shopModel, withApi } from './shop.ts'

/** SQL that runs for a minute and more. */
const endless = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000000000)
  select count(*) as count from n`

inProcess('SQL that reads, in process', (engine) => {
  it('returns rows by column name, with values that are bound', () =>
    withApi(engine, async ({ client }) => {
      const rows = await client.sql(
        sql`select name, stock + ${1} as more, made_on from item where name <> ${"bolt' or 1 = 1"} order by id`,
      )
      assert.deepEqual(
        rows.map(({ name, more }) => [name, more]),
        [
          ['engine', 4],
          ['wheel', 9],
          ['bolt', 1],
        ],
      )
      assert.deepEqual(await client.sql(sql`select name from item where id = 77`), [])
    }))

  it('sees what was committed before', () =>
    withApi(engine, async ({ client }) => {
      for (const name of ['nut', 'pin', 'rod']) {
        const { id } = await client.create('item', { name })
        const rows = await client.sql(sql`select name from item where id = ${Number(id)}`)
        assert.deepEqual(rows, [{ name }])
      }
    }))

  it('cannot write', () =>
    withApi(engine, async ({ client }) => {
      for (const write of [
        sql`insert into audit (note) values ('x')`,
        sql`update item set stock = 0`,
        sql`drop table audit`,
      ])
        await assert.rejects(client.sql(write), /read-?only/)
      assert.deepEqual(await client.sql(sql`select note from audit`), [])
      assert.equal((await client.get('item', '1')).stock, 3)
    }))

  it('rejects SQL that is not valid, and runs the next', () =>
    withApi(engine, async ({ client }) => {
      await assert.rejects(client.sql(sql`select nope from item`), /nope/)
      const [row] = await client.sql(sql`select count(*) as count from item`)
      assert.equal(Number(row?.count), 3)
    }))

  it('rejects what is not SQL, and values that cannot be bound, in calls, transactions and hooks', () =>
    withApi(engine, async ({ client }) => {
      const bad = [
        ['select 1', /SQL must be written as sql`…`; it is "select 1"/],
        [undefined, /SQL must be written as sql`…`; it is missing/],
        [sql`select ${auth(() => 1)} as x`, /auth\(…\) is a value of declarations/],
        ...(engine.dialect === 'sqlite'
          ? ([
              [sql`select ${new Date()} as x`, /SQLite cannot bind a Date; bind a text/],
              [sql`select ${{ a: 1 }} as x, ${[1]} as y`, /cannot bind an object, an array/],
            ] as const)
          : []),
      ] as const
      for (const [expression, message] of bad) {
        const error = { name: 'TypeError', message }
        const run = (runSql: (expression: Sql) => Promise<unknown>) =>
          Reflect.apply(runSql, undefined, [expression])
        await assert.rejects(async () => run(client.sql), error)
        await assert.rejects(
          client.transaction(async (tx) => run(tx.sql)),
          error,
        )
      }
      const values = [1, 'a', true, null, 5n, new Uint8Array([1])]
      for (const value of values)
        assert.equal((await client.sql(sql`select ${value} as x`)).length, 1)
    }))

  it('is stopped at the deadline of reads, while other calls are answered', () =>
    withApi(engine, async () => {
      const { databaseUrl } = engine
      const options = { timeout: 500 }
      const store = databaseUrl.startsWith('postgres:')
        ? await openPostgres(shopModel, databaseUrl, options)
        : openSqlite(shopModel, databaseUrl.slice('sqlite:'.length), options)
      try {
        const client = createApi({ model: shopModel, store }).with()
        const stopped = assert.rejects(client.sql(endless), { code: 'query_timeout', status: 503 })
        assert.equal((await client.get('item', '1')).name, 'engine')
        await stopped
        // On a busy machine the start of a reader process may take longer than the deadline.
        const next = async () => {
          const rows = await client.sql(sql`select 1 as one`).catch((error) => {
            assert.equal(error.code, 'query_timeout')
          })
          if (rows !== undefined) assert.deepEqual(rows, [{ one: 1 }])
          return rows !== undefined
        }
        await until(next, 'the next query is not served')
      } finally {
        await store.close()
      }
    }))

  it('is cancelled by the signal of its client', () =>
    withApi(engine, async ({ api }) => {
      const controller = new AbortController()
      const client = api.with({ auth: 'tester', signal: controller.signal })
      const cancelled = assert.rejects(client.sql(endless), { status: 503 })
      setTimeout(() => controller.abort(), 50)
      await cancelled
      await assert.rejects(client.sql(sql`select 1`), { name: 'AbortError' })
    }))

  it('runs after begin, with the auth context of its client', () =>
    withApi(engine, async () => {
      const seen: unknown[] = []
      const model = defineModel([], {
        hooks: {
          async begin({ auth, query }) {
            const [row] = await query(sql`select count(*) as count from item`)
            seen.push([auth, Number(row?.count)])
            if (auth === 'blocked') throw new RangeError('no')
          },
        },
      })
      const store = await openStore(model, engine.databaseUrl)
      try {
        const api = createApi({ model, store })
        await api.with({ auth: 'ada' }).sql(sql`select 1`)
        await assert.rejects(api.with({ auth: 'blocked' }).sql(sql`select 1`), RangeError)
        assert.deepEqual(seen, [
          ['ada', 3],
          ['blocked', 3],
        ])
      } finally {
        await store.close()
      }
    }))

  it('is rejected past a transaction, whose SQL goes through it', () =>
    withApi(engine, async ({ client }) => {
      await client.transaction(async (tx) => {
        await tx.sql(sql`insert into audit (note) values ('x')`)
        await assert.rejects(
          client.sql(sql`select note from audit`),
          /This call is made inside a transaction/,
        )
        assert.deepEqual(await tx.sql(sql`select note from audit`), [{ note: 'x' }])
      })
    }))
})
