import type { HttpError } from '../../errors/errors.ts'
import { type DatabaseSource, waited } from '../../observe/events.ts'
import { addReadable, type Reading } from '../../observe/readings.ts'
import { closedError, disconnectedError } from '../../sql/errors.ts'
import { ReadDurations } from '../../sql/read/read-durations.ts'
import { insertByStart, overloadedError } from '../../sql/semaphore.ts'
import { isConnectionLost, translateError, unavailableError } from '../errors.ts'
import {
  type BatchResult,
  type PostgresQuery,
  type PostgresResult,
  type RunningBatch,
  sendBatch,
} from './pipeline.ts'
import {
  type ClassLimit,
  createLimits,
  type FreeSession,
  findFullClasses,
  type Job,
  type JobClass,
  type NextJobs,
  pickNext,
} from './schedule.ts'
import { Session, type SessionLimits } from './session.ts'

/** The options of a scheduler. */
interface SchedulerOptions extends SessionLimits {
  readonly poolSize: number
  /** How many jobs of each class may wait. */
  readonly queueSize: number
}

/** A job, and who waits for it. */
interface BaseTask extends Job {
  class: JobClass
  overtaken: number
  /** When it has waited too long, on the clock of `performance.now`. */
  readonly deadline: number
  /** Creates the signal that aborts when the client disconnects; absent if nobody would notice. */
  createSignal: (() => AbortSignal) | undefined
  /** Whether the timer has seen it. */
  isSeen: boolean
  /** Stops listening to the signal; absent before it has lasted for some time. */
  stopListening: (() => void) | undefined
  readonly reject: (error: unknown) => void
}

/** A single query. */
interface QueryTask extends BaseTask {
  readonly query: PostgresQuery
  readonly resolve: (result: PostgresResult) => void
  /** What runs; absent while it waits, and in a batch with others. */
  batch: RunningBatch | undefined
}

/** Work that gets a session and releases it. */
interface SessionTask extends BaseTask {
  readonly query?: undefined
  readonly resolve: (session: Session) => void
}

type Task = QueryTask | SessionTask

/** What a caller needs a session for. */
export interface SessionRequest {
  readonly class: JobClass
  /** The time by which it should start, on the clock of `performance.now`. Default: now. */
  readonly startBy?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * How often the scheduler looks at all tasks, in milliseconds: one that has not ended at the second look has a listener. Most end within
 * a millisecond, and a signal, a listener and a timer for each would cost more than they could save.
 */
const lookInterval = 20
/** How often the scheduler closes old and unused connections, in milliseconds. */
const closingInterval = 300_000
/** After how many of these intervals a connection is closed: this frees the memory of its server process. */
const maxOpenIntervals = 6
/** The same for an unused one: its prepared statements would have to be prepared again. */
const maxUnusedIntervals = 2

/**
 * The sessions of a database, a limited number, and the tasks that wait for them. Sessions are opened when they are needed;
 * `pickNext` decides what each of them starts.
 */
export class Scheduler {
  readonly durations = new ReadDurations()
  readonly #url: string
  readonly #options: SchedulerOptions
  readonly #limits: readonly ClassLimit[]
  /** In the order of `startBy`. */
  readonly #waiting: Task[] = []
  /** The task of each busy session; the first one of a batch. */
  readonly #running = new Map<Session, Task>()
  /** The sessions without a task; the last one was used last. */
  readonly #free: Session[] = []
  /** All sessions: busy, free, or opening. */
  readonly #sessions = new Set<Session>()
  /** How many tasks have waited too long. */
  #timeouts = 0
  #lookTimer: NodeJS.Timeout | undefined
  #closingTimer: NodeJS.Timeout | undefined
  #closed: PromiseWithResolvers<void> | undefined

  constructor(url: string, options: SchedulerOptions) {
    this.#url = url
    this.#options = options
    this.#limits = createLimits(options.poolSize)
    addReadable(this)
  }

