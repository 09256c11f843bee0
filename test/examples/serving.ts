import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { checkTables, createServer, type Model } from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'
import { fill } from '../../examples/chinook/data/fill.ts'
import { type Answer, readAnswer } from '../answer.ts'
import { check } from '../checker/checker.ts'
import { connect, type Query } from '../client.ts'
import { folder } from '../service/child.ts'

/** Sends a request; the answer is checked before the test sees it. */
export type Ask = (path: string, query?: Query) => Promise<Answer>

/** Runs SQL on the stored tables. */
export type Rows = (sql: string) => readonly Readonly<Record<string, unknown>>[]

/** A fresh music store, and a way to look at its tables. */
export async function storeFile(test: TestContext): Promise<{ path: string; rows: Rows }> {
  const path = join(await folder(test), 'chinook.db')
  const database = new DatabaseSync(path)
  test.after(() => database.close())
  fill(database)
  return { path, rows: (sql) => database.prepare(sql).all() }
}

/** Serves a model from a database on disk until the test ends. */
export async function serve(test: TestContext, model: Model, path: string): Promise<Ask> {
  const store = openSqlite(model, path)
  const server = createServer({ model, store, logLevel: 'silent' })
  checkTables(model, await store.catalog())
  const client = connect(await server.listen({ host: '127.0.0.1', port: 0 }))
  test.after(async () => {
    client.close()
    await server.close()
    await store.close()
  })
  return async (target, query) => {
    const exchange = await client.send('GET', target, { query })
    check(exchange)
    const answer = readAnswer(exchange)
    assert.equal(answer.status, 200, answer.text.slice(0, 1000))
    return answer
  }
}
