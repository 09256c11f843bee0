import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { checkTables, createServer, defineModel } from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'
import { fill } from './data/fill.ts'
import { resources } from './resources/index.ts'

/** The music store, serving. */
export interface Running {
  /** Scheme, host and port, e.g. `http://127.0.0.1:3002`. */
  readonly url: string
  /** Finishes what is under way and closes the database. */
  close(): Promise<void>
}

/** The declarations, put together. */
export const model = defineModel(resources)

/**
 * Serves the music store from a SQLite file, which is made and filled when it is not there.
 * @param port - 0 takes any free one
 */
export async function startStore(path: string, port: number, logLevel = 'info'): Promise<Running> {
  if (!existsSync(path)) makeStore(path)
  const store = openSqlite(model, path)
  const about = { description: 'A music store, by JSON:API 1.0.' }
  const server = createServer({ model, store, about, logLevel })
  try {
    checkTables(model, await store.catalog())
    const url = await server.listen({ host: '127.0.0.1', port })
    const close = async () => {
      await server.close()
      await store.close()
    }
    return { url, close }
  } catch (error) {
    await store.close()
    throw error
  }
}

function makeStore(path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  const database = new DatabaseSync(path)
  fill(database)
  database.close()
}
