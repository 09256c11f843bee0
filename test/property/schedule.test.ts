import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createLimits, type Job, pickNext } from '../../src/postgres/connection/schedule.ts'
import { insertByStart } from '../../src/sql/semaphore.ts'
import type { Statement } from '../../src/sql/statement.ts'
import { scale, seed } from './seed.ts'

/** Work of a simulation. Times are in milliseconds of the simulation. */
interface SimulatedJob extends Job {
  /** Its place in the order of arrival. */
  readonly number: number
  readonly arrival: number
  readonly duration: number
  overtaken: number
}

interface SimulatedSession {
  readonly prepared: Set<Statement>
  job?: SimulatedJob | undefined
  end: number
}

/** What a session starts, and what waits and runs at that moment. */
interface Start {
  readonly jobs: readonly SimulatedJob[]
  readonly time: number
  readonly session: Readonly<{ prepared: ReadonlySet<Statement> }>
  readonly waiting: readonly SimulatedJob[]
  readonly running: readonly SimulatedJob[]
}

/** A moment at which no session starts anything more. */
type Rest = Pick<Start, 'waiting' | 'running'>

interface Simulation {
  readonly poolSize: number
  readonly jobs: readonly SimulatedJob[]
  readonly starts: Start[]
  readonly rests: Rest[]
}

const never = Number.POSITIVE_INFINITY
/** How many statements a simulated session keeps prepared. */
const maxPrepared = 2

/** Runs jobs on a pool, at simulated times. @param prepares - whether sessions keep statements prepared */
function simulate(poolSize: number, jobs: readonly SimulatedJob[], prepares = true): Simulation {
  const simulation: Simulation = { poolSize, jobs, starts: [], rests: [] }
  const waiting: SimulatedJob[] = []
  const coming = [...jobs]
  const sessions: SimulatedSession[] = Array.from({ length: poolSize }, () => ({
    ...{ prepared: new Set<Statement>(), end: never },
  }))
  for (;;) {
    const time = Math.min(coming[0]?.arrival ?? never, ...sessions.map(({ end }) => end))
    if (time === never) return simulation
    for (const session of sessions.filter(({ end }) => end === time))
      Object.assign(session, { job: undefined, end: never })
    while (coming[0]?.arrival === time)
      for (const job of coming.splice(0, 1)) insertByStart(waiting, job)
    for (const session of sessions.filter(({ job }) => job === undefined)) {
      const start = pickAt(time, session, { poolSize, waiting, running: listRunning(sessions) })
      if (start === undefined) break
      simulation.starts.push(start)
      for (const job of start.jobs) waiting.splice(waiting.indexOf(job), 1)
      run(session, start, prepares)
    }
    simulation.rests.push({ waiting: [...waiting], running: listRunning(sessions) })
  }
}

function listRunning(sessions: readonly SimulatedSession[]): readonly SimulatedJob[] {
  return sessions.flatMap(({ job }) => job ?? [])
}

function pickAt(
  time: number,
  { prepared }: SimulatedSession,
  { poolSize, waiting, running }: Rest & Readonly<{ poolSize: number }>,
): Start | undefined {
  const next = pickNext(waiting, running, { prepared, limits: createLimits(poolSize) })
  if (next === undefined) return undefined
  if (next.overtaken) next.overtaken.overtaken += 1
  const session = { prepared: new Set(prepared) }
  return { jobs: next.jobs, time, session, waiting: [...waiting], running }
}

function run(session: SimulatedSession, { jobs, time }: Start, prepares: boolean): void {
  const [job] = jobs
  session.job = job
  session.end = time + Math.max(...jobs.map(({ duration }) => duration))
  if (prepares && job?.statement) keepPrepared(session.prepared, job.statement)
}

function keepPrepared(prepared: Set<Statement>, statement: Statement): void {
  prepared.add(statement)
  const [oldest] = prepared
  if (prepared.size > maxPrepared && oldest) prepared.delete(oldest)
}

/** Whether one more job may run, by the limits that `docs/limits.md` promises. */
function mayRun(job: Job, running: readonly Job[], poolSize: number): boolean {
  const count = (...classes: readonly Job['class'][]) =>
    [...running, job].filter((each) => classes.includes(each.class)).length
  const [fifth, half] = [Math.floor(poolSize / 5), Math.max(1, Math.floor(poolSize / 2))]
  const isRead = job.class !== 'point' && job.class !== 'write'
  if (!isRead) return true
  if (count('quick', 'slow', 'long', 'stream') > poolSize - fifth) return false
  if (job.class === 'quick') return true
  if (count('slow', 'long', 'stream') > poolSize - 2 * fifth) return false
  return job.class === 'slow' || count(job.class) <= half
}

const statements: readonly Statement[] = ['a', 'b', 'c', 'd', 'e'].map((name) => ({
  ...{ sql: `select '${name}'`, placeholders: [] },
}))

/** How long each class runs at most, and how much later than it arrives it should start at most. */
const classes = [
  { class: 'point', longest: 2, latest: 0 },
  { class: 'quick', longest: 30, latest: 200 },
  { class: 'slow', longest: 200, latest: 300 },
  { class: 'long', longest: 400, latest: 3000 },
  { class: 'stream', longest: 500, latest: 0 },
  { class: 'write', longest: 10, latest: 0 },
] as const

