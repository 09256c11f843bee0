import { existsSync } from 'node:fs'
import type { Catalog } from '../model/catalog.ts'
import type { Awaitable } from '../model/declare/hooks.ts'
import type { Model } from '../model/model.ts'
import { compileAllowed, findAllowed } from '../sql/access/find-allowed.ts'
import { mayHideRows } from '../sql/filter/may-hide-rows.ts'
import { checkMigrations, type Migration } from '../sql/migrations.ts'
import { listReadWarnings } from '../sql/read/explain.ts'
import { createInvalidValueReport } from '../sql/read/invalid-value-report.ts'
import { checkIds } from '../sql/read/repeated-ids.ts'
import { Mutex } from '../sql/semaphore.ts'
import type { RunStatement } from '../sql/statement.ts'
import { defaultCacheSize } from '../sql/statement-cache.ts'
import type { Store } from '../sql/store.ts'
import { thenMaybe } from '../sql/then-maybe.ts'
import { describeIndexes } from '../sql/verify/index-effects.ts'
import { findReferencing } from '../sql/write/referencing.ts'
import { querySqliteCatalog } from './catalog/catalog.ts'
import { OpenSqliteTables } from './catalog/open-tables.ts'
import { queryOncePerSchema } from './catalog/schema-facts.ts'
import { addViewSources } from './catalog/view-sources.ts'
import { type ConnectionOptions, SqliteConnection } from './connection/connection.ts'
import { DatabaseFile, describeLog, emptyLog } from './connection/database-file.ts'
import { GroupCommit } from './connection/group-commit.ts'
import { pageCacheSizes } from './connection/open-database.ts'
import { lockTimeout, retryWhileLocked } from './connection/retry-while-locked.ts'
import { sqliteDialect } from './dialect.ts'
import { migrateSqlite } from './migrations.ts'
import { checkSqliteArguments, type SqliteOptions } from './options.ts'
import { SqliteReads } from './read/read.ts'
import type { SqliteStatementsOf } from './statements.ts'
import { findCursorIndexes } from './verify/explain.ts'
import { addIndexedPlans } from './verify/indexed-plans.ts'
import { addRejectedChanges } from './verify/rejected-changes.ts'
import { verifySqlite } from './verify/verify.ts'

/** Reads the first rows of tables. */
export { sampleSqlite } from './catalog/sample.ts'
/** The options of a SQLite database. */
export type { SqliteOptions } from './options.ts'

/**
 * Opens a SQLite database as a store. One connection writes; it commits waiting transactions in groups.
 *
 * @param path - a file, or `:memory:` for a temporary one
 * @throws Error when the file cannot be opened, or does not exist and `create` is not true; DeclarationError for unknown or wrong
 *   options, and for the option `session` of the model
 */
export function openSqlite(model: Model, path: string, options: SqliteOptions = {}): Store {
  checkSqliteArguments(model, path, options)
  const file = new DatabaseFile(path, options)
  // Half of the memory is for compiled statements, a quarter for the prepared ones of each of the two long-lived connections.
  const { statementCache: cacheSize = defaultCacheSize } = options
  const statementCache = cacheSize / 4
  const writer = openWriter(file, options, { statementCache })
  const schema = openReader(file)
  const readCatalog = queryOncePerSchema(schema, querySqliteCatalog)
  const declared = { model, dialect: sqliteDialect, reportInvalidValue: createInvalidValueReport() }
  const compiled = { declared, cacheSize: cacheSize / 2 }
  const tables = new OpenSqliteTables({ ...compiled, writer, schema, readCatalog })
  const statementsOf: SqliteStatementsOf = (identity) => tables.current.statementsOf(identity)
  const mutex = new Mutex()
  const groupCommit = new GroupCommit(writer, {
    ...{ mutex, file, queueSize: options.queueSize },
    getTransaction: () => tables.current.transaction,
  })
  const reads = new SqliteReads(file, { statementsOf, statementCache }, options)
  return {
    model,
    dialect: 'sqlite',
    description: file.isTemporary ? 'SQLite in memory' : `SQLite at ${path}`,
    ...createReadOperations({ reads, schema, readCatalog, tables }),
    transaction: groupCommit.transaction.bind(groupCommit),
    ...createSchemaOperations({ file, writer, schema, mutex, tables }),
    close: createClose({ file, reads, schema, writer, mutex }, options),
  }
}

