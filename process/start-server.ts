import cluster from 'node:cluster'
import type { Model, ModelOptions, Store } from 'lapidary'
import { docsPage } from 'lapidary/docs'
import { createServer } from 'lapidary/fastify'
import { createPages } from 'lapidary/html'
import type { DocsPage } from 'lapidary/openapi'
import { openStore } from './databases.ts'
import { describeListenError } from './describe-listen-error.ts'
import { observeProcess } from './observe-process.ts'
import type { ServerSettings } from './server-settings.ts'
import { reusesPort } from './worker.ts'

/** An HTTP server that does not listen yet. */
type Server = ReturnType<typeof createServer>

/** The model of a server, and the functions that run before it listens. */
export interface Application {
  readonly model: Model
  /** SQLite: whether the file must exist and is neither written nor converted. Default false. */
  readonly readOnly?: boolean | undefined
  /** The name of the API. */
  readonly title: string
  /** The `meta` of the root document. */
  readonly rootMeta: Readonly<Record<string, unknown>>
  /** Runs before the tables are compared with the model. */
  readonly migrate?: (store: Store) => Promise<void>
  /** Receives the warnings of `store.verify`, and those of them that name rows which are not served. */
  readonly onWarnings: (warnings: readonly string[], unserved: readonly string[]) => void
  /** Runs before the server listens. */
  readonly fill?: (server: Server) => Promise<void>
}

/** A running server. */
export interface RunningServer {
  /** Scheme, host and port, e.g. `http://127.0.0.1:3000`. */
  readonly url: string
  /** A description of the database, e.g. `SQLite at data/lapidary.db`. */
  readonly database: string
  /**
   * Stops accepting connections, finishes pending requests and closes the database.
   * @param timeout - milliseconds after `shutdownDelay` in which unfinished responses may end; default 10 s
   */
  close(timeout?: number): Promise<void>
}

/**
 * Prepares the database and starts a server in this process.
 * @throws Error with a one-line message when the database cannot be opened, its tables do not match the declarations, or
 *   the port is in use
 */
export async function startServer(
  application: Application,
  settings: ServerSettings,
): Promise<RunningServer> {
  const { store, server } = await prepareServer(application, settings)
  const { host, port } = settings
  let stopObserving = async () => {}
  try {
    stopObserving = await observeProcess(settings, server.log)
    const address = { host, port, reusePort: cluster.isWorker && reusesPort }
    const url = await server.listen(address)
    return { url, database: store.description, close: (timeout = 10_000) => close(timeout) }
  } catch (error) {
    await stopObserving()
    await store.close()
    throw describeListenError(error, { host, port })
  }

  async function close(timeout: number): Promise<void> {
    const limit = timeout + settings.shutdownDelay
    const timer = setTimeout(() => server.server.closeAllConnections(), limit)
    await server.close()
    clearTimeout(timer)
    await stopObserving()
    await store.close()
  }
}

/**
 * Prepares the database without starting a server, and closes it.
 * @returns a description of the database, e.g. `SQLite at data/lapidary.db`
 * @throws Error with a one-line message when the database cannot be opened or its tables do not match the declarations
 */
export async function prepareDatabase(
  application: Application,
  settings: ServerSettings,
): Promise<string> {
  const { store, server } = await prepareServer(application, settings)
  await server.close()
  await store.close()
  return store.description
}

/** The option `pages` of a model by the setting of the same name. */
export function toPageOptions(pages: ServerSettings['pages']): ModelOptions['pages'] {
  return pages === 'cursors' ? { by: 'cursor' } : undefined
}

/** The option `atomic` of a model by the settings. */
export function toAtomicOptions({
  jsonapiVersion,
  atomic = jsonapiVersion === '1.1' ? 'on' : 'off',
  maxOperations,
}: Pick<ServerSettings, 'jsonapiVersion' | 'atomic' | 'maxOperations'>): ModelOptions['atomic'] {
  return atomic === 'on' && { actions: true, maxOperations }
}

/** Opens, migrates and verifies the database, and creates the server. */
async function prepareServer(
  application: Application,
  settings: ServerSettings,
): Promise<Readonly<{ store: Store; server: Server }>> {
  const { model, readOnly, migrate, onWarnings, fill } = application
  const store = await openStore(model, settings.databaseUrl, { readOnly, settings })
  try {
    await migrate?.(store)
    const { warnings, unserved } = await store.verify()
    // The supervisor has reported the warnings before it started the workers.
    if (cluster.isPrimary) onWarnings(warnings, unserved)
    if (fill) {
      const server = createHttpServer(application, store, { ...settings, accessLog: 'off' })
      await fill(server)
      await server.close()
    }
    return { store, server: createHttpServer(application, store, settings) }
  } catch (error) {
    await store.close()
    throw error
  }
}

function createHttpServer(
  { model, title, rootMeta }: Application,
  store: Store,
  settings: ServerSettings,
): Server {
  const { basePath: prefix, publicUrl, logLevel, maxBody, allowedHosts, allowedOrigins } = settings
  const { maxConnections, queueTimeout, sendTimeout, notFoundInterval } = settings
  return createServer({
    model,
    store,
    prefix,
    publicUrl,
    logLevel,
    accessLog: settings.accessLog === 'on',
    openapi: settings.openapi !== 'off' && {
      ...{ title, examples: 'rows', ...findDocs(model) },
      ...(settings.openapi === '3.2' && { openapi: '3.2' }),
    },
    shutdownDelay: settings.shutdownDelay,
    maxBody,
    allowedHosts,
    allowedOrigins,
    maxConnections,
    queueTimeout,
    sendTimeout,
    notFoundInterval,
    methodOverride: settings.methodOverride === 'on',
    serverTiming: settings.serverTiming === 'on',
    rootMeta,
    html: settings.html === 'on' ? createPages({ explain: settings.explain === 'on' }) : undefined,
  })
}

/** The reference page of the API, if its package is installed and no resource type has its path. */
function findDocs(model: Model): { readonly docs?: DocsPage } {
  if (Object.values(model.declarations).some(({ path }) => path === '/docs')) return {}
  try {
    return { docs: docsPage() }
  } catch {
    return {}
  }
}
