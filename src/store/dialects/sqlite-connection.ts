import { channel } from 'node:diagnostics_channel'
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { Row } from '../../plan/rows.ts'
import { bound, type RunValues, type Statement } from '../statement.ts'
import { translated } from './sqlite-errors.ts'
import { addFunctions, noticeFleeting } from './sqlite-functions.ts'
import { allOf, asNumber, type Prepared, stepsOf } from './sqlite-rows.ts'

/** Every statement that is run is published here as `{ sql }`; whoever wants to count them subscribes. */
const statements = channel('lapidary:statement')

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

const commit: Statement = { sql: 'commit', placeholders: [] }

/** Changes when another connection, of any process, has committed (sqlite.org/pragma.html#pragma_data_version). */
const dataVersion: Statement = { sql: 'pragma data_version', placeholders: [] }

/** One connection: prepares each statement once and runs it with values. Not for two transactions at once. */
export class SqliteConnection {
  readonly #database: DatabaseSync
  readonly #prepared = new WeakMap<Statement, Prepared>()
  /** Statements whose results are not decided by the tables alone. */
  readonly #fleeting = new WeakSet<Statement>()
  #isFleeting = false
  /** How many transactions that may write were begun here. */
  #begun = 0

  /**
   * @param path - a file, or `:memory:`
   * @param role - a reader refuses to write; a writer refuses to wait, because everybody would wait with it; a visitor
   *   makes no file and changes nothing about one
   * @param pageCache - in KiB
   */
  constructor(
    path: string,
    role: 'reader' | 'writer' | 'visitor',
    pageCache: number = pageCaches.lasting,
  ) {
    const options = { timeout: openingPatience, enableForeignKeyConstraints: true }
    if (role === 'visitor') {
      this.#database = new DatabaseSync(asItStands(path), { ...options, readOnly: true })
      return
    }
    this.#database = translated(() => new DatabaseSync(path, options))
    addFunctions(this.#database)
    noticeFleeting(this.#database, () => {
      this.#isFleeting = true
    })
    if (path !== ':memory:') this.execute('pragma journal_mode = wal')
    this.execute('pragma synchronous = full')
    this.execute(`pragma cache_size = -${pageCache}`)
    this.execute(role === 'reader' ? 'pragma query_only = on' : 'pragma busy_timeout = 0')
  }

  /** Every row. */
  all(statement: Statement, values: RunValues): readonly Row[] {
    const { load } = statement
    const rows = translated(() => allOf(this.#start(statement), bound(statement, values)))
    if (load) for (const row of rows) load(row)
    return rows
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
      return Number(prepared.run(...bound(statement, values)).changes)
    })
  }

  /** Rows in batches, read as they are asked for. */
  *batches(statement: Statement, values: RunValues, size: number): Generator<readonly Row[]> {
    const next = stepsOf(this.#start(statement), bound(statement, values))
    for (;;) {
      const batch: Row[] = []
      while (batch.length < size) {
        const row = next()
        if (row === undefined) break
        statement.load?.(row)
        batch.push(row)
      }
      if (batch.length > 0) yield batch
      if (batch.length < size) return
    }
  }

  /** Runs text that binds nothing. */
  execute(text: string): void {
    translated(() => this.#database.exec(text))
  }

  /** Rows of an expression by the names of their columns. */
  records(statement: Statement): readonly Readonly<Record<string, unknown>>[] {
    if (statements.hasSubscribers) statements.publish({ sql: statement.sql })
    return translated(() => {
      const prepared = this.#database.prepare(statement.sql)
      prepared.setReadBigInts(true)
      return prepared.all(...bound(statement, { slots: [] })).map(withNumbers)
    })
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
    translated(() => this.#prepare(begin[mode]).sync.get())
    if (mode === 'immediate') this.#begun += 1
  }

  /** Makes everything since `begin` durable. */
  commit(): void {
    translated(() => this.#prepare(commit).sync.get())
  }

  /**
   * A number that grows whenever the database may be another than before: with each transaction here that may write, and
   * with what others have committed, as far as a snapshot that is begun shows it.
   */
  version(): number {
    // With `setReturnArrays`, a row is an array; Node's types know only of objects.
    const row = translated(() => this.#prepare(dataVersion).sync.get()) as unknown as unknown[]
    return this.#begun + Number(row[0])
  }

  /** Whether a statement gives the same for as long as the tables are the same. */
  isLasting(statement: Statement): boolean {
    this.check(statement)
    return !this.#fleeting.has(statement)
  }

  /** Undoes everything since `begin`, if there is anything to undo. */
  rollback(): void {
    if (this.#database.isTransaction) this.#database.exec('rollback')
  }

  /** Closes the connection; a second time is harmless. */
  close(): void {
    if (this.#database.isOpen) this.#database.close()
  }

  /** Runs work that may read and not write, as on a reader. */
  async onlyReading<Result>(work: () => Promise<Result>): Promise<Result> {
    this.execute('pragma query_only = on')
    try {
      return await work()
    } finally {
      this.execute('pragma query_only = off')
    }
  }

  /** Refuses a statement that the database cannot take before any is run. */
  check(statement: Statement): void {
    translated(() => this.#prepare(statement))
  }

  #start(statement: Statement): Prepared {
    if (statements.hasSubscribers) statements.publish({ sql: statement.sql })
    return this.#prepare(statement)
  }

  #prepare(statement: Statement): Prepared {
    const known = this.#prepared.get(statement)
    if (known !== undefined) return known
    this.#isFleeting = false
    const prepared = { sync: this.#database.prepare(statement.sql), meetsLarge: false }
    if (this.#isFleeting) this.#fleeting.add(statement)
    prepared.sync.setReturnArrays(true)
    this.#prepared.set(statement, prepared)
    return prepared
  }
}

/** A record whose whole numbers are numbers where one holds them. */
function withNumbers(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, asNumber(value)]))
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
