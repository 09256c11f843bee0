import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { BoundValue, ParameterValue } from '../../model/dialect.ts'
import { type DatabaseSource, RunningStatement, statementEnded } from '../../observe/events.ts'
import type { Row } from '../../plan/row-layout.ts'
import { countCharacters, readBudget } from '../../sql/read/document-budget.ts'
import type { RunValues, Statement } from '../../sql/statement.ts'
import { bound, loadRows, publishStatement } from '../../sql/statement-values.ts'
import { closeWatched, type StatementFacts, StatementWatch } from '../catalog/statement-facts.ts'
import { LargeResultError, translateError, translateErrors } from '../errors.ts'
import {
  convertRecord,
  createRowReader,
  readRows,
  switchToBigInts,
} from '../read/optimistic-integers.ts'
import { listReadColumns, listResultColumns } from '../read/result-columns.ts'
import { ValueLimit } from '../read/value-limit.ts'
import { publishWork } from '../readers/statement-work.ts'
import { addFunctions } from './functions.ts'
import { type ConnectionRole, openDatabase, pageCacheSizes } from './open-database.ts'
import { hasTextPattern, matchesLike, PatternRegistry } from './patterns.ts'
import {
  createPreparedQueries,
  createPreparedStatements,
  finalize,
  type PreparedStatement,
  type PreparedStatements,
} from './prepared.ts'

/** The memory of a connection's prepared statements in bytes, by default. */
const defaultStatementCache = 32 * 1024 * 1024

/** What events say of the database. */
export const sqliteSource: DatabaseSource = { system: 'sqlite' }

/** The memory that a connection may use, and how long it waits. */
export interface ConnectionOptions {
  /** The page cache, in KiB. */
  readonly pageCache?: number
  /** Prepared statements, in bytes. */
  readonly statementCache?: number
  /** Whether a value that is too large for the server's process is an error. Default false. */
  readonly limitsValues?: boolean
  /**
   * How long a statement waits for the locks of other processes, in milliseconds. Default 0: in the server's process nothing else runs
   * meanwhile, so requests wait by `retryWhileLocked`.
   */
  readonly lockTimeout?: number
}

/** A connection to a database. It prepares each statement once, and runs one transaction at a time. */
export class SqliteConnection {
  readonly #database: DatabaseSync
  readonly #role: ConnectionRole
  readonly #control: ControlStatements
  readonly #prepared: PreparedStatements
  /** Prepared queries about the file, by their text. */
  readonly #introspections = createPreparedQueries()
  readonly #patterns = new PatternRegistry()
  readonly #valueLimit: ValueLimit | undefined
  readonly #watch = new StatementWatch()
  /** The number of write transactions that were begun on this connection. */
  #writeTransactions = 0
  /** In `snapshot`: the version, which stays the same; 0 until it is read. */
  #snapshotVersion: number | undefined

