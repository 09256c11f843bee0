import cluster from 'node:cluster'
import { defineModel, type Model, type Store } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import packageJson from '../package.json' with { type: 'json' }
import { fillWithDemo } from './fill-with-demo.ts'
import { migrations } from './migrations.ts'
import { resources } from './resources/index.ts'
import { parseSettings, type Settings } from './settings.ts'
import { reusesPort } from './worker.ts'

/** A running service. */
export interface RunningService {
  /** Scheme, host and port, e.g. `http://127.0.0.1:3000`. */
  readonly url: string
  /** A description of the database, e.g. `SQLite at data/lapidary.db`. */
  readonly database: string
  /**
   * Stops accepting connections, finishes pending requests and closes the database.
   * @param timeout - milliseconds after which it closes connections with unfinished responses; default 10 s
   */
  close(timeout?: number): Promise<void>
}

/**
 * Prepares the database and starts the service in this process.
 *
 * @param settings - the settings that differ from the defaults; `workers` is ignored
 * @param demo - whether to fill an empty database with demonstration data
 * @throws Error with a one-line message when the database cannot be opened, its tables do not match the declarations, or
 *   the port is in use
 */
export async function startService(
  settings: Partial<Settings> = {},
  demo = false,
): Promise<RunningService> {
  const allSettings: Settings = { ...parseSettings({}), ...settings }
  const { store, server } = await prepareService(allSettings, demo)
  try {
    const { host, port } = allSettings
    const address = { host, port, reusePort: cluster.isWorker && reusesPort }
    const url = await server.listen(address)
    return { url, database: store.description, close: (timeout = 10_000) => close(timeout) }
  } catch (error) {
    await store.close()
    throw error
  }

  async function close(timeout: number): Promise<void> {
    const timer = setTimeout(() => server.server.closeAllConnections(), timeout)
    await server.close()
    clearTimeout(timer)
    await store.close()
  }
}

/**
 * Prepares the database without starting the service, and closes it.
 * @returns a description of the database, e.g. `SQLite at data/lapidary.db`
 * @throws Error with a one-line message when the database cannot be opened or its tables do not match the declarations
 */
export async function prepareDatabase(settings: Settings, demo: boolean): Promise<string> {
  const { store, server } = await prepareService(settings, demo)
  await server.close()
  await store.close()
  return store.description
}

type Server = ReturnType<typeof createServer>

/** Opens, migrates and verifies the database, and creates the server. */
async function prepareService(
  settings: Settings,
  demo: boolean,
): Promise<Readonly<{ store: Store; server: Server }>> {
  const { clientIds, idMismatch, pageSize } = settings
  const maxPageSize = settings.maxPageSize ?? null
  const model = defineModel(resources, { clientIds, idMismatch, pageSize, maxPageSize })
  const store = await openStore(model, settings)
  try {
    await store.migrate(migrations[store.dialect], settings.migrate === 'off' ? 'compare' : 'run')
    const { warnings } = await store.verify()
    // The supervisor has printed the warnings before it started the workers.
    if (cluster.isPrimary) for (const warning of warnings) console.warn(`lapidary: ${warning}`)
    const server = createServiceServer(model, store, settings)
    if (demo) await fillWithDemo(server, settings.basePath)
    return { store, server }
  } catch (error) {
    await store.close()
    throw error
  }
}

function createServiceServer(model: Model, store: Store, settings: Settings): Server {
  const { basePath: prefix, publicUrl, logLevel, maxBody, allowedHosts } = settings
  const { maxConnections, maxConnectionsPerAddress, queueTimeout, sendTimeout } = settings
  const { version } = packageJson
  return createServer({
    model,
    store,
    prefix,
    publicUrl,
    logLevel,
    maxBody,
    allowedHosts,
    maxConnections,
    maxConnectionsPerAddress,
    queueTimeout,
    sendTimeout,
    rootMeta: { description: 'Persons and computers, by JSON:API 1.0.', version },
  })
}

/** Opens the database. Loads only the driver that it needs. */
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
