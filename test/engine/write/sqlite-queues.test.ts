import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { attribute, defineModel, resource, sql, text } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { openSqlite } from 'lapidary/sqlite'
import { compileStatement } from '../../../src/sql/statement.ts'
import { ConnectionPool } from '../../../src/sqlite/connection/connection-pool.ts'
import { DatabaseFile } from '../../../src/sqlite/connection/database-file.ts'
import { sqliteDialect } from '../../../src/sqlite/dialect.ts'
import { mediaType } from '../../client.ts'

const model = defineModel([
  resource('note', { path: '/notes', table: 'note', fields: { text: attribute(text) } }),
  resource('number', { path: '/numbers', table: 'number', fields: {} }),
])

/** A view whose rows have no end, so that a sort of them is stopped at the deadline only. */
const tables = `create table note (id integer primary key, text text);
  create view number as
    with recursive n (id) as (select 1 union all select id + 1 from n) select id from n`

/** Serves a database of which few requests may wait. */
async function serve(
  test: TestContext,
  options: Readonly<{ queueSize: number; readers?: number; timeout?: number }>,
) {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-'))
  const path = join(folder, 'notes.db')
  const store = openSqlite(model, path, { create: true, ...options })
  await store.migrate([{ version: 1, sql: tables }])
  const server = createServer({ model, store, logLevel: 'silent' })
  test.after(async () => {
    await server.close()
    await store.close()
    rmSync(folder, { recursive: true })
  })
  return { server, path }
}

type Answer = Awaited<ReturnType<Awaited<ReturnType<typeof serve>>['server']['inject']>>

const isOverloaded = ({ statusCode, headers, body }: Answer) =>
  statusCode === 503 && headers['retry-after'] === '1' && /"code":"overloaded"/.test(body)

it('given a lock of another process, then as many writes wait as the queue holds, and further ones are 503', async (test) => {
  const { server, path } = await serve(test, { queueSize: 3 })
  const payload = JSON.stringify({ data: { type: 'note', attributes: { text: 'x' } } })
  const write = async () =>
    await server.inject({
      ...{ method: 'POST', url: '/notes', payload },
      headers: { 'content-type': mediaType },
    })
  const other = new DatabaseSync(path)
  other.exec('begin immediate')
  // The first write waits for the lock, and no longer in the queue.
  const first = write()
  await pause(50)
  const others = Array.from({ length: 6 }, write)
  const rejected = await Promise.race(others)
  assert.ok(isOverloaded(rejected), rejected.body)
  assert.equal((await server.inject('/notes')).statusCode, 200)
  other.exec('rollback')
  other.close()
  const answers = [await first, ...(await Promise.all(others))]
  const written = answers.filter(({ statusCode }) => statusCode === 201).length
  assert.ok(written === 3 || written === 4, `${written} of 7 were written`)
  assert.equal(answers.filter(isOverloaded).length, 7 - written)
  assert.equal((await server.inject('/notes')).json().meta.count, written)
})

it('given expensive reads, then as many wait as the queue holds, and further ones are 503', async (test) => {
  const { server } = await serve(test, { queueSize: 1, readers: 1, timeout: 1500 })
  const read = async () => await server.inject('/numbers?sort=-id')
  const reads = Array.from({ length: 5 }, read)
  const rejected = await Promise.race(reads)
  assert.ok(isOverloaded(rejected), rejected.body)
  assert.equal((await server.inject('/notes')).statusCode, 200)
  const answers = await Promise.all(reads)
  // One runs, and one waits until its time is over as well.
  assert.ok(answers.filter(isOverloaded).length >= 3)
  assert.ok(answers.some(({ body }) => /"code":"query_timeout"/.test(body)))
  assert.ok(answers.every(({ statusCode }) => statusCode === 503))
})

it('given 32 read transactions in the process, then 100 wait for their end, and further ones are 503', async (test) => {
  const file = new DatabaseFile(':memory:')
  const pool = new ConnectionPool(file, 1_000_000)
  test.after(() => {
    pool.close()
    file.remove()
  })
  const begin = () => pool.begin({ timeout: 60_000, record: () => {} })
  const open = await Promise.all(Array.from({ length: 32 }, begin))
  const waiting = Array.from({ length: 100 }, begin)
  await assert.rejects(begin(), { code: 'overloaded' })
  for (const transaction of open) transaction.end()
  for (const transaction of waiting) (await transaction).end()
})

for (const [memory, prepared] of [
  [1_000_000, 3],
  [20_000, 4],
] as const)
  it(`given three statements of 10,000 characters, when the first one runs again on a connection of the pool with ${memory} bytes for statements, then ${prepared} are prepared`, async (test) => {
    const file = new DatabaseFile(':memory:')
    const pool = new ConnectionPool(file, memory)
    test.after(() => {
      pool.close()
      file.remove()
    })
    const transaction = await pool.begin({ timeout: 60_000, record: () => {} })
    const statements = [1, 2, 3].map((number) =>
      compileStatement(
        sql`select ${sql.lit('x'.repeat(10_000))}, ${sql.lit(number)}`,
        sqliteDialect,
      ),
    )
    const prepare = test.mock.method(DatabaseSync.prototype, 'prepare')
    for (const statement of [...statements, ...statements.slice(0, 1)])
      await transaction.query({ statement, values: { planValues: [] } })
    assert.equal(prepare.mock.callCount(), prepared)
    transaction.end()
  })