  /** What telemetry asks of it. */
  readings(): readonly Reading[] {
    if (this.#closed !== undefined) return []
    const pool = { 'db.client.connection.pool.name': toPool(this.#options.source) }
    const state = (name: string) => ({ ...pool, 'db.client.connection.state': name })
    const waiting = Map.groupBy(this.#waiting, (task) => task.class)
    return [
      { name: 'connections', value: this.#running.size, labels: state('used') },
      { name: 'connections', value: this.#free.length, labels: state('idle') },
      { name: 'connections max', value: this.#options.poolSize, labels: pool },
      { name: 'connection timeouts', value: this.#timeouts, labels: pool },
      { name: 'pending connections', value: this.#waiting.length, labels: pool },
      ...[...waiting].map(
        ([queue, { length: value }]): Reading => ({
          name: 'queue depth',
          value,
          labels: { queue },
        }),
      ),
    ]
  }

  /** Whether any connection is open. */
  get isConnected(): boolean {
    return this.#sessions.size > 0
  }

  /**
   * Runs a query on any session.
   * @throws HttpError `unavailable` (503) if too many wait, or the wait is too long; what `translateError` returns
   */
  run(query: PostgresQuery): Promise<PostgresResult> {
    const { statement, signal } = query
    // Point reads run in batches, which nothing cancels when the client of one disconnects.
    const isPointRead = statement.pointRead !== undefined
    return new Promise((resolve, reject) => {
      this.#add({
        class: isPointRead ? 'point' : this.durations.classOf(query),
        statement,
        startBy: isPointRead ? performance.now() : this.durations.startTime(query),
        deadline: performance.now() + this.#options.timeout,
        overtaken: 0,
        isAlone: false,
        createSignal: signal,
        isSeen: false,
        stopListening: undefined,
        batch: undefined,
        query,
        resolve,
        reject,
      })
    })
  }

  /**
   * Acquires a session, which the caller releases.
   * @throws HttpError `unavailable`, or `overloaded` for a stream (503); `disconnectedError` if the signal aborts while it waits
   */
  acquire({ class: jobClass, startBy, signal }: SessionRequest): Promise<Session> {
    return new Promise((resolve, reject) => {
      const now = performance.now()
      this.#add({
        class: jobClass,
        startBy: startBy ?? now,
        deadline: now + this.#options.timeout,
        overtaken: 0,
        isAlone: false,
        createSignal: signal && (() => signal),
        isSeen: false,
        stopListening: undefined,
        resolve,
        reject,
      })
    })
  }

  /** Makes the task of a session a stream. @throws HttpError `overloaded` (503): to wait would occupy one more session */
  continueAsStream(session: Session): void {
    const task = this.#running.get(session)
    if (task === undefined) return
    const others = [...this.#running.values()].filter((other) => other !== task)
    if (findFullClasses(others, this.#limits)?.has('stream')) throw overloadedError()
    task.class = 'stream'
    this.#startNext()
  }

  /** Rejects the tasks that wait, and closes every session once it is released. */
  close(): Promise<void> {
    if (this.#closed !== undefined) return this.#closed.promise
    this.#closed = Promise.withResolvers()
    for (const task of [...this.#waiting]) this.#giveUp(task, closedError())
    for (const session of this.#free.splice(0)) this.#close(session)
    if (this.#sessions.size === 0) this.#closed.resolve()
    return this.#closed.promise
  }

  #add(task: Task): void {
    if (this.#closed !== undefined) {
      task.reject(closedError())
      return
    }
    insertByStart(this.#waiting, task)
    const hasRoom = this.#free.length > 0 || this.#sessions.size < this.#options.poolSize
    if (hasRoom && !this.#isFull(task.class)) this.#startNext()
    if (this.#isQueueExceeded(task.class)) this.#giveUp(task, tooManyError(task))
    this.#watch()
  }

  /** Whether more tasks of a class wait than may; not counting one for each session that opens. */
  #isQueueExceeded(jobClass: JobClass): boolean {
    const allowed = this.#options.queueSize + this.#opening
    if (this.#waiting.length <= allowed) return false
    return this.#waiting.filter((task) => task.class === jobClass).length > allowed
  }

  /** The number of sessions that open. */
  get #opening(): number {
    return this.#sessions.size - this.#running.size - this.#free.length
  }

  /** Starts tasks on the free sessions; if more of them could start, opens another session. */
  #startNext(): void {
    for (;;) {
      const session = this.#free.at(-1)
      if (session === undefined) break
      const next = this.#pickFor(session.prepared)
      if (next === undefined) return
      if (next.overtaken) next.overtaken.overtaken += 1
      this.#free.pop()
      this.#start(session, next.jobs)
    }
    const canOpen = this.#sessions.size < this.#options.poolSize
    if (canOpen && this.#opening < this.#waiting.length && this.#pickFor(nothing)) void this.#open()
  }

  #isFull(jobClass: JobClass): boolean {
    return findFullClasses(this.#running.values(), this.#limits)?.has(jobClass) === true
  }

  #pickFor(prepared: FreeSession['prepared']): NextJobs<Task> | undefined {
    return pickNext(this.#waiting, this.#running.values(), { prepared, limits: this.#limits })
  }

  /** Starts a task, or a batch of point reads. */
  #start(session: Session, tasks: readonly Task[]): void {
    for (const task of tasks) this.#dequeue(task)
    if (waited.hasSubscribers) this.#publishWaits(tasks)
    const [first] = tasks
    if (first === undefined) return
    this.#running.set(session, first)
    session.unusedIntervals = 0
    if (first.query !== undefined) return void this.#send(session, tasks.filter(isQuery))
    first.stopListening?.()
    first.createSignal = undefined
    first.resolve(session)
  }

  #publishWaits(tasks: readonly Task[]): void {
    const now = performance.now()
    const { timeout, source } = this.#options
    for (const { class: queue, deadline } of tasks)
      waited.publish({ queue, duration: now - (deadline - timeout), pool: toPool(source) })
  }

  /** Sends queries. Nothing is added to a batch that was sent, so each query sees what was committed before it arrived. */
  async #send(session: Session, tasks: readonly QueryTask[]): Promise<void> {
    const start = performance.now()
    const queries = tasks.map(({ query }) => query)
    const batch = sendBatch(session, queries)
    for (const task of tasks) task.batch = tasks.length === 1 ? batch : undefined
    const { results, failure } = await batch.result.catch(failedBatch)
    const duration = performance.now() - start
    const isLost = isConnectionLost(failure)
    this.#release(session, isLost)
    for (const [index, task] of tasks.entries()) {
      task.stopListening?.()
      const result = results[index]
      if (task.class !== 'point') this.durations.record(task.query, duration, result !== undefined)
      if (result !== undefined) task.resolve(result)
      else if (isLost || tasks.length === 1) task.reject(failure)
      // The server has skipped it, or it is the one that failed. Point reads change nothing, so it can run again.
      else this.#add({ ...task, isAlone: true, stopListening: undefined })
    }
  }

  #release(session: Session, isBroken: boolean): void {
    if (!this.#running.delete(session)) return
    const mustClose = isBroken || session.isLost || session.openIntervals >= maxOpenIntervals
    if (mustClose || this.#closed !== undefined) this.#close(session)
    else this.#free.push(session)
    this.#startNext()
  }

  /** Opens a session. If it fails, so do the tasks that would start next: each failure has its own attempt. */
  async #open(): Promise<void> {
    let session: Session | undefined
    try {
      session = this.#createSession()
      await session.client.connect()
      if (session.isLost || this.#closed !== undefined) this.#close(session)
      else this.#free.push(session)
    } catch (error) {
      if (session !== undefined) this.#close(session)
      const failure = translateError(error, this.#options)
      for (const task of this.#pickFor(nothing)?.jobs ?? []) this.#giveUp(task, failure)
    }
    this.#startNext()
  }

  #createSession(): Session {
    const session = new Session(this.#url, this.#options, (isBroken) =>
      this.#release(session, isBroken),
    )
    this.#sessions.add(session)
    session.client.on('error', () => this.#handleLoss(session))
    this.#closingTimer ??= setTimeout(() => this.#closeUnused(), closingInterval).unref()
    return session
  }

  /** A free session that breaks is replaced when it is needed; a busy one fails. */
  #handleLoss(session: Session): void {
    session.isLost = true
    if (this.#removeFree(session)) this.#close(session)
  }

  #removeFree(session: Session): boolean {
    const index = this.#free.indexOf(session)
    if (index !== -1) this.#free.splice(index, 1)
    return index !== -1
  }

  #closeUnused(): void {
    this.#closingTimer = undefined
    for (const session of this.#sessions) {
      session.openIntervals += 1
      session.unusedIntervals += 1
      const isOld =
        session.openIntervals >= maxOpenIntervals || session.unusedIntervals >= maxUnusedIntervals
      if (isOld && this.#removeFree(session)) this.#close(session)
    }
    if (this.#sessions.size > 0)
      this.#closingTimer = setTimeout(() => this.#closeUnused(), closingInterval).unref()
  }

  #close(session: Session): void {
    this.#sessions.delete(session)
    void session.client.end().catch(ignore)
    if (this.#sessions.size === 0) this.#closed?.resolve()
  }

  #watch(): void {
    this.#lookTimer ??= setTimeout(() => this.#look(), lookInterval).unref()
  }

  /** Rejects the tasks that have waited too long, and listens to the clients of those that last. */
  #look(): void {
    this.#lookTimer = undefined
    const now = performance.now()
    for (const task of this.#waiting.filter(({ deadline }) => deadline <= now)) {
      this.#timeouts += 1
      this.#giveUp(task, this.#running.size > 0 ? tooManyError(task) : notOpenedError())
    }
    for (const task of [...this.#waiting, ...this.#running.values()]) {
      this.#watch()
      if (task.isSeen) this.#listen(task)
      task.isSeen = true
    }
  }

  #listen(task: Task): void {
    if (task.stopListening !== undefined || task.createSignal === undefined) return
    const signal = task.createSignal()
    const stop = () => this.#stop(task)
    task.stopListening = () => signal.removeEventListener('abort', stop)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  }

  /** Rejects a task that waits, and cancels a query that runs by itself. */
  #stop(task: Task): void {
    if (this.#waiting.includes(task)) this.#giveUp(task, disconnectedError())
    else if (task.query !== undefined) task.batch?.cancel()
  }

  /** Rejects a task that waits. */
  #giveUp(task: Task, error: unknown): void {
    if (!this.#dequeue(task)) return
    task.stopListening?.()
    task.reject(error)
  }

  /** Removes a task from the queue. @returns whether it was there */
  #dequeue(task: Task): boolean {
    const index = this.#waiting.indexOf(task)
    if (index === 0) this.#waiting.shift()
    else if (index > 0) this.#waiting.splice(index, 1)
    return index !== -1
  }
}

const nothing = { has: () => false }

/** The name of a pool in OpenTelemetry's conventions. */
function toPool({ address, port, namespace }: DatabaseSource): string {
  return `${address}:${port}/${namespace}`
}

function isQuery(task: Task): task is QueryTask {
  return task.query !== undefined
}

function failedBatch(failure: unknown): BatchResult {
  return { results: [], failure }
}

/** The error of a task that found too many others waiting, or has waited too long. */
function tooManyError({ class: jobClass }: Task): HttpError {
  return jobClass === 'stream'
    ? overloadedError()
    : unavailableError('Too many requests wait for a connection')
}

function notOpenedError(): HttpError {
  const cause = new Error('timeout exceeded while a connection was opened')
  return unavailableError('The database is not available', cause)
}

function ignore(): void {}
