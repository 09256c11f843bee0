import { createServer, defineModel, type Store } from 'lapidary'
import { storeSql } from './data/fill.ts'
import { resources } from './resources/index.ts'

/** The music store, serving. */
export interface Running {
  /** Scheme, host and port, e.g. `http://127.0.0.1:3002`. */
  readonly url: string
  /** What a person calls the database, e.g. `SQLite at data/chinook.db`. */
  readonly database: string
  /** Finishes what is under way and closes the database. */
  close(): Promise<void>
}

/** The declarations, put together; whole lists may be asked for, and are streamed. */
export const model = defineModel(resources, { maxPageSize: null })

/**
 * Serves the music store from a database, which is filled when it is empty.
 * @param databaseUrl - `sqlite:<path>` or `postgres://<user>:<password>@<host>/<database>`
 * @param port - 0 takes any free one
 */
export async function startStore(
  databaseUrl: string,
  port: number,
  logLevel = 'info',
): Promise<Running> {
  const store = await openStore(databaseUrl)
  const about = { description: 'A music store, by JSON:API 1.0.' }
  const server = createServer({ model, store, about, logLevel })
  try {
    await store.migrate([{ version: 1, sql: storeSql(store.dialect) }])
    for (const remark of await store.check()) console.warn(`chinook: ${remark}`)
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
    return openSqlite(model, path)
  }
  if (!/^postgres(?:ql)?:/.test(url) || !URL.canParse(url))
    throw new Error('DATABASE_URL must be sqlite:<path> or postgres://<host>/<database>')
  const { openPostgres } = await import('lapidary/postgres')
  return openPostgres(model, url)
}
