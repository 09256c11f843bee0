import { performance } from 'node:perf_hooks'
import { type ExpectedQuery, ReadDurations } from '../../sql/read/read-durations.ts'
import type { Statement } from '../../sql/statement.ts'
import { isSmall } from '../catalog/table-size.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { Stopwatch } from '../connection/cpu-time.ts'

/** The longest expected duration of a read in the server's process, where all requests wait for it; in milliseconds. */
const maxInProcessDuration = 10
/** A statement that took longer is suspect for a while, wherever it ran; in milliseconds. */
const slowDuration = 50
/** How long a statement is suspect, in milliseconds. */
const suspectPeriod = 60_000
/** Reads that are expected to take longer leave a reader process to the others; in milliseconds. */
const longDuration = 1000
/** What is known of durations is forgotten when the database has grown by an eighth and some pages. */
const [growthFactor, smallGrowth] = [1.125, 16]

/** Records how long a query ran, in milliseconds. */
export type RecordDuration = (query: ExpectedQuery, duration: number) => void

/** Records the durations of the batches of a statement: only those longer than all before, because the first one may sort all rows. */
export function recordLongest(record: RecordDuration): RecordDuration {
  let longest = 0
  return (query, duration) => {
    if (duration <= longest) return
    longest = duration
    record(query, duration)
  }
}

/** Runs a query, and records how long it took. */
export type Measure = <Result>(query: ExpectedQuery, run: () => Result) => Result

/** A read in a transaction, whose statements are measured. */
interface MeasuredRead {
  readonly record: RecordDuration
  /** Records the duration of the read. */
  end(): void
}

/** A read as the history knows it. */
export interface KnownRead {
  /** The query for the primary rows, which stands for all statements of the read but the count. */
  readonly rows: ExpectedQuery
  /** The count of a list, which has durations of its own because it is often cached; absent: the read has none. */
  readonly count?: ExpectedQuery | undefined
  /** Lists the other statements that it may run; absent: there are none. */
  others?(): readonly Statement[]
}

/**
 * Decides which reads run in the server's process, by how long they took before: `node:sqlite` blocks the event loop and cannot be
 * interrupted (docs/decisions/0041). A read that has not run yet runs in a reader process; so does one that is expected to take
 * more than 10 ms, and for a minute each one that took 50 ms. Of the values of a request nothing is known: a run with other values
 * counts as quick as those before, until it was measured.
 */
export class ReadHistory {
  readonly #connection: SqliteConnection
  readonly #limitsValues: boolean
  readonly #stopwatch = new Stopwatch()
  #durations = new ReadDurations()
  /** Until when statements are suspect, on the clock of `performance.now`. */
  readonly #suspects = new WeakMap<Statement, number>()
  /** The size of the database from which on nothing is known, in pages. */
  #maxPages = 0
  /** The version of the database at which its size was last compared. */
  #verifiedVersion: number | undefined

  /** @param connection - runs reads in the server's process */
  constructor(connection: SqliteConnection) {
    this.#connection = connection
    this.#limitsValues = connection.limitsValues
  }

  /** Whether a read is known to be quick. In a snapshot it is known for sure, because nothing is added to the database meanwhile. */
  isQuick(read: KnownRead): boolean {
    this.#forgetIfGrown()
    const { rows, count } = read
    // A count that has not run yet was not needed by other values.
    const counting = count ? this.#expect(count, () => 0) : 0
    const expected = this.#expect(rows, () => this.#suppose(read)) + counting
    if (expected <= maxInProcessDuration) return true
    // The first run in a process also compiles JavaScript.
    return Number.isFinite(expected) && isSmall(this.#connection)
  }

  /**
   * Runs a read in the server's process, and records how long it took.
   * @param work - is given what runs the count
   */
  run<Result>({ rows }: KnownRead, work: (measureCount: Measure) => Result): Result {
    const start = this.#stopwatch.start()
    let counting = 0
    const measureCount: Measure = (query, runCount) => {
      const countStart = this.#stopwatch.start()
      const result = runCount()
      const duration = this.#stopwatch.measure(countStart)
      counting += duration
      this.record(query, duration)
      return result
    }
    const result = work(measureCount)
    this.record(rows, this.#stopwatch.measure(start) - counting)
    return result
  }

  /** Adds up the durations of the statements of a read in a transaction. */
  measureRead({ rows, count }: KnownRead): MeasuredRead {
    let sum: number | undefined
    return {
      record: (query, duration) => {
        if (query.statement === count?.statement) this.record(query, duration)
        else sum = (sum ?? 0) + duration
      },
      end: () => {
        if (sum !== undefined) this.record(rows, sum)
      },
    }
  }

  /**
   * Whether queries that are read in batches, one after the other, are known to be quick together. The batches of a search are not: they
   * show nothing of the values that it meets later.
   */
  areQuickStreams(queries: readonly ExpectedQuery[]): boolean {
    this.#forgetIfGrown()
    if (queries.some(({ statement }) => this.#connection.factsOf(statement).searches > 0))
      return false
    const expected = queries.map((query) =>
      this.#expect(query, () => this.#suppose({ rows: query })),
    )
    return expected.reduce((sum, each) => sum + each, 0) <= maxInProcessDuration
  }

  /** Whether a read may take so long that it leaves a reader process to the others. */
  isLong({ rows, count }: KnownRead): boolean {
    const expected = this.#durations.expect(rows)
    if (expected === undefined) return this.#durations.classOf(rows) === 'long'
    const counting = count && this.#durations.expect(count)
    return expected + (counting ?? 0) > longDuration
  }

  /** Records how long a query ran, in milliseconds. */
  readonly record: RecordDuration = (query, duration) => {
    this.#durations.record(query, duration, true)
    if (duration > slowDuration) this.suspect(query.statement)
  }

  /** Makes a statement run in reader processes for a while. */
  suspect(statement: Statement): void {
    const until = this.#suspects.get(statement) ?? 0
    this.#suspects.set(statement, Math.max(until, performance.now() + suspectPeriod))
  }

  /**
   * Returns the expected duration of a query in milliseconds: infinite if it is suspect.
   * @param suppose - returns the duration if the query has not run yet
   */
  #expect(query: ExpectedQuery, suppose: () => number): number {
    const { statement } = query
    const suspectUntil = this.#suspects.get(statement)
    if (suspectUntil !== undefined && performance.now() < suspectUntil)
      return Number.POSITIVE_INFINITY
    if (!this.#limitsValues && this.#connection.factsOf(statement).searches > 0)
      return Number.POSITIVE_INFINITY
    return this.#durations.expect(query) ?? suppose()
  }

  /** Supposes the duration of a read that has not run yet. One with a recursion never runs in the process: a value may make it endless. */
  #suppose({ rows, count, others }: KnownRead): number {
    const { statement } = rows
    const statements = [statement, ...(count ? [count.statement] : []), ...(others?.() ?? [])]
    if (statements.some((each) => this.#connection.factsOf(each).isRecursive))
      this.#suspects.set(statement, Number.POSITIVE_INFINITY)
    else if (this.#durations.classOf(rows) !== 'long' && isSmall(this.#connection)) return 0
    return Number.POSITIVE_INFINITY
  }

  /** Only a commit changes the size of the database, and to read the version takes a third of the time. */
  #forgetIfGrown(): void {
    const version = this.#connection.version()
    if (version === this.#verifiedVersion) return
    this.#verifiedVersion = version
    const pages = this.#connection.countPages()
    if (pages <= this.#maxPages) return
    if (this.#maxPages > 0) this.#durations = new ReadDurations()
    this.#maxPages = pages * growthFactor + smallGrowth
  }
}