/** What the end of a store closes. */
interface OpenParts {
  readonly file: DatabaseFile
  readonly reads: SqliteReads
  readonly schema: SqliteConnection
  readonly writer: SqliteConnection
  readonly mutex: Mutex
}

/** Creates the operation of a store that closes it. The log of a file that was replaced is emptied at once, and again at the end. */
function createClose(
  { file, reads, schema, writer, mutex }: OpenParts,
  { readOnly = false }: SqliteOptions,
): Store['close'] {
  file.onLost(() => {
    if (!readOnly) void mutex.run(() => emptyLog(writer, false))
  })
  return async () => {
    const isLost = file.isLost()
    for (const each of [file, reads, schema]) each.close()
    const isLeft = isLost && !readOnly && !emptyLog(writer, true)
    writer.close()
    file.remove()
    if (isLeft) throw new Error(describeLog(file.path))
  }
}

/** Opens the connection that writes; that of a read-only store rejects it. */
function openWriter(
  file: DatabaseFile,
  { readOnly = false }: SqliteOptions,
  connectionOptions: ConnectionOptions,
): SqliteConnection {
  const role = readOnly ? 'reader' : 'writer'
  const connect = () => new SqliteConnection(file.path, role, connectionOptions)
  const writer = file.open(() => file.connect(connect))
  // A temporary file need not survive a power failure.
  if (file.isTemporary) writer.execute('pragma synchronous = off')
  return writer
}

/** Opens the connection that reads the schema: the one that writes belongs to the transactions, and sees what they have not committed. */
function openReader(file: DatabaseFile): SqliteConnection {
  const options = { pageCache: pageCacheSizes.shortLived }
  return file.connect(() => new SqliteConnection(file.path, 'reader', options))
}

/** What the operations that read need. */
interface ReadContext {
  readonly reads: SqliteReads
  readonly schema: SqliteConnection
  readonly readCatalog: () => Catalog
  readonly tables: OpenSqliteTables
}

/** Creates the operations of a store that read, or explain a read. */
function createReadOperations({
  reads,
  schema,
  readCatalog,
  tables,
}: ReadContext): Pick<
  Store,
  'read' | 'readState' | 'explain' | 'inspect' | 'findAllowed' | 'findReferencing' | 'snapshot'
> {
  const explain: Store['explain'] = async (plan, id, options = {}) => {
    const { hooks } = options
    const { target, statementsOf } = tables.current
    const explained = await reads.explain(plan, id, options)
    const cursors = plan.shape.cursors && findCursorIndexes(plan.shape, target, schema)
    const uncounted = listReadWarnings(plan, { explained, cursors }, target, readCatalog())
    const hidesRows = mayHideRows(statementsOf(plan.identity).target, hooks)
    const context = { plan, id, hidesRows, dialect: target.dialect }
    const warnings = await describeIndexes(uncounted, context, (describe) =>
      reads.run(describe, { isHere: true }),
    )
    const indexes = warnings.flatMap(({ fix }) => fix ?? [])
    const statements = addIndexedPlans(explained, indexes, schema)
    return { dialect: 'sqlite', statements, warnings, ...(cursors && { cursors }) }
  }
  const retry = <Result>(work: () => Promise<Result>) => retryWhileLocked(performance.now(), work)
  return {
    read: (plan, id, readOptions) =>
      thenMaybe(reads.read(plan, id, readOptions), (rows) => {
        const { target, mayRepeatIds } = tables.current
        return mayRepeatIds(plan.shape) ? checkIds(rows, plan.shape, target) : rows
      }),
    readState: (plan) => reads.readState(plan),
    explain: (plan, id, options) => retry(() => explain(plan, id, options)),
    // SQL of rules is SQL of the application: it runs in a reader process.
    inspect: (identity, work, options) =>
      retry(async () => {
        const statements = tables.current.statementsOf(identity)
        return reads.run((run) => work(statements, run), undefined, options)
      }),
    findAllowed: (question, options) =>
      retry(async () => {
        const statement = compileAllowed(question, tables.current.statementsOf(question.identity))
        const find = (run: RunStatement) => findAllowed(question, statement, run)
        return reads.evaluate(statement, find, options)
      }),
    findReferencing: (question, options) =>
      retry(async () => {
        const statement = tables.current.statementsOf(question.identity).referencing(question.shape)
        const find = (run: RunStatement) => findReferencing(question, statement, run)
        return reads.evaluate(statement, find, options)
      }),
    snapshot: (work, { signal } = {}) => reads.snapshot(work, signal),
  }
}

