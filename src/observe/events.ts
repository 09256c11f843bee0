import { AsyncLocalStorage } from 'node:async_hooks'
import { channel } from 'node:diagnostics_channel'

// What happens while requests are processed, for whoever listens: metrics, spans, the log of slow statements, and `Server-Timing`. Each
// event has a channel of `node:diagnostics_channel`, so the layers that publish know nothing of those that listen, and an application may
// listen as well. While nobody listens, the engine asks `hasSubscribers` and does nothing else: no clock, no object, no async context.
//
// Invariant: an event has no value of a request. It has names of declarations, codes, numbers, and SQL with placeholders.

/** A typed channel. */
interface EventChannel<Event> {
  readonly hasSubscribers: boolean
  publish(event: Event): void
  subscribe(listener: (event: Event) => void): void
  unsubscribe(listener: (event: Event) => void): boolean
}

function createChannel<Event>(name: string): EventChannel<Event> {
  // The types of Node.js describe messages as unknown. Only this module publishes on its channels.
  return channel(`lapidary:${name}`) as unknown as EventChannel<Event>
}

/** The path of a route with the prefix of its mount, e.g. `/api/persons/:id`. One object for each route, so that it can be a key. */
export interface RouteTemplate {
  readonly path: string
}

/** A request of HTTP, from when the dispatcher gets it until its response is complete. Times are in milliseconds. */
export interface ObservedRequest {
  /** As sent; it may be any token. */
  readonly method: string
  /** `undefined` for a path without a route. */
  readonly route: RouteTemplate | undefined
  /** `http` or `https`. */
  readonly scheme: string
  /** The version of HTTP, e.g. `1.1`, if the host knows it. */
  readonly protocolVersion: string | undefined
  /** Returns a header field by its name in lower case, for the context of a trace. */
  readonly header: (name: string) => string | undefined
  /** On the clock of `performance.now`. */
  readonly startedAt: number
  /** How long its parts have taken so far. They are measured only if somebody listens to `partMeasured`. */
  readonly parts: Parts
  duration: number
  /** 0 until it is known. */
  status: number
  /** The code of its first error; `undefined` without one. */
  code: string | undefined
  /** The bytes of the response; `undefined` for a stream. */
  responseSize: number | undefined
  /** Whether the response is a stream. */
  isStream: boolean
  /** Finds the statements that create the indexes that its read lacks; absent before a read is planned. */
  findIndexes: (() => Promise<readonly string[]>) | undefined
  /** Whether its response says how long its parts have taken. */
  showsTiming: boolean
  /** Runs the processing in a context of that listener. */
  enter: (<Result>(work: () => Result) => Result) | undefined
}

/** The parts of a request that are measured. */
type Part = 'auth' | 'plan' | 'db' | 'serialize'

/** The duration of each part, in milliseconds. */
type Parts = Record<Part, number>

/** A part of a request that has ended. */
export interface MeasuredPart {
  readonly part: Part
  readonly request: ObservedRequest
  /** On the clock of `performance.now`. */
  readonly startedAt: number
  readonly duration: number
}

/** The database that ran a statement, by the names of OpenTelemetry. */
export interface DatabaseSource {
  /** `db.system.name`. */
  readonly system: string
  /** `db.namespace`: the name of the database on its server. */
  readonly namespace?: string
  /** The address and the port of its server. */
  readonly address?: string
  readonly port?: number
}

/** A statement that has ended. */
export interface ObservedStatement {
  /** Statements of one query shape are one object. */
  readonly statement: Readonly<{ sql: string }>
  readonly source: DatabaseSource
  /** On the clock of `performance.now`. */
  readonly startedAt: number
  /** In milliseconds, without the wait for a connection. */
  readonly duration: number
  /** The number of rows that it returned or changed. */
  readonly rows: number
  /** The error that ended it; never with the values of a request in what is published of it. */
  readonly error?: unknown
  /** `undefined` outside of a request, and while nobody listens to `partMeasured`. */
  readonly request: ObservedRequest | undefined
}

/** A wait that has ended. */
export interface Wait {
  readonly queue: string
  /** In milliseconds. */
  readonly duration: number
  /** The connections that it was for; absent if it was not for a connection. */
  readonly pool?: string
}

