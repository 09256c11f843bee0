import type { Catalog } from 'lapidary'

/** How to read the catalog of each database, by the scheme of its URL. Only the driver in use is loaded. */
const readers: readonly (readonly [
  scheme: RegExp,
  read: (url: string, rest: string) => Promise<Catalog>,
])[] = [
  [
    /^sqlite:(.+)$/s,
    async (_, path) => {
      if (path === ':memory:') throw new Error('a new in-memory database has no tables')
      const { readSqliteCatalog } = await import('lapidary/sqlite')
      return readSqliteCatalog(path)
    },
  ],
  [
    /^postgres(?:ql)?:\/\/(.+)$/s,
    async (url) => {
      if (!URL.canParse(url)) throw new Error(invalidUrl)
      const { readPostgresCatalog } = await import('lapidary/postgres')
      return readPostgresCatalog(url)
    },
  ],
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
    if (catalog.tables.length === 0) throw new Error('the database has no tables')
    return catalog
  }
  throw new Error(invalidUrl)
}
