import { createServer, defineModel, type Model, type Store } from 'lapidary'
import about from '../package.json' with { type: 'json' }
import { fillWithDemo } from './demo.ts'
import { resources } from './resources/index.ts'
import { migrations } from './schema.ts'
import { readSettings, type Settings } from './settings.ts'

/** A service that answers requests. */
export interface Running {
  /** Scheme, host and port, e.g. `http://127.0.0.1:3000`. */
  readonly url: string
  /** What a person calls the database, e.g. `SQLite at data/lapidary.db`. */
  readonly database: string
  /**
   * Stops accepting, finishes what is under way and closes the database.
   * @param patience - milliseconds after which readers who have stopped reading are cut off; default 10 s
   */
  close(patience?: number): Promise<void>
}

/**
 * Starts the service; makes the tables where they are missing.
 *
 * @param settings - what differs from the defaults
 * @param demo - whether to fill the database if it is empty
 * @throws Error with one clear line when the database cannot be opened or does not fit, or the address is taken
 */
export async function startService(
  settings: Partial<Settings> = {},
  demo = false,
): Promise<Running> {
  const chosen: Settings = { ...readSettings({}), ...settings }
  const { clientIds, idMismatch, pageSize, maxPageSize } = chosen
  const model = defineModel(resources, { clientIds, idMismatch, pageSize, maxPageSize })
  const store = await openStore(model, chosen.databaseUrl)
  const { basePath, publicUrl, logLevel, maxBody } = chosen
  const server = createServer({
    model,
    store,
    basePath,
    publicUrl,
    logLevel,
    maxBody,
    about: { description: 'Persons and computers, by JSON:API 1.0.', version: about.version },
  })
  try {
    await store.migrate(migrations[store.dialect])
    await store.check()
    if (demo) await fillWithDemo(server, basePath)
    const url = await server.listen({ host: chosen.host, port: chosen.port })
    return { url, database: store.description, close: (patience = 10_000) => close(patience) }
  } catch (error) {
    await store.close()
    throw error
  }

  async function close(patience: number): Promise<void> {
    const impatience = setTimeout(() => server.server.closeAllConnections(), patience)
    await server.close()
    clearTimeout(impatience)
    await store.close()
  }
}

/** Opens the database of a URL; only its own driver is loaded. */
async function openStore(model: Model, url: string): Promise<Store> {
  const path = /^sqlite:(.+)$/s.exec(url)?.[1]
  if (path === undefined) {
    const { openPostgres } = await import('lapidary/postgres')
    return openPostgres(model, url)
  }
  const { openSqlite } = await import('lapidary/sqlite')
  return openSqlite(model, path)
}
