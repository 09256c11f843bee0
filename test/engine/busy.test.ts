import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { attribute, defineModel, resource, text } from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'
import pg from 'pg'
import type { ColumnTypes } from '../databases.ts'
import { long } from '../long-tests.ts'
import type { TestResponse } from '../test-response.ts'
import { type Engine, engine } from './engine.ts'

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
