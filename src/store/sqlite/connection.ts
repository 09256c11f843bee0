import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { BoundValue, ParameterValue } from '../../model/dialect.ts'
import type { Row } from '../../plan/row-layout.ts'
import { bound, type RunValues, type Statement } from '../statement.ts'
import { translate, translated } from './errors.ts'
import { addFunctions, noticeFleeting } from './functions.ts'
import { isLike, isPattern, Patterns } from './patterns.ts'
import { finalize, PreparedCache } from './prepared.ts'
import { allOf, asNumber, type Prepared, stepsOf } from './rows.ts'
import type { PlanLine } from './statement-cost.ts'
import { publish, publishWork } from './statement-events.ts'

/** How long opening waits for another process, in milliseconds. */
const openingPatience = 5000

const begin = {
  deferred: { sql: 'begin deferred', placeholders: [] },
  immediate: { sql: 'begin immediate', placeholders: [] },
} as const satisfies Record<string, Statement>

/**
 * What a connection keeps of a file's pages in memory, in KiB. One that stays meets the same pages again and again, and
 * reading one from the system costs as much as all else that a row takes; one for a single read hardly does.
 */
export const pageCaches = { lasting: 64 * 1024, passing: 2 * 1024 } as const

/** What a connection keeps of compiled statements unless it is told otherwise, in bytes. */
const defaultStatementCache = 32 * 1024 * 1024
/** What is left of the write-ahead log when it has been written back, in bytes. */
const largestLog = 16 * 1024 * 1024
/** A row takes at least so much of a file, in bytes. */
const smallestRow = 10
/** How many characters a batch of rows holds, and at most one row more. */
const largestBatch = 256 * 1024

/** How much a connection may keep in memory. */
export interface ConnectionOptions {
  /** Pages of the file, in KiB. */
  readonly pageCache?: number
  /** Compiled statements, in bytes. */
  readonly statementCache?: number
}

const commit: Statement = { sql: 'commit', placeholders: [] }

/** Changes when another connection, of any process, has committed (sqlite.org/pragma.html#pragma_data_version). */
const dataVersion: Statement = { sql: 'pragma data_version', placeholders: [] }

/** One connection: prepares each statement once and runs it with values. Not for two transactions at once. */
export class SqliteConnection {
  readonly #database: DatabaseSync
  readonly #prepared: PreparedCache
  readonly #always = new Map<Statement, Prepared>()
  readonly #patterns = new Patterns()
  readonly #role: 'reader' | 'writer' | 'visitor'
  /** Statements whose results are not decided by the tables alone. */
  readonly #fleeting = new WeakSet<Statement>()
  #isFleeting = false
  /** How many transactions that may write were begun here. */
  #begun = 0

  /**
   * @param path - a file
   * @param role - a reader refuses to write, and to create a file; a writer refuses to wait, because everybody would wait
   *   with it; a visitor makes no file and changes nothing about one
   */
  constructor(
    path: string,
    role: 'reader' | 'writer' | 'visitor',
    {
      pageCache = pageCaches.lasting,
      statementCache = defaultStatementCache,
    }: ConnectionOptions = {},
  ) {
    this.#role = role
    const options = { timeout: openingPatience, enableForeignKeyConstraints: true }
    this.#prepared = new PreparedCache(statementCache)
    if (role === 'visitor') {
      this.#database = new DatabaseSync(asItStands(path), { ...options, readOnly: true })
      return
    }
    const place = role === 'reader' ? existing(path) : path
    this.#database = translated(() => new DatabaseSync(place, options))
    addFunctions(this.#database, (text, number) => this.#patterns.matches(text, number), isLike)
    noticeFleeting(this.#database, () => {
      this.#isFleeting = true
    })
    this.execute('pragma journal_mode = wal')
    this.execute(`pragma journal_size_limit = ${largestLog}`)
    this.execute('pragma synchronous = full')
    this.execute(`pragma cache_size = -${pageCache}`)
    this.execute(role === 'reader' ? 'pragma query_only = on' : 'pragma busy_timeout = 0')
  }

  /** Every row. */
  all(statement: Statement, values: RunValues): readonly Row[] {
    const { load } = statement
    const rows = this.query(statement, bound(statement, values))
    if (load) for (const row of rows) load(row)
    return rows
  }