const anyJob = fc.constantFrom(...classes).chain(({ class: jobClass, longest, latest }) =>
  fc.record({
    class: fc.constant(jobClass),
    statement: fc.option(fc.constantFrom(...statements), { nil: undefined }),
    isAlone: fc.boolean().map((isAlone) => isAlone && jobClass === 'point'),
    duration: fc.integer({ min: 1, max: longest }),
    wait: fc.integer({ min: 0, max: latest }),
    pause: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20 })),
  }),
)

const anyJobs = fc.array(anyJob, { maxLength: 150, size: 'max' }).map((all) => {
  let arrival = 0
  return all.map(({ pause, wait, ...job }, number): SimulatedJob => {
    arrival += pause
    return { ...job, number, arrival, startBy: arrival + wait, overtaken: 0 }
  })
})

const anyPoolSize = fc.integer({ min: 1, max: 12 })

/** Whether a job is before another one in the queue. */
const isAhead = (job: SimulatedJob, other: SimulatedJob) =>
  job.startBy < other.startBy || (job.startBy === other.startBy && job.number < other.number)
const isRead = (job: Job) => job.class !== 'point' && job.class !== 'write'

describe('The schedule of a pool of PostgreSQL', () => {
  function holds(title: string, check: (simulation: Simulation) => void, prepares = true): void {
    it(title, () => {
      const property = fc.property(anyPoolSize, anyJobs, (poolSize, jobs) =>
        check(simulate(poolSize, jobs, prepares)),
      )
      fc.assert(property, { seed, numRuns: 200 * scale })
    })
  }

  holds('starts each job once, when it has arrived', ({ jobs, starts }) => {
    const started = starts.flatMap((start) => start.jobs)
    assert.equal(started.length, jobs.length)
    assert.equal(new Set(started).size, jobs.length)
    for (const start of starts) for (const job of start.jobs) assert.ok(start.time >= job.arrival)
  })

  holds('exceeds the limit of no class', ({ poolSize, starts }) => {
    for (const { jobs, running } of starts)
      for (const job of jobs) assert.ok(mayRun(job, running, poolSize), job.class)
  })

  holds('leaves no session free while a job may run', ({ poolSize, rests }) => {
    for (const { waiting, running } of rests)
      if (running.length < poolSize)
        for (const job of waiting) assert.ok(!mayRun(job, running, poolSize), job.class)
  })

  holds('runs up to four point reads together, and nothing else', ({ starts }) => {
    for (const { jobs } of starts.filter((start) => start.jobs.length > 1)) {
      assert.ok(jobs.length <= 4)
      for (const job of jobs) assert.ok(job.class === 'point' && !job.isAlone)
    }
  })

  holds('fills each batch with the point reads that have waited longest', ({ starts }) => {
    for (const { jobs, waiting } of starts.filter(({ jobs: [job] }) => job?.class === 'point'))
      if (!jobs[0]?.isAlone) {
        const points = waiting.filter((job) => job.class === 'point' && !job.isAlone)
        assert.deepEqual(jobs, points.slice(0, 4))
      }
  })

  holds(
    'starts no job before another one that should start earlier and may run, except reads that are prepared',
    ({ poolSize, starts }) => {
      for (const { jobs, running, session, waiting } of starts) {
        const [job] = jobs
        assert.ok(job)
        const ahead = waiting.filter(
          (each) => each !== job && isAhead(each, job) && mayRun(each, running, poolSize),
        )
        const isPrepared = job.statement !== undefined && session.prepared.has(job.statement)
        for (const each of ahead)
          assert.ok(
            isPrepared && isRead(job) && isRead(each) && job.startBy <= each.startBy + 100,
            `${job.class} before ${each.class}`,
          )
      }
    },
  )

  it('puts at most sixteen reads that are prepared before one that is not', () => {
    const [prepared, other] = statements
    const jobs = Array.from(
      { length: 40 },
      (_, number): SimulatedJob => ({
        ...{ class: 'quick', statement: number === 1 ? other : prepared, isAlone: false },
        ...{ number, arrival: 0, startBy: 0, duration: 5, overtaken: 0 },
      }),
    )
    const order = simulate(1, jobs).starts.flatMap((start) => start.jobs)
    // The first job prepares its statement.
    assert.equal(
      order.findIndex(({ number }) => number === 1),
      1 + 16,
    )
  })

  holds(
    'starts a job after those of its class that arrived and should start before it, if no statement is prepared',
    ({ starts }) => {
      const order = starts.flatMap((start) => start.jobs).filter((job) => !job.isAlone)
      for (const [index, job] of order.entries())
        for (const later of order.slice(index + 1))
          if (later.class === job.class)
            assert.ok(later.number > job.number || isAhead(job, later), job.class)
    },
    false,
  )

  it('lets a read wait for no read that arrives after it should start, however many arrive', () => {
    const [quick, long] = [
      { duration: 20, class: 'quick' },
      { duration: 50, class: 'long' },
    ] as const
    const job = (
      number: number,
      arrival: number,
      startBy: number,
    ): Omit<SimulatedJob, 'class' | 'duration'> => ({
      ...{ number, arrival, startBy, overtaken: 0, isAlone: false, statement: undefined },
    })
    // Eight sessions of ten are for reads: more arrive than they can run.
    const jobs: SimulatedJob[] = Array.from({ length: 2000 }, (_, number) => ({
      ...quick,
      ...job(number, number, number),
    }))
    jobs.splice(100, 0, { ...long, ...job(-1, 99, 1000) })
    const { starts } = simulate(10, jobs)
    const order = starts.flatMap((start) => start.jobs)
    assert.equal(
      order.findIndex(({ class: jobClass }) => jobClass === 'long'),
      1000,
    )
  })
})
