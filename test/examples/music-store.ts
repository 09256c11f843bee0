import assert from 'node:assert/strict'
import type { Model } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { generateSql } from '../../examples/chinook/data/generate-sql.ts'
import { assertModelConforms } from '../checker/check-served.ts'
import type { Scope } from '../cleanup.ts'
import { connect, type Query } from '../client.ts'
import type { Database } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { execute, filled, type Records } from '../filled.ts'
import { parseResponse, type TestResponse } from '../test-response.ts'

/** Sends a GET request that must succeed. The document checker verifies the response first. */
export type Get = (path: string, query?: Query) => Promise<TestResponse>

/** Runs SQL directly on the database and returns the rows. */
export type RunSql = (sql: string) => Promise<Records>

/** A database with the tables of the music store. */
export interface MusicStore {
  readonly url: string
  readonly runSql: RunSql
}

/** Creates a music store that exists until the test or suite ends. */
export async function createMusicStore(test: Scope, database: Database): Promise<MusicStore> {
  const sql = generateSql(database.name === 'PostgreSQL' ? 'postgres' : 'sqlite')
  const url = await filled(test, database, sql)
  return { url, runSql: (query) => execute(url, query) }
}

/** Starts a server that runs until the test or suite ends. */
export async function serve(test: Scope, model: Model, databaseUrl: string): Promise<Get> {
  const store = await openStore(model, databaseUrl)
  const server = createServer({ model, store, logLevel: 'silent' })
  await store.verify()
  const client = connect(await server.listen({ host: '127.0.0.1', port: 0 }))
  test.after(async () => {
    client.close()
    await server.close()
    await store.close()
  })
  return async (path, query) => {
    const exchange = await client.send('GET', path, { query })
    assertModelConforms(model, exchange)
    const response = parseResponse(exchange)
    assert.equal(response.status, 200, response.text.slice(0, 1000))
    return response
  }
}
