import type { Statement } from '../../sql/statement.ts'

// Which work the next free session of a pool gets: pure functions, over the queue and the sessions of `scheduler.ts`.
//
// - Work waits in the order of the times by which it should start: a quick read overtakes those that are expected to take longer.
// - Slower reads leave some of the sessions to quicker ones, and all reads leave some to point reads and writes. Otherwise clients that
//   repeat an expensive read would occupy every session. Behind a proxy all clients have one address, so no limit is by address.
// - A session takes a read that is prepared there before one that is not: the server takes longer to prepare a statement than to run it
//   (row `thousand-shapes` of the benchmark).
// - Point reads run in batches: a message to the server and back costs both sides more than to look up a row (row `one`).
//
// Invariant: no class exceeds its limits, and no session is free while work may start. Work that arrives after the time by which other
// work should start is not put before it, except by at most `maxOvertakes` prepared reads and in a batch, so none waits forever.

/**
 * The classes of work. A point read looks up columns of one row by its id. Other reads are known to be quick, or nothing is known of
 * them, or they are long; a stream occupies its session for as long as its client reads. The rest, as a write, has no limit.
 */
export type JobClass = 'point' | 'quick' | 'slow' | 'long' | 'stream' | 'write'

/** Work for a session. */
export interface Job {
  readonly class: JobClass
  /** The statement that a session should have prepared; absent if all sessions suit it alike. */
  readonly statement?: Statement | undefined
  /** The time by which it should start, on the clock of `performance.now`. */
  readonly startBy: number
  /** How many reads that were prepared have started instead of it. */
  readonly overtaken: number
  /** Whether a point read joins no batch: one with it has failed. */
  readonly isAlone: boolean
}

/** How many sessions some classes may occupy together. */
export interface ClassLimit {
  readonly classes: ReadonlySet<JobClass>
  readonly sessions: number
}

/** The share of the sessions that slower work leaves to each kind of quicker work: none of less than five. */
const reservedShare = 0.2
/** The most point reads in a batch: the last one waits for all of them. */
const maxBatch = 4
/** In how many of the first jobs a session looks for a read that it has prepared. */
const searchWindow = 32
/** How many reads that are prepared may start instead of one that is not. */
const maxOvertakes = 16
/** How much later than that one they should start, at most, in milliseconds. */
const maxOvertakeTime = 100

/** Returns the limits of the classes. Point reads and writes have none. */
export function createLimits(poolSize: number): readonly ClassLimit[] {
  const reserved = Math.floor(poolSize * reservedShare)
  const half = Math.max(Math.floor(poolSize / 2), 1)
  return [
    { classes: new Set(['quick', 'slow', 'long', 'stream']), sessions: poolSize - reserved },
    { classes: new Set(['slow', 'long', 'stream']), sessions: poolSize - 2 * reserved },
    { classes: new Set(['long']), sessions: half },
    { classes: new Set(['stream']), sessions: half },
  ]
}

/**
 * Finds the classes of which no further job may start.
 * @param running - a job for each busy session
 * @returns `undefined` if there are none
 */
export function findFullClasses(
  running: Iterable<Job>,
  limits: readonly ClassLimit[],
): ReadonlySet<JobClass> | undefined {
  const counts = { point: 0, quick: 0, slow: 0, long: 0, stream: 0, write: 0 }
  for (const job of running) counts[job.class] += 1
  let full: ReadonlySet<JobClass> | undefined
  for (const { classes, sessions } of limits) {
    let count = 0
    for (const each of classes) count += counts[each]
    if (count >= sessions) full = full ? new Set([...full, ...classes]) : classes
  }
  return full
}

/** A free session, in a pool with limits. */
export interface FreeSession {
  readonly prepared: Readonly<{ has: (statement: Statement) => boolean }>
  readonly limits: readonly ClassLimit[]
}

/** What a session starts. */
export interface NextJobs<Waiting> {
  /** One job, or a batch of point reads. */
  readonly jobs: readonly Waiting[]
  /** The job that these overtake, because it is not prepared. */
  readonly overtaken?: Waiting | undefined
}

/**
 * Picks what a free session starts.
 * @param jobs - those that wait, in the order of `startBy`
 * @param running - a job for each busy session
 * @returns `undefined` if none may start
 */
export function pickNext<Waiting extends Job>(
  jobs: readonly Waiting[],
  running: Iterable<Job>,
  { prepared, limits }: FreeSession,
): NextJobs<Waiting> | undefined {
  const full = findFullClasses(running, limits)
  const index = jobs.findIndex((job) => !full?.has(job.class))
  const first = jobs[index]
  if (first === undefined) return undefined
  if (first.class === 'point') return { jobs: first.isAlone ? [first] : takeBatch(jobs) }
  if (first.class === 'write' || first.overtaken >= maxOvertakes) return { jobs: [first] }
  for (let at = index; at < index + searchWindow; at += 1) {
    const job = jobs[at]
    if (job === undefined || !mayOvertake(job, first)) break
    if (job.statement && prepared.has(job.statement) && !full?.has(job.class))
      return { jobs: [job], overtaken: job === first ? undefined : first }
  }
  return { jobs: [first] }
}

/** Whether a read may start before the first one. The search ends at point reads and writes: reads do not overtake them. */
function mayOvertake({ class: jobClass, startBy }: Job, first: Job): boolean {
  const isRead = jobClass !== 'point' && jobClass !== 'write'
  return isRead && startBy <= first.startBy + maxOvertakeTime
}

function takeBatch<Waiting extends Job>(jobs: readonly Waiting[]): readonly Waiting[] {
  const batch: Waiting[] = []
  for (const job of jobs) {
    if (job.class === 'point' && !job.isAlone) batch.push(job)
    if (batch.length === maxBatch) break
  }
  return batch
}
