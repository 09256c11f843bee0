import { ZenStackClient } from '@zenstackhq/orm'
import { SqliteDialect } from '@zenstackhq/orm/dialects/sqlite'
import { RestApiHandler } from '@zenstackhq/server/api'
import { ZenStackFastifyPlugin } from '@zenstackhq/server/fastify'
import SQLite from 'better-sqlite3'
import fastify from 'fastify'
import { schema } from './zenstack/schema.ts'

/** ZenStack's REST handler on Fastify, by better-sqlite3. */
export async function start(database) {
  const sqlite = new SQLite(database.replace(/^sqlite:/, ''))
  sqlite.pragma('journal_mode = wal')
  sqlite.pragma('synchronous = full')
  const client = new ZenStackClient(schema, { dialect: new SqliteDialect({ database: sqlite }) })
  const app = fastify()
  app.addContentTypeParser(
    'application/vnd.api+json',
    { parseAs: 'string' },
    app.getDefaultJsonParser('ignore', 'ignore'),
  )
  const apiHandler = new RestApiHandler({ schema, endpoint: 'http://127.0.0.1', pageSize: 30 })
  await app.register(ZenStackFastifyPlugin, { prefix: '', apiHandler, getClient: () => client })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { port: app.server.address().port, close: () => app.close() }
}