  /** Every row as the driver returns it. */
  query(statement: Statement, values: readonly ParameterValue[]): unknown[][] {
    for (const value of values)
      if (isPattern(value))
        return this.#withPatterns(values, (parameters) => this.#run(statement, parameters))
    return this.#run(statement, values as readonly BoundValue[])
  }

  #run(statement: Statement, parameters: readonly BoundValue[]): unknown[][] {
    // Point reads pass here: a closure for `translated` costs them 1 %.
    try {
      const prepared = this.#start(statement)
      const rows = allOf(prepared, parameters)
      publishWork(prepared, statement.sql, rows.length)
      return rows
    } catch (error) {
      throw this.#role === 'visitor' ? error : translate(error)
    }
  }

  /** The first value of the first row, or `undefined` when there is none. */
  value(statement: Statement, values: RunValues): unknown {
    const [row] = this.all(statement, values)
    return row?.[0]
  }

  /** Runs a statement that returns nothing; says how many rows it changed. */
  run(statement: Statement, values: RunValues): number {
    return translated(() => {
      const prepared = this.#start(statement).sync
      // With the number of rows comes the last id, which no number may hold.
      prepared.setReadBigInts(true)
      return this.#withPatterns(bound(statement, values), (parameters) =>
        Number(prepared.run(...parameters).changes),
      )
    })
  }

  /** Rows in batches, read as they are asked for. */
  *batches(statement: Statement, values: RunValues, size: number): Generator<readonly Row[]> {
    for (const batch of this.rawBatches(statement, bound(statement, values), size)) {
      const { load } = statement
      if (load) for (const row of batch) load(row)
      yield batch
    }
  }

  /** The same, with rows as the driver returns them. A batch ends early when it holds much text: linkage may be long. */
  *rawBatches(
    statement: Statement,
    values: readonly ParameterValue[],
    size: number,
  ): Generator<unknown[][]> {
    const { bound: parameters, release } = this.#patterns.register(values)
    publish(statement.sql)
    // The cache may close a statement of its own while this one is read row by row.
    const prepared = translated(() => this.#compile(statement.sql))
    let count = 0
    try {
      const next = stepsOf(prepared, parameters)
      for (;;) {
        const batch: unknown[][] = []
        let characters = 0
        let row: unknown[] | undefined
        while (batch.length < size && characters < largestBatch) {
          row = translated(next)
          if (row === undefined) break
          characters += textIn(row)
          batch.push(row)
        }
        count += batch.length
        if (batch.length > 0) yield batch
        if (row === undefined) return
      }
    } finally {
      release()
      if (this.#database.isOpen) {
        publishWork(prepared, statement.sql, count)
        finalize(prepared)
      }
    }
  }

  /** Runs text that binds nothing. */
  execute(text: string): void {
    translated(() => this.#database.exec(text))
  }

  /** Rows of an expression by the names of their columns. */
  records(
    statement: Statement,
    values: readonly ParameterValue[] = bound(statement, { parameters: [] }),
  ): readonly Readonly<Record<string, unknown>>[] {
    publish(statement.sql)
    return this.#withPatterns(values, (parameters) =>
      translated(() => {
        const prepared = this.#database.prepare(statement.sql)
        prepared.setReadBigInts(true)
        return prepared.all(...parameters).map(withNumbers)
      }, this.#role !== 'writer'),
    )
  }

  /** Runs reads in one snapshot. */
  snapshot<Result>(work: () => Result): Result {
    this.begin('deferred')
    try {
      const result = work()
      this.commit()
      return result
    } catch (error) {
      this.rollback()
      throw error
    }
  }

  /** Begins a transaction; an immediate one may write. */
  begin(mode: keyof typeof begin): void {
    translated(() => this.#lasting(begin[mode]).sync.get())
    if (mode === 'immediate') this.#begun += 1
  }

  /** Makes everything since `begin` durable. */
  commit(): void {
    translated(() => this.#lasting(commit).sync.get())
  }

  /**
   * A number that grows whenever the database may be another than before: with each transaction here that may write, and
   * with what others have committed, as far as a snapshot that is begun shows it.
   */
  version(): number {
    // With `setReturnArrays`, a row is an array; Node's types know only of objects.
    const row = translated(() => this.#lasting(dataVersion).sync.get()) as unknown as unknown[]
    return this.#begun + Number(row[0])
  }

  /** Whether a transaction is open. */
  get isInTransaction(): boolean {
    return this.#database.isTransaction
  }

  /** Whether a statement gives the same for as long as the tables are the same. */
  isLasting(statement: Statement): boolean {
    this.check(statement)
    return !this.#fleeting.has(statement)
  }

  /** What SQLite plans to do for a statement (sqlite.org/eqp.html). */
  plan({ sql }: Statement): PlanLine[] {
    return this.#lookup(`explain query plan ${sql}`).map(
      ([id, parent, , detail]): PlanLine => [Number(id), Number(parent), String(detail)],
    )
  }

  /** The columns of a table that are the first of an index, the primary key's among them, in lower case. */
  leadingColumns(table: string): string[] {
    const columns = this.#lookup(
      `select lower(c.name) from pragma_index_list(?1) as i, pragma_index_info(i.name) as c
        where not i.partial and c.seqno = 0 and c.name is not null
      union all select lower(name) from pragma_table_info(?1) where pk = 1`,
      table,
    )
    return columns.map(([name]) => String(name))
  }

  /** About how many rows a table has, at most: what the file can hold where nothing else is known, of a view too. */
  estimateRows(table: string): number {
    const [[pages, size] = []] = this.#lookup(
      'select page_count, page_size from pragma_page_count, pragma_page_size',
    )
    const most = (Number(pages) * Number(size)) / smallestRow
    const name = `"${table.replaceAll('"', '""')}"`
    try {
      // Each by itself is one lookup.
      const [[rows] = []] = this.#lookup(
        `select cast((select max(rowid) from ${name}) - (select min(rowid) from ${name}) + 1 as real)`,
      )
      return Math.min(Number(rows ?? 0), most)
    } catch {
      // A table whose rows have no numbers, or a view.
      return most
    }
  }

  /** Rows of a question about the database itself, which comes seldom. */
  #lookup(text: string, ...values: string[]): unknown[][] {
    // Node's types know of rows as objects only.
    return translated(() => this.#compile(text).sync.all(...values)) as unknown as unknown[][]
  }

  /** Undoes everything since `begin`, if there is anything to undo. */
  rollback(): void {
    if (this.#database.isTransaction) this.#database.exec('rollback')
  }

  /** Closes the connection; a second time is harmless. */
  close(): void {
    if (this.#database.isOpen) this.#database.close()
  }

  /** Refuses a statement that the database cannot take before any is run. */
  check(statement: Statement): void {
    translated(() => this.#prepare(statement))
  }

  #start(statement: Statement): Prepared {
    publish(statement.sql)
    return this.#prepare(statement)
  }

  #prepare(statement: Statement): Prepared {
    const known = this.#prepared.get(statement)
    if (known !== undefined) return known
    this.#isFleeting = false
    const prepared = this.#compile(statement.sql)
    if (this.#isFleeting) this.#fleeting.add(statement)
    this.#prepared.add(statement, prepared)
    return prepared
  }

  /** A statement that every read needs. */
  #lasting(statement: Statement): Prepared {
    const known = this.#always.get(statement)
    if (known !== undefined) return known
    const prepared = this.#compile(statement.sql)
    this.#always.set(statement, prepared)
    return prepared
  }

  #compile(text: string): Prepared {
    const sync = this.#database.prepare(text)
    sync.setReturnArrays(true)
    return { sync, meetsLarge: false }
  }

  #withPatterns<Result>(
    values: readonly ParameterValue[],
    run: (parameters: readonly BoundValue[]) => Result,
  ): Result {
    if (!values.some(isPattern)) return run(values as readonly BoundValue[])
    const { bound: parameters, release } = this.#patterns.register(values)
    try {
      return run(parameters)
    } finally {
      release()
    }
  }
}

/** How many characters a row holds, as far as texts are concerned. */
function textIn(row: readonly unknown[]): number {
  let characters = 0
  for (const value of row) if (typeof value === 'string') characters += value.length
  return characters
}

/** A record whose whole numbers are numbers where one holds them. */
function withNumbers(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, asNumber(value)]))
}

/** A file that is not created where it is missing: who reads would serve an empty database. */
function existing(path: string): URL {
  const address = pathToFileURL(path)
  address.searchParams.set('mode', 'rw')
  return address
}

/**
 * Even a reader makes files beside a database that was left in WAL mode. Where there are none nobody else is at work, and
 * SQLite may be told that nothing will change.
 */
function asItStands(path: string): string | URL {
  if (existsSync(`${path}-wal`)) return path
  const address = pathToFileURL(path)
  address.searchParams.set('immutable', '1')
  return address
}
