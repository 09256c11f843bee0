import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** The statements that control transactions. Most reads and all writes need them, so they are prepared outside of the cache. */
const controls = {
  deferred: 'begin deferred',
  immediate: 'begin immediate',
  commit: 'commit',
  savepoint: 'savepoint lapidary',
  release: 'release lapidary',
  /** Changes when another connection of any process has committed (sqlite.org/pragma.html#pragma_data_version). */
  dataVersion: 'pragma data_version',
  /** The size of the database in pages. */
  pageCount: 'pragma page_count',
} as const

/** Prepared statements that control transactions. */
export type ControlStatements = Readonly<Record<keyof typeof controls, StatementSync>>

/** Prepares the statements that control the transactions of a connection. */
export function prepareControlStatements(database: DatabaseSync): ControlStatements {
  const prepare = (name: keyof typeof controls): StatementSync => {
    const statement = database.prepare(controls[name])
    statement.setReturnArrays(true)
    return statement
  }
  return {
    deferred: prepare('deferred'),
    immediate: prepare('immediate'),
    commit: prepare('commit'),
    savepoint: prepare('savepoint'),
    release: prepare('release'),
    dataVersion: prepare('dataVersion'),
    pageCount: prepare('pageCount'),
  }
}
