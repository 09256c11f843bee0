import { defineModel, type Store } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { createPages } from 'lapidary/html'
import { generateSql } from './data/generate-sql.ts'
import { resources } from './resources/index.ts'

/** A running server of the music store. */
interface RunningServer {
  /** Scheme, host and port, e.g. `http://127.0.0.1:3002`. */
  readonly url: string
  /** A description of the database, e.g. `SQLite at data/chinook.db`. */
  readonly database: string
  /** Finishes pending requests and closes the database. */
  close(): Promise<void>
}

/** The model of the music store. `page[size]=0` returns complete collections, as streams. */
export const model = defineModel(resources, { maxPageSize: null })

/**
 * Serves the music store from a database. Creates and fills the tables if the database is empty.
 * @param databaseUrl - `sqlite:<path>` or `postgres://<user>:<password>@<host>/<database>`
 * @param port - 0 chooses a free port
 */
export async function startServer(
  databaseUrl: string,
  port: number,
  logLevel = 'info',
): Promise<RunningServer> {
  const store = await openStore(databaseUrl)
  const rootMeta = { description: 'A music store, by JSON:API 1.0.' }
  const html = createPages({ explain: true })
  const openapi = { title: 'Music store', examples: 'rows' } as const
  const server = createServer({ model, store, rootMeta, logLevel, html, openapi })
  try {
    await store.migrate([{ version: 1, sql: generateSql(store.dialect) }])
    const { warnings } = await store.verify()
    for (const warning of warnings) console.warn(`chinook: ${warning}`)
    const url = await server.listen({ host: '127.0.0.1', port })
    const close = async () => {
      await server.close()
      await store.close()
    }
    return { url, database: store.description, close }
  } catch (error) {
    await store.close()
    throw error
  }
}

async function openStore(url: string): Promise<Store> {
  const path = /^sqlite:(.+)$/s.exec(url)?.[1]
  if (path !== undefined) {
    const { openSqlite } = await import('lapidary/sqlite')
    return openSqlite(model, path, { create: true })
  }
  if (!/^postgres(?:ql)?:/.test(url) || !URL.canParse(url))
    throw new Error('DATABASE_URL must be sqlite:<path> or postgres://<host>/<database>')
  const { openPostgres } = await import('lapidary/postgres')
  return openPostgres(model, url)
}
