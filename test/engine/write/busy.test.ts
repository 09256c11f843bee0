import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { attribute, defineModel, resource, text } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { openSqlite, type SqliteOptions } from 'lapidary/sqlite'
import pg from 'pg'
import type { ColumnTypes } from '../../databases.ts'
import { long } from '../../long-tests.ts'
import type { TestResponse } from '../../test-response.ts'
import { type Engine, engine } from '../engine.ts'

const served = {
  model: defineModel([
    resource('owner', { path: '/owners', table: 'owner', fields: { name: attribute(text) } }),
  ]),
  tables: ({ newId }: ColumnTypes) => `
    create table owner (id ${newId}, name text);
    insert into owner values (1, 'Ada'), (2, 'Bob')`,
}

/** A second connection to the same database. */
interface SecondConnection {
  run(sql: string): Promise<unknown>
  end(): Promise<unknown>
}

async function openSecondConnection(url: string): Promise<SecondConnection> {
  if (url.startsWith('sqlite:')) {
    const database = new DatabaseSync(url.replace('sqlite:', ''))
    return { run: async (sql) => database.exec(sql), end: async () => database.close() }
  }
  const client = new pg.Client(url)
  await client.connect()
  return { run: (sql) => client.query(sql), end: () => client.end() }
}

/** Locks the table for writes and inserts a row. */
const lockTable = {
  sqlite: "begin immediate; insert into owner (name) values ('Cyd')",
  postgres: "begin; lock table owner in exclusive mode; insert into owner (name) values ('Cyd')",
}

const write = (app: Engine) =>
  app.post('/owners', { data: { type: 'owner', attributes: { name: 'x' } } })

engine('Database with a lock that stays', { ...served, postgres: { timeout: 500 } }, (app) => {
  // An in-memory database accepts no second connection.
  if (app.database === 'SQLite in memory') return

  it('given a lock that stays, when a write times out, then the response is a 503 with Retry-After, and reads go on', async () => {
    const other = await openSecondConnection(app.databaseUrl)
    try {
      await other.run(lockTable[app.dialect])
      const rejected = await write(app)
      assert.equal(rejected.status, 503, rejected.text)
      assert.equal(rejected.error.code, 'unavailable')
      assert.match(rejected.headers['retry-after'] ?? '', /^\d+$/)
      assert.equal((await app.get('/owners')).body.meta?.count, 2)
      await other.run('commit')
      assert.equal((await write(app)).status, 201)
      assert.equal((await app.get('/owners')).body.meta?.count, 4)
    } finally {
      await other.end()
    }
  })
})

engine('Database with a lock that ends', served, (app) => {
  if (app.database === 'SQLite in memory') return

  it('given a lock that ends, when a write waits for it, then the write succeeds and reads do not wait', async () => {
    const other = await openSecondConnection(app.databaseUrl)
    const order: string[] = []
    const finished = (what: string) => (answer: TestResponse) => {
      order.push(what)
      return answer.status
    }
    try {
      await other.run(lockTable[app.dialect])
      const waiting = write(app).then(finished('write'))
      assert.equal(await app.get('/owners').then(finished('read')), 200)
      assert.equal(await app.get('/owners/1').then(finished('read')), 200)
      await other.run('commit')
      assert.equal(await waiting, 201)
      assert.deepEqual(order, ['read', 'read', 'write'])
    } finally {
      await other.end()
    }
  })
})

it(
  'given a SQLite file that another process locks, when it is opened, then that fails after a while, and succeeds later',
  long,
  async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'lapidary-locked-'))
    test.after(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'locked.db')
    const other = new DatabaseSync(path)
    other.exec('create table owner (id integer primary key, name text); begin exclusive')
    other.exec("insert into owner values (1, 'Ada')")
    assert.throws(() => openSqlite(served.model, path), /^BusyError: The database is busy/)
    other.exec('commit')
    other.close()
    const store = openSqlite(served.model, path)
    await store.verify()
    await store.close()
  },
)

describe('A SQLite file without WAL', () => {
  const model = defineModel(
    [
      resource('owner', { path: '/owners', table: 'owner', fields: { name: attribute(text) } }),
      resource('number', {
        ...{ path: '/numbers', table: 'number', access: 'read-only' },
        fields: {},
      }),
    ],
    { maxPageSize: null },
  )

  /** Serves a file that another program can lock. */
  async function serve(test: TestContext, options: SqliteOptions = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'lapidary-locked-'))
    const path = join(folder, 'owners.db')
    const other = new DatabaseSync(path)
    other.exec(`create table owner (id integer primary key, name text);
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000)
      insert into owner select i, 'Ada' from n;
      create view number as
        with recursive n (id) as (select 1 union all select id + 1 from n limit 10) select id from n`)
    const store = openSqlite(model, path, { readOnly: true, ...options })
    const server = createServer({ model, store, logLevel: 'silent' })
    await server.inject('/health/live')
    test.after(async () => {
      other.close()
      await server.close()
      await store.close()
      rmSync(folder, { recursive: true })
    })
    return { server, store, other }
  }

  for (const [what, path, isFirst] of [
    ['a resource', '/owners/1'],
    ['a list', '/owners'],
    ['a list that has not been read before', '/owners', true],
    ['a list in a reader process', '/numbers?sort=-id'],
    ['a stream', '/owners?page[size]=0'],
  ] as const)
    it(`given the exclusive lock of another program, when ${what} is read, then what needs no database is answered at once, and the read when the lock ends`, async (test) => {
      const { server, other } = await serve(test)
      if (!isFirst) assert.equal((await server.inject(path)).statusCode, 200)
      other.exec("begin exclusive; insert into owner values (9999, 'Bob')")
      const order: string[] = []
      const send = async (url: string) => {
        const { statusCode } = await server.inject(url)
        order.push(url)
        return statusCode
      }
      const read = send(path)
      assert.equal(await send('/health/live'), 200)
      assert.equal(await send('/nope'), 404)
      assert.equal(await send('/owners?page[sise]=1'), 400)
      assert.deepEqual(order, ['/health/live', '/nope', '/owners?page[sise]=1'])
      other.exec('commit')
      assert.equal(await read, 200)
    })

  it('given an exclusive lock that stays, when a read has waited as long as it may take, then it is 503 with Retry-After', async (test) => {
    const { server, other } = await serve(test, { timeout: 100 })
    other.exec('begin exclusive')
    const { statusCode, headers, body } = await server.inject('/owners')
    assert.equal(statusCode, 503, body)
    assert.match(body, /The database is busy; try again shortly/)
    assert.equal(headers['retry-after'], '1')
  })

  it('given an exclusive lock, then as many reads wait as the queue holds, and further ones are 503', async (test) => {
    const { server, other } = await serve(test, { queueSize: 1 })
    other.exec('begin exclusive')
    const reads = [server.inject('/owners'), server.inject('/owners')]
    const { statusCode, body } = await Promise.race(reads)
    assert.equal(statusCode, 503)
    assert.match(body, /"code":"overloaded"/)
    other.exec('commit')
    const statuses = (await Promise.all(reads)).map((each) => each.statusCode)
    assert.deepEqual(statuses.sort(), [200, 503])
  })

  for (const name of ['prepare', 'verify', 'catalog', 'checkReady'] as const)
    it(`given the exclusive lock of another program, when store.${name} is called, then it waits while other work runs`, async (test) => {
      const { store, other } = await serve(test)
      other.exec('begin exclusive')
      const called = store[name]()
      await new Promise(setImmediate)
      other.exec('commit')
      await called
    })
})
