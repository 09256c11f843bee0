import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { compileStatement, type Statement } from '../../sql/statement.ts'
import { postgresDialect } from '../dialect.ts'
import { isConflict, isConnectionLost } from '../errors.ts'
import type { PostgresConnection } from './connection.ts'
import type { PostgresPool } from './connection-pool.ts'

// Read-your-writes on replicas by LSN. Streaming standbys answer reads, so that reads scale with machines. JSON:API clients keep no token
// with the position of their last write, and two clients may talk to each other, so the primary is asked. One answer serves all requests
// that waited when it was sent. While the primary is down, reads are 503: a stale response that looks current would be worse.
//
// Invariant: a read sees every write that was acknowledged before it began. It asks the primary for the LSN up to which the
// write-ahead log is flushed, after it began, and runs on a standby that has replayed the log up to there. If no standby has in
// time, it runs on the primary.

const dialect = postgresDialect('C')
/** Selects the flushed position of the primary's write-ahead log in bytes. */
const flushedQuery = compileStatement(
  sql`select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::text`,
  dialect,
)
/** Selects the replayed position of a standby in bytes. */
const replayedQuery = compileStatement(
  sql`select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text`,
  dialect,
)

/** A position before any other. */
const unknownPosition = -1n
/** How long a read waits for a standby before it runs on the primary, in milliseconds. */
const catchUpTimeout = 100
/** How often a read asks a standby for its position, in milliseconds. */
const pollInterval = 2
/** How long a standby that failed is not used, in milliseconds. */
const suspension = 1000

/** A primary and its standbys. */
export class Replicas {
  readonly #primary: PostgresPool
  readonly #standbys: readonly Standby[]
  readonly #flushedPosition: CoalescedQuery<bigint>
  #nextStandby = 0

  constructor(primary: PostgresPool, replicas: readonly PostgresPool[]) {
    this.#primary = primary
    this.#standbys = replicas.map((pool) => new Standby(pool))
    this.#flushedPosition = new CoalescedQuery(() => queryPosition(primary.shared, flushedQuery))
  }

  /** Whether reads run on standbys. */
  get areUsed(): boolean {
    return this.#standbys.length > 0
  }

  /**
   * Runs a read on the next standby, if it has replayed every write that was acknowledged before, otherwise on the primary.
   * @throws whatever the read throws on the primary
   */
  read<Result>(work: (pool: PostgresPool) => Promise<Result>): Promise<Result> {
    const standby = this.#chooseStandby()
    return standby ? this.#readOn(standby, work) : work(this.#primary)
  }

  async #readOn<Result>(
    standby: Standby,
    work: (pool: PostgresPool) => Promise<Result>,
  ): Promise<Result> {
    const position = await this.#flushedPosition.run()
    if (!(await standby.reaches(position))) return work(this.#primary)
    try {
      return await work(standby.pool)
    } catch (error) {
      if (!isStandbyError(error)) throw error
      standby.suspend()
      return work(this.#primary)
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#standbys.map(({ pool }) => pool.close()))
  }

  /** Chooses the available standbys in turn. @returns `undefined` if none is available */
  #chooseStandby(): Standby | undefined {
    if (this.#standbys.length === 0) return undefined
    const available = this.#standbys.filter((standby) => standby.isAvailable)
    if (available.length === 0) return undefined
    this.#nextStandby += 1
    return available[this.#nextStandby % available.length]
  }
}

/** A standby, and the position that it is known to have replayed. */
class Standby {
  readonly pool: PostgresPool
  readonly #replayedPosition: CoalescedQuery<bigint>
  #position = unknownPosition
  #suspendedUntil = 0

  constructor(pool: PostgresPool) {
    this.pool = pool
    this.#replayedPosition = new CoalescedQuery(() => queryPosition(pool.shared, replayedQuery))
  }

  get isAvailable(): boolean {
    return performance.now() >= this.#suspendedUntil
  }

  /** Stops using the standby for a while, and forgets its position. */
  suspend(): void {
    this.#position = unknownPosition
    this.#suspendedUntil = performance.now() + suspension
  }

  /** Waits until the standby has replayed the log up to a position. @returns false after the timeout */
  async reaches(position: bigint): Promise<boolean> {
    // A standby that was restarted may be behind its last position. It has closed its connections then.
    if (!this.pool.isConnected) this.#position = unknownPosition
    if (this.#position >= position) return true
    const isInTime = await Promise.race([this.#poll(position), setTimeout(catchUpTimeout, false)])
    if (!isInTime) this.suspend()
    return isInTime
  }

  /** Polls the position. @returns false if the standby does not answer */
  async #poll(position: bigint): Promise<boolean> {
    const deadline = performance.now() + catchUpTimeout
    try {
      while (performance.now() < deadline) {
        this.#position = await this.#replayedPosition.run()
        if (this.#position >= position) return true
        await setTimeout(pollInterval)
      }
    } catch {
      // The read runs on the primary instead.
    }
    return false
  }
}

/** A query that concurrent callers share: each gets the result of a run that began after its call. */
class CoalescedQuery<Result> {
  readonly #query: () => Promise<Result>
  #running: Promise<Result> | undefined
  #next: Promise<Result> | undefined

  constructor(query: () => Promise<Result>) {
    this.#query = query
  }

  run(): Promise<Result> {
    if (this.#running === undefined) return this.#begin()
    const begin = () => this.#begin()
    this.#next ??= this.#running.then(begin, begin)
    return this.#next
  }

  #begin(): Promise<Result> {
    this.#next = undefined
    const running = this.#query().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }
}

async function queryPosition(
  connection: PostgresConnection,
  statement: Statement,
): Promise<bigint> {
  const [[position] = []] = await connection.all(statement, { planValues: [] })
  if (typeof position !== 'string') throw new Error('The server is not a standby.')
  return BigInt(position)
}

/** Whether an error concerns only the standby: it is not available, or the replay conflicts with the read. */
function isStandbyError(error: unknown): boolean {
  return isConnectionLost(error) || isConflict(error)
}
