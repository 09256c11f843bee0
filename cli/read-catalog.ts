import { existsSync, readdirSync, statSync } from 'node:fs'
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
  if (statSync(path).isDirectory())
    throw new Error(`${path} is a folder; name a file in it${suggestFile(join(path, 'a'))}`)
  const { readSqliteCatalog } = await import('lapidary/sqlite')
  try {
    return readSqliteCatalog(path)
  } catch (error) {
    const problem = describeSqliteError(error)
    throw problem === undefined ? error : new Error(`${path} ${problem}`, { cause: error })
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

/** Describes an error of SQLite, as the end of a sentence about a file; `undefined` for any other error. */
function describeSqliteError(error: unknown): string | undefined {
  if (!(error instanceof Error && 'errcode' in error)) return undefined
  // https://sqlite.org/rescode.html#notadb
  return error.errcode === 26 ? 'is not a SQLite database' : `cannot be read: ${error.message}`
}
