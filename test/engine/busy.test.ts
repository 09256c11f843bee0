import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { attribute, defineModel, resource, text } from 'lapidary'
import pg from 'pg'
import type { Answer } from '../answer.ts'
import type { ColumnTypes } from '../databases.ts'
import { engine } from './engine.ts'

const served = {
  model: defineModel([
    resource('owner', { path: '/owners', table: 'owner', fields: { name: attribute(text) } }),
  ]),
  tables: ({ newId }: ColumnTypes) => `
    create table owner (id ${newId}, name text);
    insert into owner values (1, 'Ada'), (2, 'Bob')`,
  postgres: { timeout: 500 },
}

/** Somebody else at the same database. */
interface Other {
  run(sql: string): Promise<unknown>
  end(): Promise<unknown>
}

async function otherAt(url: string): Promise<Other> {
  if (url.startsWith('sqlite:')) {
    const database = new DatabaseSync(url.replace('sqlite:', ''))
    return { run: async (sql) => database.exec(sql), end: async () => database.close() }
  }
  const client = new pg.Client(url)
  await client.connect()
  return { run: (sql) => client.query(sql), end: () => client.end() }
}

/** Has the table to itself, as far as writing goes, and leaves a row in it. */
const occupy = {
  sqlite: "begin immediate; insert into owner (name) values ('Cyd')",
  postgres: "begin; lock table owner in exclusive mode; insert into owner (name) values ('Cyd')",
}

engine('A busy database', served, (world) => {
  // A database in memory is nobody else's.
  if (world.database === 'SQLite in memory') return
  const write = () => world.post('/owners', { data: { type: 'owner', attributes: { name: 'x' } } })

  it('is a 503 that says when to try again; reading goes on', async () => {
    const other = await otherAt(world.databaseUrl)
    try {
      await other.run(occupy[world.dialect])
      const busy = await write()
      assert.equal(busy.status, 503, busy.text)
      assert.equal(busy.fault.code, 'unavailable')
      assert.match(busy.headers['retry-after'] ?? '', /^\d+$/)
      assert.equal((await world.get('/owners')).body.meta?.count, 2)
      await other.run('commit')
      assert.equal((await write()).status, 201)
      assert.equal((await world.get('/owners')).body.meta?.count, 4)
    } finally {
      await other.end()
    }
  })

  it('holds up a write for as long as it is busy, and nobody else', async () => {
    const other = await otherAt(world.databaseUrl)
    const order: string[] = []
    const finished = (what: string) => (answer: Answer) => {
      order.push(what)
      return answer.status
    }
    try {
      await other.run(occupy[world.dialect])
      const waiting = write().then(finished('write'))
      assert.equal(await world.get('/owners').then(finished('read')), 200)
      assert.equal(await world.get('/owners/1').then(finished('read')), 200)
      await other.run('commit')
      assert.equal(await waiting, 201)
      assert.deepEqual(order, ['read', 'read', 'write'])
    } finally {
      await other.end()
    }
  })
})
