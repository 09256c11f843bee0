import type { Model, Store } from 'lapidary'
import type { ServerSettings } from './server-settings.ts'

/** Options of a store that are not settings. */
export interface OpenOptions {
  /** SQLite: whether the file must exist and is neither written nor converted. Default false. */
  readonly readOnly?: boolean | undefined
}

/**
 * Opens the database of the settings. Loads only the driver that it needs.
 * @throws Error when the file cannot be opened, or the driver is not installed
 */
export async function openStore(
  model: Model,
  settings: ServerSettings,
  { readOnly = false }: OpenOptions = {},
): Promise<Store> {
  const { databaseUrl, databaseTimeout: timeout, databaseQueue: queueSize } = settings
  const { statementCache, maxResources } = settings
  const path = /^sqlite:(.+)$/s.exec(databaseUrl)?.[1]
  if (path !== undefined) {
    const { openSqlite } = await import('lapidary/sqlite')
    const { databaseReaders: readers } = settings
    const options = { timeout, queueSize, statementCache, maxResources, readers, readOnly }
    return openSqlite(model, path, { ...options, create: !readOnly })
  }
  const { openPostgres } = await import('lapidary/postgres')
  return openPostgres(model, databaseUrl, {
    timeout,
    queueSize,
    statementCache,
    maxResources,
    replicaUrls: settings.databaseReplicaUrls,
    poolSize: settings.databasePool,
    sendTimeout: settings.sendTimeout,
    keepsSessions: settings.databasePooler === 'none',
  })
}
