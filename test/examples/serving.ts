import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { createServer, type Model } from 'lapidary'
import { storeSql } from '../../examples/chinook/data/fill.ts'
import { type Answer, readAnswer } from '../answer.ts'
import { check } from '../checker/checker.ts'
import { connect, type Query } from '../client.ts'
import type { Database } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { execute, filled, type Records } from '../filled.ts'

/** Sends a request; the answer is checked before the test sees it. */
export type Ask = (path: string, query?: Query) => Promise<Answer>

/** Runs SQL on the stored tables. */
export type Rows = (sql: string) => Promise<Records>

/** A fresh music store in a database, and a way to look at its tables. */
export async function musicStore(
  test: TestContext,
  database: Database,
): Promise<{ url: string; rows: Rows }> {
  const sql = storeSql(database.name === 'PostgreSQL' ? 'postgres' : 'sqlite')
  const url = await filled(test, database, sql)
  return { url, rows: (question) => execute(url, question) }
}

/** Serves a model from a database until the test ends. */
export async function serve(test: TestContext, model: Model, databaseUrl: string): Promise<Ask> {
  const store = await openStore(model, databaseUrl)
  const server = createServer({ model, store, logLevel: 'silent' })
  await store.check()
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
