import type { Catalog } from 'lapidary'
import { readSqliteCatalog } from 'lapidary/sqlite'

/** How the catalog of each kind of database is read, by the scheme of its address. */
const sources: Readonly<Record<string, (rest: string) => Catalog | Promise<Catalog>>> = {
  sqlite: (path) => {
    if (path === ':memory:') throw new Error('a new database in memory has no tables')
    return readSqliteCatalog(path)
  },
}

/**
 * Reads what a database holds, and changes nothing in it.
 * @param address - e.g. `sqlite:music.db`
 * @throws Error with one line when the address is wrong, or the database cannot be read or has no tables
 */
export async function readCatalog(address: string): Promise<Catalog> {
  const [, scheme = '', rest = ''] = /^([a-z]+):(.+)$/s.exec(address) ?? []
  const source = Object.hasOwn(sources, scheme) ? sources[scheme] : undefined
  // An address may hold a password, so it is not repeated.
  if (source === undefined) throw new Error('the database url must be sqlite:<path>')
  const catalog = await source(rest)
  if (catalog.tables.length === 0) throw new Error('the database has no tables')
  return catalog
}