/** A request has begun. */
export const requestStarted = createChannel<ObservedRequest>('request:start')
/** A response is complete: it is ready to be sent, or the last chunk of a stream has been read. */
export const requestEnded = createChannel<ObservedRequest>('request:end')
/** The stream of a response has begun. */
export const streamStarted = createChannel<ObservedRequest>('request:stream')
/** A part of a request has ended. Whoever wants to know the request of a statement listens to this as well. */
export const partMeasured = createChannel<MeasuredPart>('part')
/** A statement has ended. */
export const statementEnded = createChannel<ObservedStatement>('statement:end')
/** A statement, a read or a write has waited in a queue. */
export const waited = createChannel<Wait>('wait')
/** Several writes were committed together. */
export const committed = createChannel<Readonly<{ size: number }>>('commit')
/** A write with a key got the response of the first request with the key. */
export const writeReplayed = createChannel<Readonly<Record<never, never>>>('replay')
/** The server has rejected a request before the dispatcher got it, with a code. */
export const rejected = createChannel<Readonly<{ code: string }>>('rejected')

/** The request that is processed. Its context exists only while somebody listens. */
const current = new AsyncLocalStorage<ObservedRequest>()

/**
 * Runs the processing of a request, whose statements and parts are then its own if somebody listens to `partMeasured`: an async context
 * for each request is most of what metrics would cost.
 */
export function runObserved<Result>(request: ObservedRequest, work: () => Result): Result {
  const { enter } = request
  if (!partMeasured.hasSubscribers && enter === undefined) return work()
  return current.run(request, enter ? () => enter(work) : work)
}

/** Returns the request that is processed; `undefined` outside of requests, and while nobody listens to `partMeasured`. */
export function findRequest(): ObservedRequest | undefined {
  return current.getStore()
}

/** Runs a part of a request, and measures it if somebody listens to the parts of requests. */
export function measurePart<Result>(
  request: ObservedRequest,
  part: Part,
  work: () => Result,
): Result {
  if (!partMeasured.hasSubscribers) return work()
  const startedAt = performance.now()
  const result = work()
  const end = () => {
    const duration = performance.now() - startedAt
    request.parts[part] += duration
    partMeasured.publish({ part, request, startedAt, duration })
  }
  if (result instanceof Promise) void result.then(end, end)
  else end()
  return result
}

/** When a statement ran, without its wait. Times are in milliseconds, on the clock of `performance.now`. */
export interface StatementTiming {
  readonly startedAt: number
  readonly duration: number
}

/** A statement that runs, and that somebody listens to. */
export class RunningStatement {
  readonly #statement: ObservedStatement['statement']
  readonly #source: DatabaseSource
  readonly #request = current.getStore()
  readonly #startedAt = performance.now()
  /** The rows and the duration of its batches. */
  #batches = { rows: 0, duration: 0 }

  constructor(statement: ObservedStatement['statement'], source: DatabaseSource) {
    this.#statement = statement
    this.#source = source
  }

  /** @param timing - when it ran, if that is not since it was begun */
  end(rows: number, timing?: StatementTiming): void {
    this.#publish(rows, timing ?? this.#sinceBegin(), undefined)
  }

  /** Adds a batch of its rows: between two batches it waits for its client. */
  addBatch(rows: number, duration: number): void {
    this.#batches.rows += rows
    this.#batches.duration += duration
  }

  /** Ends a statement whose rows were read in batches. */
  endBatches(): void {
    const { rows, duration } = this.#batches
    this.#publish(rows, { startedAt: this.#startedAt, duration }, undefined)
  }

  /** Ends it with an error. */
  fail(error: unknown): void {
    this.#publish(0, this.#sinceBegin(), error)
  }

  #sinceBegin(): StatementTiming {
    return { startedAt: this.#startedAt, duration: performance.now() - this.#startedAt }
  }

  #publish(rows: number, { startedAt, duration }: StatementTiming, error: unknown): void {
    const request = this.#request
    if (request) request.parts.db += duration
    const statement = this.#statement
    const source = this.#source
    statementEnded.publish({ statement, source, startedAt, duration, rows, error, request })
  }
}