  constructor(
    path: string,
    role: ConnectionRole,
    {
      pageCache = pageCacheSizes.longLived,
      statementCache = defaultStatementCache,
      limitsValues = false,
      lockTimeout = 0,
    }: ConnectionOptions = {},
  ) {
    this.#role = role
    this.#prepared = createPreparedStatements(statementCache)
    this.#database = openDatabase(path, role, { pageCache, lockTimeout })
    this.#control = prepareControlStatements(this.#database)
    this.#valueLimit = limitsValues ? new ValueLimit(this.#database) : undefined
    addFunctions(this.#database, {
      matchesPattern: (text, patternNumber) => this.#patterns.matches(text, patternNumber),
      matchesLike,
      countSearch: (text) => this.#valueLimit?.countSearch(text),
    })
    if (role !== 'introspector') this.#watch.start(this.#database)
  }

  /** Returns every row of a statement, with the values of the attribute kinds (`Statement.load`). */
  all(statement: Statement, values: RunValues): readonly Row[] {
    const parameters = bound(statement, values)
    // Only a statement with `hasPattern` has patterns among its values.
    const rows = statement.hasPattern
      ? this.rawRows(statement, parameters)
      : this.#run(statement, parameters as readonly BoundValue[])
    return loadRows(rows, statement.load)
  }

  /** Returns every row as the driver reads it. @param values - in the order of the placeholders */
  rawRows(statement: Statement, values: readonly ParameterValue[]): unknown[][] {
    return this.#withPatterns(values, (boundValues) => this.#run(statement, boundValues))
  }

  #run(statement: Statement, boundValues: readonly BoundValue[]): unknown[][] {
    const running = publishStatement(statement, sqliteSource)
    try {
      const prepared = this.#prepare(statement)
      const rows = this.#valueLimit
        ? this.#valueLimit.run(prepared.facts, () => readRows(prepared, boundValues))
        : readRows(prepared, boundValues)
      publishWork(prepared, statement.sql, rows.length)
      running?.end(rows.length)
      return rows
    } catch (error) {
      running?.fail(error)
      throw this.#role === 'introspector' ? error : translateError(error, statement.sql)
    }
  }

  /**
   * Returns the rows of a statement as the driver reads them.
   * @param maxLength - of their texts together, in characters. Default: that of a document in memory
   * @throws LargeResultError when their texts are longer
   */
  boundedRows(
    statement: Statement,
    values: readonly ParameterValue[],
    maxLength = readBudget.text,
  ): unknown[][] {
    const running = statementEnded.hasSubscribers
      ? new RunningStatement(statement, sqliteSource)
      : undefined
    return this.#withPatterns(values, (boundValues) =>
      translateErrors(() => {
        const prepared = this.#prepare(statement)
        const readNext = createRowReader(prepared, boundValues)
        const { rows, isLast } = readBatch(readNext, Number.POSITIVE_INFINITY, maxLength)
        publishWork(prepared, statement.sql, rows.length)
        running?.end(rows.length)
        if (isLast) return rows
        // It would keep its place in the snapshot.
        this.#prepared.delete(statement)
        throw new LargeResultError()
      }),
    )
  }

  /** Whether a value that is too large for the server's process is an error. */
  get limitsValues(): boolean {
    return this.#valueLimit?.isSupported ?? false
  }

  /** Returns what SQLite finds in a statement when it prepares it. An introspector finds nothing. */
  factsOf(statement: Statement): StatementFacts {
    return translateErrors(() => this.#prepare(statement)).facts
  }

  /** Runs work that reads few rows, whose values may have any size. */
  withLargeValues<Result>(work: () => Result): Result {
    return this.#valueLimit ? this.#valueLimit.suspend(work) : work()
  }

  /** Returns the first value of the first row; `undefined` without a row. */
  value(statement: Statement, values: RunValues): unknown {
    const [row] = this.all(statement, values)
    return row?.[0]
  }

  /** Runs a statement that returns no rows. @returns the number of changed rows */
  run(statement: Statement, values: RunValues): number {
    const parameters = bound(statement, values)
    return statement.hasPattern
      ? this.#withPatterns(parameters, (boundValues) => this.#change(statement, boundValues))
      : this.#change(statement, parameters as readonly BoundValue[])
  }

  #change(statement: Statement, boundValues: readonly BoundValue[]): number {
    const running = publishStatement(statement, sqliteSource)
    try {
      const prepared = this.#prepare(statement)
      // The result contains the last row id too, which may be beyond 2^53 - 1.
      if (!prepared.readsBigInts) switchToBigInts(prepared)
      const changes = Number(prepared.handle.run(...boundValues).changes)
      running?.end(changes)
      return changes
    } catch (error) {
      running?.fail(error)
      throw translateError(error, statement.sql)
    }
  }

  /** Yields rows in batches; each batch is read when it is requested. */
  *batches(statement: Statement, values: RunValues, size: number): Generator<readonly Row[]> {
    for (const batch of this.rawBatches(statement, bound(statement, values), size))
      yield loadRows(batch, statement.load)
  }

  /** Yields rows in batches, as the driver reads them. A batch with much text ends early, because linkage may be long. */
  *rawBatches(
    statement: Statement,
    values: readonly ParameterValue[],
    size: number,
  ): Generator<unknown[][]> {
    const running = publishStatement(statement, sqliteSource)
    // Not from the cache, which could free the statement between two batches.
    const prepared = translateErrors(() => this.#compile(statement.sql))
    const { boundValues, release } = this.#patterns.register(values)
    let rowCount = 0
    try {
      const readNext = createRowReader(prepared, boundValues)
      for (;;) {
        const { rows, isLast } = this.#readBatch(readNext, size, running)
        rowCount += rows.length
        if (rows.length > 0) yield rows
        if (isLast) return
      }
    } finally {
      release()
      running?.endBatches()
      if (this.#database.isOpen) {
        publishWork(prepared, statement.sql, rowCount)
        finalize(prepared)
      }
    }
  }

  #readBatch(
    readNext: ReturnType<typeof createRowReader>,
    size: number,
    running: RunningStatement | undefined,
  ): ReturnType<typeof readBatch> {
    const startedAt = running && performance.now()
    const batch = translateErrors(() => this.withLargeValues(() => readBatch(readNext, size)))
    if (startedAt !== undefined) running?.addBatch(batch.rows.length, performance.now() - startedAt)
    return batch
  }

  /** Runs SQL without parameters; several statements are allowed. */
  execute(text: string): void {
    translateErrors(() => this.#database.exec(text))
  }

  /** Returns rows as objects, by the names of their columns. */
  records(
    statement: Statement,
    values: readonly ParameterValue[] = bound(statement, { planValues: [] }),
  ): readonly Readonly<Record<string, unknown>>[] {
    const running = publishStatement(statement, sqliteSource)
    const mayWrite = this.#role === 'writer'
    return this.#withPatterns(values, (boundValues) =>
      translateErrors(() => {
        const prepared = this.#database.prepare(statement.sql)
        prepared.setReadBigInts(true)
        const records = this.withLargeValues(() => prepared.all(...boundValues).map(convertRecord))
        running?.end(records.length)
        return records
      }, mayWrite),
    )
  }

  /** Returns the rows of a query about the schema, the file or a plan; the statement is not cached. */
  introspect(text: string, ...values: string[]): unknown[][] {
    return translateErrors(() => readRows(this.#compile(text), values))
  }

  /** The same for a query without parameters that is repeated: it is prepared once. */
  introspectCached(text: string): unknown[][] {
    const prepared = this.#introspections.get(text) ?? translateErrors(() => this.#compile(text))
    this.#introspections.set(text, prepared)
    return translateErrors(() => readRows(prepared, []))
  }

  /** Runs reads in one transaction, so that they see one snapshot. */
  snapshot<Result>(work: () => Result): Result {
    this.begin('deferred')
    this.#snapshotVersion = 0
    try {
      const result = work()
      this.commit()
      return result
    } catch (error) {
      this.rollback()
      throw error
    } finally {
      this.#snapshotVersion = undefined
    }
  }

  /** Begins a transaction. Only an immediate one may write. */
  begin(mode: 'deferred' | 'immediate'): void {
    this.#runControl(mode)
    if (mode === 'immediate') this.#writeTransactions += 1
  }

  /**
   * Begins a transaction that reads, with its snapshot: from here on its statements meet no lock of another process.
   * @throws BusyError when another process holds a lock
   */
  beginRead(): void {
    this.begin('deferred')
    try {
      this.#runControl('dataVersion')
    } catch (error) {
      this.rollback()
      throw error
    }
  }

  /** Commits the transaction. */
  commit(): void {
    this.#runControl('commit')
  }

  /** Sets a savepoint, which must be released before the next one is set. */
  setSavepoint(): void {
    this.#runControl('savepoint')
  }

  /** Releases the savepoint: what was written since stays in the transaction. */
  releaseSavepoint(): void {
    this.#runControl('release')
  }

  /** Undoes what was written since the savepoint, and releases it. */
  rollbackToSavepoint(): void {
    this.execute('rollback to lapidary; release lapidary')
  }

  #runControl(name: keyof ControlStatements): unknown {
    try {
      return this.#control[name].get()
    } catch (error) {
      throw translateError(error)
    }
  }

  /** Whether a transaction is open. SQLite rolls one back by itself after some errors, such as a full disk. */
  get isInTransaction(): boolean {
    return this.#database.isTransaction
  }

  /** Checks that a transaction is open: outside of one, each statement would be committed at once. */
  checkTransaction(): void {
    if (!this.#database.isTransaction)
      throw new Error('SQLite has rolled the transaction back after an earlier error.')
  }

  /** Rolls the transaction back, if one is open. */
  rollback(): void {
    if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('rollback')
  }

  /**
   * Returns the version of the database in the current snapshot. It grows with the commits of other connections, and with
   * every write transaction of this one.
   */
  version(): number {
    if (this.#snapshotVersion) return this.#snapshotVersion
    // The types of Node.js describe rows as objects only.
    const row = this.#runControl('dataVersion') as unknown[]
    const version = this.#writeTransactions + Number(row[0])
    if (this.#snapshotVersion !== undefined) this.#snapshotVersion = version
    return version
  }

  /** The size of the database, in pages. */
  countPages(): number {
    const row = this.#runControl('pageCount') as unknown[]
    return Number(row[0])
  }

  /** Prepares a statement, which verifies it. */
  prepare(statement: Statement): void {
    translateErrors(() => this.#prepare(statement))
  }

  /** Returns the columns of a statement without running it. */
  columns(statement: Statement): ReturnType<typeof listResultColumns> {
    return listResultColumns(translateErrors(() => this.#prepare(statement)).handle)
  }

  /** Lists the columns that a statement reads. Only for an introspector: other connections watch their statements. */
  listReads(statement: Statement): ReturnType<typeof listReadColumns> {
    return listReadColumns(this.#database, statement.sql)
  }

  /** Closes the connection, if it is open. */
  close(): void {
    closeWatched(this.#database)
  }

  #prepare(statement: Statement): PreparedStatement {
    const cached = this.#prepared.get(statement)
    if (cached !== undefined) return cached
    const prepared = this.#compile(statement.sql)
    if (statement.isWrite) switchToBigInts(prepared)
    this.#prepared.set(statement, prepared)
    return prepared
  }

  #compile(text: string): PreparedStatement {
    const { handle, facts } = this.#watch.prepare(() => this.#database.prepare(text))
    handle.setReturnArrays(true)
    return { handle, readsBigInts: false, facts }
  }

  /** Replaces patterns by their numbers while a statement runs. */
  #withPatterns<Result>(
    values: readonly ParameterValue[],
    run: (boundValues: readonly BoundValue[]) => Result,
  ): Result {
    if (!hasTextPattern(values)) return run(values as readonly BoundValue[])
    const { boundValues, release } = this.#patterns.register(values)
    try {
      return run(boundValues)
    } finally {
      release()
    }
  }
}

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
type ControlStatements = Readonly<Record<keyof typeof controls, StatementSync>>

/** Prepares the statements that control the transactions of a connection. */
function prepareControlStatements(database: DatabaseSync): ControlStatements {
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

/** A batch of rows ends with the row that exceeds this number of characters. */
const maxBatchLength = 256 * 1024

/** Reads rows up to a number of rows and a number of characters. */
function readBatch(
  readNext: () => unknown[] | undefined,
  size: number,
  maxLength = maxBatchLength,
): Readonly<{ rows: unknown[][]; isLast: boolean }> {
  const rows: unknown[][] = []
  let length = 0
  while (rows.length < size && length < maxLength) {
    const row = readNext()
    if (row === undefined) return { rows, isLast: true }
    length += countCharacters(row)
    rows.push(row)
  }
  return { rows, isLast: false }
}
