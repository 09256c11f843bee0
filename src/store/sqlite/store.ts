import { existsSync } from 'node:fs'
import type { Catalog } from '../../model/catalog.ts'
import { checkTables } from '../../model/check-tables.ts'
import { throwDeclarationErrors } from '../../model/declaration-error.ts'
import type { Model } from '../../model/model.ts'
import { checkDeclaredSql } from '../declared-sql.ts'
import { Mutex } from '../mutex.ts'
import { defaultCacheSize, StatementCache } from '../statement-cache.ts'
import type { Store } from '../store.ts'
import type { Target } from '../tables.ts'
import { transactionOn } from '../transaction.ts'
import { migrateSqlite, sqliteCatalog } from './catalog.ts'
import { SqliteConnection } from './connection.ts'
import { DatabaseFile } from './database-file.ts'
import { sqliteDialect as dialect } from './dialect.ts'
import { patiently } from './errors.ts'
import { sqliteStatements } from './full-read.ts'
import { SharedCommits } from './group-commit.ts'
import { indexedColumns } from './indexes.ts'
import type { SqliteOptions } from './options.ts'
import { readsOf } from './read-router.ts'
import { writingOn } from './transaction.ts'
import { sqliteRemarks } from './warnings.ts'

/** What may be said of a SQLite database beside its path. */
export type { SqliteOptions } from './options.ts'

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
  const turns = new Mutex()
  const commits = new SharedCommits(writer, { turns, file, queueSize: options.queueSize })
  const opened = transactionOn(writingOn(writer, statements), statements)
  const reads = readsOf(file, { model, statements, prepared }, options)
  return {
    dialect: 'sqlite',
    description: file.isTemporary ? 'SQLite in memory' : `SQLite at ${path}`,
    read: reads.read,
    transaction: (work) => commits.transaction(() => work(opened)),
    verify: async () => {
      const catalog = sqliteCatalog(writer)
      checkTables(model, catalog)
      throwDeclarationErrors(await checkDeclaredSql(target, (statement) => writer.check(statement)))
      return { warnings: sqliteRemarks(model, catalog, writer) }
    },
    catalog: async () => sqliteCatalog(writer),
    migrate: (migrations, mode = 'run') =>
      turns.run(() => patiently(() => migrateSqlite(writer, migrations, mode))),
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
