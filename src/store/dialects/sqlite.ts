import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Catalog } from '../../model/catalog.ts'
import { refuseMistakes } from '../../model/check.ts'
import { checkTables } from '../../model/check-tables.ts'
import type { Model } from '../../model/model.ts'
import type { Rows } from '../../plan/result.ts'
import { sqlMistakes } from '../declared-sql.ts'
import type { Store } from '../store.ts'
import type { Target } from '../tables.ts'
import { transactionOn } from '../transaction.ts'
import { Turns } from '../turns.ts'
import { SharedCommits } from './sqlite-commits.ts'
import { pageCaches, SqliteConnection } from './sqlite-connection.ts'
import { counted, remembered } from './sqlite-counts.ts'
import { patiently } from './sqlite-errors.ts'
import {
  type Reader,
  readDuring,
  readOn,
  readShortOn,
  readWholeDuring,
  streamOn,
} from './sqlite-read.ts'
import { sqliteRemarks } from './sqlite-remarks.ts'
import { migrateSqlite, sqliteCatalog } from './sqlite-schema.ts'
import { sqliteDialect as dialect } from './sqlite-sql.ts'
import { type SqliteStatements, sqliteStatements } from './sqlite-whole.ts'
import { inTransaction, writingOn } from './sqlite-write.ts'

/**
 * Opens a SQLite database as a store. One connection writes, a transaction at a time; those that wait share a commit.
 *
 * @param path - a file, made with its folder when it is not there, or `:memory:`
 * @throws Error when the file cannot be opened
 */
export function openSqlite(model: Model, path: string): Store {
  const isMemory = path === ':memory:'
  if (!isMemory) mkdirSync(dirname(path), { recursive: true })
  const target: Target = { model, dialect }
  const statements = sqliteStatements(target)
  const writer = new SqliteConnection(path, 'writer')
  const turns = new Turns()
  const commits = new SharedCommits(writer, turns)
  const opened = transactionOn(writingOn(writer, statements), statements)
  const reads = isMemory ? readsInMemory(writer, turns, statements) : readsOfFile(path, statements)
  return {
    dialect: 'sqlite',
    description: isMemory ? 'SQLite in memory' : `SQLite at ${path}`,
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

/** How a store reads. */
interface Reads {
  readonly read: Store['read']
  readonly close: () => void
}

/** One connection reads the last committed state (WAL); a long read, or one that awaits, has one of its own. */
function readsOfFile(path: string, statements: SqliteStatements): Reads {
  const common = new SqliteConnection(path, 'reader')
  const reader = { connection: common, statements, count: remembered(common) }
  const others = new Set<SqliteConnection>()
  /** Runs a read on a fresh connection, which is closed when the read fails or `end` is called. */
  const apart = async (
    work: (reader: Reader, end: () => void) => Rows | Promise<Rows>,
  ): Promise<Rows> => {
    const connection = new SqliteConnection(path, 'reader', pageCaches.passing)
    others.add(connection)
    const end = () => {
      others.delete(connection)
      connection.close()
    }
    try {
      connection.begin('deferred')
      return await work({ connection, statements, count: counted(connection) }, end)
    } catch (error) {
      end()
      throw error
    }
  }
  return {
    read: async (plan, id, { during } = {}) => {
      if (during) return apart((other, end) => readDuring(other, plan, id, { during, end }))
      return (
        readShortOn(reader, plan, id) ??
        apart((other, end) => streamOn(other, plan, id, { end, after: undefined }))
      )
    },
    close: () => {
      for (const connection of [...others, common]) connection.close()
    },
  }
}

/** A database in memory has a single connection: a read waits for its turn, and nothing is streamed while others write. */
function readsInMemory(
  writer: SqliteConnection,
  turns: Turns,
  statements: SqliteStatements,
): Reads {
  const reader = { connection: writer, statements, count: remembered(writer) }
  return {
    read: (plan, id, { during } = {}) =>
      turns.take(() =>
        during
          ? inTransaction(writer, () =>
              writer.onlyReading(() => readWholeDuring(reader, plan, id, during)),
            )
          : readOn(reader, plan, id),
      ),
    close: () => {},
  }
}
