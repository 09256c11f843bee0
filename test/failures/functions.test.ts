import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import {
  attribute,
  defineModel,
  idQuery,
  integer,
  nullable,
  resource,
  sql,
  tableFunction,
  text,
} from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { openPostgres } from 'lapidary/postgres'
import { openSqlite } from 'lapidary/sqlite'
import { mediaType } from '../client.ts'
import { type Database, databases } from '../databases.ts'
import { execute, filled } from '../filled.ts'
import { takePart } from '../property/seed.ts'
import { until } from '../service/processes.ts'

/** A table function and a query that end only if they have an argument. */
function declare(dialect: Database['dialect']) {
  const numbers = (last: ReturnType<typeof sql>) =>
    dialect === 'postgres'
      ? sql`select n as id from generate_series(1, coalesce(${last}, 3)) as n
          where ${last} is not null or pg_sleep(3600) is not null`
      : sql`with recursive n (id) as
          (select 1 union all select id + 1 from n where ${last} is null or id < ${last}) select id from n`
  const number = resource('number', {
    path: '/numbers',
    table: tableFunction({ last: nullable(integer) }, ({ last }) => numbers(last)),
    access: 'read-only',
    fields: {},
  })
  const note = resource('note', {
    path: '/notes',
    table: 'note',
    queries: { among: idQuery({ last: nullable(integer) }, ({ last }) => numbers(last)) },
    fields: { line: attribute(text) },
  })
  return defineModel([number, note])
}

const call = { name: 'among', op: 'call', val: {} }
const byQuery = `/notes?filter=${encodeURIComponent(JSON.stringify([{ not: call }]))}`
/** Reads that never end: of a list, of its second page, of one of its resources, and of a list that a query filters. */
const endless = ['/numbers', '/numbers?page[number]=2', '/numbers/,4', byQuery]
const tables =
  "create table note (id integer primary key, line text); insert into note values (9, 'a')"

/** Serves the functions on a port, with as few connections or processes as possible. */
async function serve(test: TestContext, database: Database, timeout: number) {
  const url = await filled(test, database, tables)
  const model = declare(database.dialect)
  const store =
    database.dialect === 'postgres'
      ? await openPostgres(model, url, { timeout, poolSize: 1 })
      : openSqlite(model, url.replace('sqlite:', ''), { timeout, readers: 1 })
  const server = createServer({ model, store, logLevel: 'silent' })
  test.after(async () => {
    await server.close()
    await store.close()
  })
  const origin = await server.listen({ host: '127.0.0.1', port: 0 })
  const get = (path: string, signal?: AbortSignal) =>
    fetch(origin + path, { headers: { accept: mediaType }, ...(signal && { signal }) })
  /** The number of endless reads that PostgreSQL runs. */
  const countRunning = async () => {
    const [row] = await execute(
      url,
      `select count(*) as running from pg_stat_activity where datname = current_database()
        and state = 'active' and query like '%pg_sleep(3600)%' and pid <> pg_backend_pid()`,
    )
    return Number(row?.running)
  }
  return { get, countRunning }
}

for (const database of databases)
  describe(`Functions that never end · ${database.name}`, () => {
    it('given a short deadline, when a request calls one, then it is 503 and the function is stopped', async (test) => {
      const { get, countRunning } = await serve(test, database, 500)
      // On a busy machine the start of the connection or the process may take longer than the deadline.
      const isServed = async () => (await get('/numbers?filter[last]=2')).status === 200
      for (const path of takePart(endless, 2)) {
        await until(isServed, 'a short read is not served')
        const response = await get(path)
        const { errors } = await response.json()
        assert.deepEqual([response.status, errors[0].code], [503, 'query_timeout'], path)
      }
      if (database.dialect === 'postgres')
        await until(async () => (await countRunning()) === 0, 'a function still runs')
    })

    it('given a long deadline, when the client disconnects, then the function is stopped', async (test) => {
      const { get, countRunning } = await serve(test, database, 300_000)
      for (const path of takePart(endless, 2, 1)) {
        const controller = new AbortController()
        let isOver = false
        const left = get(path, controller.signal)
          .catch(() => 'left')
          .finally(() => {
            isOver = true
          })
        if (database.dialect === 'postgres')
          await until(async () => (await countRunning()) === 1, `${path} does not run`)
        // SQLite reads in another process, so that this one serves others.
        else assert.equal((await get('/notes/9')).status, 200)
        assert.equal(isOver, false, path)
        controller.abort()
        assert.equal(await left, 'left')
        // The only connection or process is free again.
        const next = await get('/numbers?filter[last]=2')
        assert.equal(next.status, 200)
        const { meta } = await next.json()
        assert.equal(meta.count, 2)
      }
      if (database.dialect === 'postgres') assert.equal(await countRunning(), 0)
    })
  })
