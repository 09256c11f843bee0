import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Catalog, SampleRequest, TableSample } from 'lapidary'
import { suggestName } from '../process/suggest-name.ts'

/** How to read the catalog of each database, by the scheme of its URL. Only the driver in use is loaded. */
const readers: readonly (readonly [
  scheme: RegExp,
  read: (url: string, rest: string) => Promise<Catalog>,
])[] = [
  [/^sqlite:(.+)$/s, (_, path) => readSqlite(path)],
  [/^postgres(?:ql)?:\/\/(.+)$/s, (url) => readPostgres(url)],
]

// The message does not repeat the URL, because it may contain a password.
const invalidUrl =
  'the database url must be sqlite:<path> or postgres://<user>:<password>@<host>/<database>'

/**
 * Reads the catalog of a database: its tables, columns, keys and foreign keys. Writes nothing.
 * @param databaseUrl - e.g. `sqlite:music.db` or `postgres://me@localhost/music`
 * @throws Error with a one-line message when the URL is invalid, the database cannot be read, or it has no tables
 */
export async function readCatalog(databaseUrl: string): Promise<Catalog> {
  for (const [scheme, read] of readers) {
    const rest = scheme.exec(databaseUrl)?.[1]
    if (rest === undefined) continue
    const catalog = await read(databaseUrl, rest)
    if (catalog.tables.length === 0)
      throw new Error('the database has no tables; create them first, or check the database url')
    return catalog
  }
  const isPath = !databaseUrl.includes(':')
  throw new Error(isPath ? `${invalidUrl}; did you mean sqlite:${databaseUrl}?` : invalidUrl)
}

/** Reads the first rows of tables of a database whose catalog was read. Writes nothing. */
export async function sampleDatabase(
  databaseUrl: string,
  requests: readonly SampleRequest[],
): Promise<readonly TableSample[]> {
  const path = /^sqlite:(.+)$/s.exec(databaseUrl)?.[1]
  if (path === undefined) {
    const { samplePostgres } = await import('lapidary/postgres')
    return samplePostgres(databaseUrl, requests)
  }
  const { sampleSqlite } = await import('lapidary/sqlite')
  return sampleSqlite(path, requests)
}

async function readSqlite(path: string): Promise<Catalog> {
  if (path === ':memory:') throw new Error('a new in-memory database has no tables')
  if (!existsSync(path)) throw new Error(`there is no file ${path}${suggestFile(path)}`)
  const { readSqliteCatalog } = await import('lapidary/sqlite')
  try {
    return readSqliteCatalog(path)
  } catch (error) {
    if (!isNotDatabase(error)) throw error
    throw new Error(`${path} is not a SQLite database`, { cause: error })
  }
}

async function readPostgres(url: string): Promise<Catalog> {
  if (!URL.canParse(url)) throw new Error(invalidUrl)
  const { readPostgresCatalog } = await import('lapidary/postgres')
  try {
    return await readPostgresCatalog(url)
  } catch (error) {
    if (!isDriverMissing(error)) throw error
    const command = 'npx --package lapidary --package pg lapidary'
    throw new Error(`${error.message}, or run the command as "${command} …"`, { cause: error })
  }
}

/** True if the driver `pg`, an optional peer dependency, is not installed. */
function isDriverMissing(error: unknown): error is Error {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND'
}

/** Suggests a file in place of a missing one, as the end of an error's sentence; empty if the folder has no database. */
function suggestFile(path: string): string {
  const folder = dirname(path)
  const files = existsSync(folder) ? readdirSync(folder) : []
  const databases = files.filter((name) => /\.(?:db3?|sqlite3?)$/i.test(name))
  const nearest = suggestName(basename(path), databases)
  if (nearest !== undefined) return `; did you mean ${join(folder, nearest)}?`
  return databases.length > 0 ? `; the folder has ${databases.sort().join(', ')}` : ''
}

/** True for the error of SQLite that a file is not a database (sqlite.org/rescode.html#notadb). */
function isNotDatabase(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 26
}
