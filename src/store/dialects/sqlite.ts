import { existsSync } from 'node:fs'
import type { Catalog } from '../../model/catalog.ts'
import { refuseMistakes } from '../../model/check.ts'
import { checkTables } from '../../model/check-tables.ts'
import type { Model } from '../../model/model.ts'
import { sqlMistakes } from '../declared-sql.ts'
import { defaultCacheSize, StatementCache } from '../statement-cache.ts'
import type { Store } from '../store.ts'
import type { Target } from '../tables.ts'
import { transactionOn } from '../transaction.ts'
import { Turns } from '../turns.ts'
import { SharedCommits } from './sqlite-commits.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { patiently } from './sqlite-errors.ts'
import { DatabaseFile } from './sqlite-file.ts'
import { indexedColumns } from './sqlite-indexes.ts'
import type { SqliteOptions } from './sqlite-options.ts'
import { readsOf } from './sqlite-reads.ts'
import { sqliteRemarks } from './sqlite-remarks.ts'
import { migrateSqlite, sqliteCatalog } from './sqlite-schema.ts'
import { sqliteDialect as dialect } from './sqlite-sql.ts'
import { sqliteStatements } from './sqlite-whole.ts'
import { writingOn } from './sqlite-write.ts'

/** What may be said of a SQLite database beside its path. */
export type { SqliteOptions } from './sqlite-options.ts'

/**
 * Opens a SQLite database as a store. One connection writes, a transaction at a time; those that wait share a commit.
 *
 * @param path - a file, made with its folder when it is not there, or `:memory:` for a temporary one (decision 0041)
 * @throws Error when the file cannot be opened
 */
export function openSqlite(model: Model, path: string, options: SqliteOptions = {}): Store {
  const file = new DatabaseFile(path)
  // Half of the memory is for texts and what binds their values, the other half for what SQLite makes of them.
  const { statementCache = defaultCacheSize } = options
  const prepared = { statementCache: statementCache / 4 }
  const writer = new SqliteConnection(file.path, 'writer', prepared)
  // Nobody looks for what a temporary file held after the machine has failed.
  if (file.isTemporary) writer.execute('pragma synchronous = off')
  const target: Target = { model, dialect, isIndexed: indexedColumns(writer) }
  const statements = sqliteStatements(target, new StatementCache(statementCache / 2))
  const turns = new Turns()
  const commits = new SharedCommits(writer, { turns, file, queueSize: options.queueSize })
  const opened = transactionOn(writingOn(writer, statements), statements)
  const reads = readsOf(file, { model, statements, prepared }, options)
  return {
    dialect: 'sqlite',
    description: file.isTemporary ? 'SQLite in memory' : `SQLite at ${path}`,
    read: reads.read,
    transaction: (work) => commits.transaction(() => work(opened)),
    check: async () => {
      const catalog = sqliteCatalog(writer)
      checkTables(model, catalog)
      refuseMistakes(await sqlMistakes(target, (statement) => writer.check(statement)))
      return sqliteRemarks(model, catalog, writer)
    },
    catalog: async () => sqliteCatalog(writer),
    migrate: (migrations, mode = 'run') =>
      turns.take(() => patiently(() => migrateSqlite(writer, migrations, mode))),
    close: async () => {
      reads.close()
      writer.close()
      file.remove()
    },
  }
}

/**
 * What a SQLite database holds, without making a file or changing anything about one.
 * @throws Error when the file is not there or is no database
 */
export function readSqliteCatalog(path: string): Catalog {
  if (!existsSync(path)) throw new Error(`there is no file ${path}`)
  const connection = new SqliteConnection(path, 'visitor')
  try {
    return sqliteCatalog(connection)
  } finally {
    connection.close()
  }
}
