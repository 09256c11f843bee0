import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { compileStatement, type Statement } from '../statement.ts'
import type { PostgresConnection } from './connection.ts'
import { postgresDialect } from './dialect.ts'
import { isConflict, isConnectionLost } from './errors.ts'
import type { PostgresPool } from './pool.ts'

const dialect = postgresDialect('C')
/** Positions in the log of writes are numbers of bytes: later is more. */
const written = compileStatement(
  sql`select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::text`,
  dialect,
)
const replayed = compileStatement(
  sql`select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text`,
  dialect,
)

/** Before any position. */
const nowhere = -1n
/** How long a read waits for a standby to catch up before it goes to the database itself, in milliseconds. */
const patience = 100
/** How long between two looks at how far a standby is, in milliseconds. */
const pause = 2
/** How long a standby that failed is left alone, in milliseconds. */
const rest = 1000

/** Standbys of a database, for reads that see every write that was acknowledged before they began. */
export class Replicas {
  readonly #primary: PostgresPool
  readonly #standbys: readonly Standby[]
  readonly #position: Shared<bigint>
  #next = 0

  constructor(primary: PostgresPool, replicas: readonly PostgresPool[]) {
    this.#primary = primary
    this.#standbys = replicas.map((pool) => new Standby(pool))
    this.#position = new Shared(() => positionOf(primary.shared, written))
  }

  /**
   * Runs a read on a standby that is as new as the database was when the read began, or on the database itself when
   * no standby is. Standbys take turns.
   * @throws whatever the read throws on the database itself
   */
  async read<Result>(work: (pool: PostgresPool) => Promise<Result>): Promise<Result> {
    const standby = this.#turn()
    if (standby === undefined) return work(this.#primary)
    const position = await this.#position.ask()
    if (!(await standby.reaches(position))) return work(this.#primary)
    try {
      return await work(standby.pool)
    } catch (error) {
      if (!isOfStandby(error)) throw error
      standby.leaveAlone()
      return work(this.#primary)
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#standbys.map(({ pool }) => pool.close()))
  }

  #turn(): Standby | undefined {
    const awake = this.#standbys.filter((standby) => standby.isAwake)
    this.#next += 1
    return awake[this.#next % awake.length]
  }
}

/** One standby, and how much of the log of writes it is known to have. */
class Standby {
  readonly pool: PostgresPool
  readonly #position: Shared<bigint>
  #reached = nowhere
  #sleepsUntil = 0

  constructor(pool: PostgresPool) {
    this.pool = pool
    this.#position = new Shared(() => positionOf(pool.shared, replayed))
  }

  get isAwake(): boolean {
    return performance.now() >= this.#sleepsUntil
  }

  /** Has reads go elsewhere for a while; what was known of it is known no more. */
  leaveAlone(): void {
    this.#reached = nowhere
    this.#sleepsUntil = performance.now() + rest
  }

  /** Whether it has the log up to a position, or soon will. */
  async reaches(position: bigint): Promise<boolean> {
    // One that was restarted may be further back than it was; its connections are gone then.
    if (!this.pool.isConnected) this.#reached = nowhere
    if (this.#reached >= position) return true
    const isInTime = await Promise.race([this.#follow(position), setTimeout(patience, false)])
    if (!isInTime) this.leaveAlone()
    return isInTime
  }

  /** Looks again and again until it has the log up to a position; false when it cannot be asked. */
  async #follow(position: bigint): Promise<boolean> {
    const deadline = performance.now() + patience
    try {
      while (performance.now() < deadline) {
        this.#reached = await this.#position.ask()
        if (this.#reached >= position) return true
        await setTimeout(pause)
      }
    } catch {
      // Whatever ails it, the database itself still answers.
    }
    return false
  }
}

/** Work whose result serves many at once: whoever asks gets that of a run which began after they asked. */
class Shared<Result> {
  readonly #work: () => Promise<Result>
  #running: Promise<Result> | undefined
  #next: Promise<Result> | undefined

  constructor(work: () => Promise<Result>) {
    this.#work = work
  }

  ask(): Promise<Result> {
    if (this.#running === undefined) return this.#run()
    const run = () => this.#run()
    this.#next ??= this.#running.then(run, run)
    return this.#next
  }

  #run(): Promise<Result> {
    this.#next = undefined
    const running = this.#work().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }
}

async function positionOf(connection: PostgresConnection, statement: Statement): Promise<bigint> {
  const [[position] = []] = await connection.all(statement, { parameters: [] })
  if (typeof position !== 'string') throw new Error('The server is no standby.')
  return BigInt(position)
}

/** Whether a standby refused what the database itself may do: it is gone, or has to replay what stands in the way. */
function isOfStandby(error: unknown): boolean {
  return isConnectionLost(error) || isConflict(error)
}
