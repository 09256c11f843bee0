import cluster from 'node:cluster'
import { createServer, defineModel, type Model, type Store } from 'lapidary'
import about from '../package.json' with { type: 'json' }
import { fillWithDemo } from './demo.ts'
import { resources } from './resources/index.ts'
import { migrations } from './schema.ts'
import { readSettings, type Settings } from './settings.ts'
import { reusesPort } from './worker.ts'

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
 * Starts the service; sees to the tables first, as the settings say.
 *
 * @param settings - what differs from the defaults; how many workers is not looked at, this process is one
 * @param demo - whether to fill the database if it is empty
 * @throws Error with one clear line when the database cannot be opened or does not fit, or the address is taken
 */
export async function startService(
  settings: Partial<Settings> = {},
  demo = false,
): Promise<Running> {
  const chosen: Settings = { ...readSettings({}), ...settings }
  const { store, server } = await readied(chosen, demo)
  try {
    const { host, port } = chosen
    const address = { host, port, reusePort: cluster.isWorker && reusesPort }
    const url = await server.listen(address)
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

/**
 * Makes the database ready for those who will serve it, and leaves it.
 * @returns what a person calls the database
 * @throws Error with one clear line when the database cannot be opened or does not fit
 */
export async function prepareDatabase(settings: Settings, demo: boolean): Promise<string> {
  const { store, server } = await readied(settings, demo)
  await server.close()
  await store.close()
  return store.description
}

/** Everything that a service is made of, its database made ready. */
async function readied(
  settings: Settings,
  demo: boolean,
): Promise<Readonly<{ store: Store; server: ReturnType<typeof createServer> }>> {
  const { clientIds, idMismatch, pageSize, maxPageSize } = settings
  const model = defineModel(resources, {
    clientIds,
    idMismatch,
    pageSize,
    maxPageSize: maxPageSize ?? null,
  })
  const store = await openStore(model, settings)
  try {
    await store.migrate(migrations[store.dialect], settings.migrate === 'off' ? 'compare' : 'run')
    const remarks = await store.check()
    // Whoever started the workers has said it once.
    if (cluster.isPrimary) for (const remark of remarks) console.warn(`lapidary: ${remark}`)
    const { basePath, publicUrl, logLevel, maxBody, allowedHosts } = settings
    const { maxConnections, maxConnectionsPerAddress, queueTimeout, sendTimeout } = settings
    const server = createServer({
      model,
      store,
      basePath,
      publicUrl,
      logLevel,
      maxBody,
      allowedHosts,
      maxConnections,
      maxConnectionsPerAddress,
      queueTimeout,
      sendTimeout,
      about: { description: 'Persons and computers, by JSON:API 1.0.', version: about.version },
    })
    if (demo) await fillWithDemo(server, basePath)
    return { store, server }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Opens the database of the settings; only its own driver is loaded. */
async function openStore(model: Model, settings: Settings): Promise<Store> {
  const { databaseUrl, databaseReplicaUrls, databasePool, databaseQueue, databaseTimeout } =
    settings
  const path = /^sqlite:(.+)$/s.exec(databaseUrl)?.[1]
  if (path !== undefined) {
    const { openSqlite } = await import('lapidary/sqlite')
    return openSqlite(model, path, {
      timeout: databaseTimeout,
      readers: settings.databaseReaders,
      queueSize: databaseQueue,
      statementCache: settings.statementCache,
      maxResources: settings.maxResources,
    })
  }
  const { openPostgres } = await import('lapidary/postgres')
  return openPostgres(model, databaseUrl, {
    replicaUrls: databaseReplicaUrls,
    poolSize: databasePool,
    queueSize: databaseQueue,
    timeout: databaseTimeout,
    sendTimeout: settings.sendTimeout,
    maxResources: settings.maxResources,
    statementCache: settings.statementCache,
    keepsSessions: settings.databasePooler === 'none',
  })
}
