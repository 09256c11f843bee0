import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { translateErrors } from '../errors.ts'
import { loadSqlite } from './load-sqlite.ts'

/**
 * The role of a connection. A `reader` does not write and does not create the file. A `writer` converts it to WAL mode. An `introspector`
 * neither creates nor changes any file.
 */
export type ConnectionRole = 'reader' | 'writer' | 'introspector'

/**
 * Page cache of a connection in KiB. A long-lived connection reads the same pages again and again, and reading one from the
 * operating system costs as much as the rest of a row: rows `owner` and `one-included` of the benchmark are 12 and 6 % slower
 * with 2 MiB, at 100,000 persons. A short-lived connection hardly profits.
 */
export const pageCacheSizes = { longLived: 64 * 1024, shortLived: 2 * 1024 } as const

/** How long opening waits for the locks of other processes, in milliseconds. */
const openTimeout = 5000
/** The size to which SQLite truncates the write-ahead log after a checkpoint, in bytes. */
const maxLogSize = 16 * 1024 * 1024

/** The journal mode is stored in the file: readers use the one that they find. */
const readerPragmas = ['query_only = on']
const writerPragmas = [
  'journal_mode = wal',
  `journal_size_limit = ${maxLogSize}`,
  'synchronous = full',
]

/** The settings of a connection. */
interface DatabaseSettings {
  /** The page cache, in KiB. */
  readonly pageCache: number
  /** How long statements wait for the locks of other processes inside of SQLite, in milliseconds. */
  readonly lockTimeout: number
}

/**
 * Opens a file and configures the connection.
 * @throws Error with the supported versions when the runtime is too old
 */
export function openDatabase(
  path: string,
  role: ConnectionRole,
  { pageCache, lockTimeout }: DatabaseSettings,
): DatabaseSync {
  const { DatabaseSync } = loadSqlite()
  const options = { timeout: openTimeout, enableForeignKeyConstraints: true }
  if (role === 'introspector') {
    const readOnly = { ...options, readOnly: true, timeout: lockTimeout }
    return new DatabaseSync(toReadOnlyUrl(path), readOnly)
  }
  return translateErrors(() => {
    const database = new DatabaseSync(role === 'reader' ? toExistingFileUrl(path) : path, options)
    database.exec(`pragma cache_size = -${pageCache}`)
    for (const pragma of role === 'reader' ? readerPragmas : writerPragmas)
      database.exec(`pragma ${pragma}`)
    database.exec(`pragma busy_timeout = ${lockTimeout}`)
    return database
  })
}

/** The URL of a file that SQLite must not create: a reader would serve an empty database. */
function toExistingFileUrl(path: string): URL {
  const url = pathToFileURL(path)
  url.searchParams.set('mode', 'rw')
  return url
}

/**
 * The URL of a file that SQLite must not change. If the file is in WAL mode, even a read-only connection creates files in
 * its folder. If there is no log, no program uses the database, so SQLite may treat it as immutable.
 */
function toReadOnlyUrl(path: string): string | URL {
  if (existsSync(`${path}-wal`)) return path
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  return url
}