/** What the operations on the schema of a database need. */
interface SchemaContext {
  readonly file: DatabaseFile
  readonly writer: SqliteConnection
  readonly schema: SqliteConnection
  readonly mutex: Mutex
  readonly tables: OpenSqliteTables
}

/** Creates the operations of a store that read or change the schema. */
function createSchemaOperations(
  context: SchemaContext,
): Pick<Store, 'prepare' | 'verify' | 'catalog' | 'migrate' | 'checkReady'> {
  const { tables, file } = context
  const read = createSchemaRead(context)
  return {
    prepare: () =>
      read(() => {
        tables.current
      }),
    verify: () => read((schema) => verifySqlite(tables.load(), file.path, schema)),
    catalog: () => read(querySqliteCatalog),
    ...createMigrations(context),
  }
}

/** Creates the operations of a store that migrate the schema, and that compare its version. */
function createMigrations({
  file,
  writer,
  mutex,
  tables,
}: SchemaContext): Pick<Store, 'migrate' | 'checkReady'> {
  let expected: readonly Migration[] | undefined
  return {
    migrate: async (migrations, mode = 'run') => {
      checkMigrations(migrations, mode)
      const migrate = () => {
        file.verify()
        migrateSqlite(writer, migrations, mode)
      }
      await mutex.run(() => retryWhileLocked(performance.now(), migrate))
      tables.forget()
      expected = migrations
    },
    checkReady: () =>
      retryWhileLocked(performance.now(), () => {
        file.verify()
        checkVersion(file.path, expected)
      }),
  }
}

/** Creates the function that reads the schema, in one snapshot: a lock of another process would look like an error of a declaration. */
function createSchemaRead({ file, schema }: SchemaContext) {
  const mutex = new Mutex()
  return <Result>(work: (schema: SqliteConnection) => Awaitable<Result>): Promise<Result> => {
    const readOnce = async () => {
      file.checkOpen()
      schema.beginRead()
      try {
        return await work(schema)
      } finally {
        schema.rollback()
      }
    }
    return mutex.run(() => retryWhileLocked(performance.now(), readOnce))
  }
}

/** Opens the file, and compares the version of its schema with the migrations; `undefined` when the program has none. */
function checkVersion(path: string, migrations: readonly Migration[] | undefined): void {
  const connection = new SqliteConnection(path, 'introspector')
  try {
    if (migrations) migrateSqlite(connection, migrations, 'compare')
    else querySqliteCatalog(connection)
  } finally {
    connection.close()
  }
}

/**
 * Reads the catalog of a SQLite database without creating or changing a file.
 * @throws Error when the file does not exist or is not a database
 */
export function readSqliteCatalog(path: string): Catalog {
  if (!existsSync(path)) throw new Error(`there is no file ${path}`)
  const connection = new SqliteConnection(path, 'introspector', { lockTimeout })
  try {
    return addViewSources(
      addRejectedChanges(querySqliteCatalog(connection), connection),
      connection,
    )
  } finally {
    connection.close()
  }
}
