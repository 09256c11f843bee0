import { createRuntimeError } from '../../sql/check-runtime.ts'

/** The module `node:sqlite`. */
type Sqlite = typeof import('node:sqlite')

/**
 * Loads `node:sqlite`. An `import` of it would fail on an older runtime with an error that does not name the remedy.
 * @throws Error with the supported versions when it is missing, or lacks a function that this store needs
 */
export function loadSqlite(): Sqlite {
  const sqlite: Partial<Sqlite> | undefined = process.getBuiltinModule?.('node:sqlite')
  if (!isComplete(sqlite)) throw createRuntimeError('lapidary/sqlite')
  return sqlite
}

/** Whether a module has everything that the store needs; `setAuthorizer` was added last. */
function isComplete(sqlite: Partial<Sqlite> | undefined): sqlite is Sqlite {
  return sqlite?.DatabaseSync !== undefined && 'setAuthorizer' in sqlite.DatabaseSync.prototype
}
