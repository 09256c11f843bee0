import type { Catalog } from 'lapidary'

/** How the catalog of each kind of database is read, by how its address begins; only its own driver is loaded. */
const sources: readonly (readonly [
  address: RegExp,
  read: (address: string, rest: string) => Promise<Catalog>,
])[] = [
  [
    /^sqlite:(.+)$/s,
    async (_, path) => {
      if (path === ':memory:') throw new Error('a new database in memory has no tables')
      const { readSqliteCatalog } = await import('lapidary/sqlite')
      return readSqliteCatalog(path)
    },
  ],
  [
    /^postgres(?:ql)?:\/\/(.+)$/s,
    async (url) => {
      if (!URL.canParse(url)) throw new Error(complaint)
      const { readPostgresCatalog } = await import('lapidary/postgres')
      return readPostgresCatalog(url)
    },
  ],
]

// An address may hold a password, so it is not repeated.
const complaint =
  'the database url must be sqlite:<path> or postgres://<user>:<password>@<host>/<database>'

/**
 * Reads what a database holds, and changes nothing in it.
 * @param address - e.g. `sqlite:music.db` or `postgres://me@localhost/music`
 * @throws Error with one line when the address is wrong, or the database cannot be read or has no tables
 */
export async function readCatalog(address: string): Promise<Catalog> {
  for (const [pattern, read] of sources) {
    const rest = pattern.exec(address)?.[1]
    if (rest === undefined) continue
    const catalog = await read(address, rest)
    if (catalog.tables.length === 0) throw new Error('the database has no tables')
    return catalog
  }
  throw new Error(complaint)
}
