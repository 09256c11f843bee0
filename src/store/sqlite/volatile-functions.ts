import type { DatabaseSync } from 'node:sqlite'
import { loadSqlite } from './load-sqlite.ts'

/** SQLite's functions whose result may change while the tables do not. */
// biome-ignore format: a list
const volatileFunctions = new Set<string | null>([
  'current_date', 'current_time', 'current_timestamp', 'date', 'time', 'datetime', 'julianday', 'strftime', 'timediff', 'unixepoch',
  'random', 'randomblob', 'changes', 'total_changes', 'last_insert_rowid',
])

/**
 * Calls `onUse` while the connection prepares a statement that calls a volatile function, directly or in a view. SQLite
 * reports every function to the authorizer (sqlite.org/c3ref/set_authorizer.html).
 */
export function watchVolatileFunctions(database: DatabaseSync, onUse: () => void): void {
  const { constants } = loadSqlite()
  database.setAuthorizer((action, _, name) => {
    if (action === constants.SQLITE_FUNCTION && volatileFunctions.has(name)) onUse()
    return constants.SQLITE_OK
  })
}

/** Closes a database that `watchVolatileFunctions` may watch, unless it is closed already. */
export function closeWatched(database: DatabaseSync): void {
  if (!database.isOpen) return
  // The authorizer refers to the connection, whose statements refer to the database: Node.js would never free them.
  database.setAuthorizer(null)
  database.close()
}
