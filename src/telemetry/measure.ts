import {
  committed,
  type ObservedRequest,
  type ObservedStatement,
  rejected,
  requestEnded,
  requestStarted,
  statementEnded,
  streamStarted,
  type Wait,
  waited,
  writeReplayed,
} from '../observe/events.ts'
import { describeEnd, describeOperation, describeStart, toMethod } from './attributes.ts'
import { createStatementDescriber } from './describe-statement.ts'
import type { Attributes, MetricKey } from './metrics.ts'

/** Receives the values of one metric with one set of attributes. */
export interface Meter {
  /** Adds to a counter or a gauge, or records a value of a histogram. */
  add(value: number): void
}

/** Where measurements go: to the page of Prometheus, or to OpenTelemetry. */
export interface MeterSource {
  /** Called once for each set of attributes, whose number is limited. */
  open(key: MetricKey, attributes: Attributes): Meter
}

/** How many statements have series of their own; further ones share those of their operation. */
const maxStatements = 1000

/** The meters of the requests of a route with one method and result. */
interface RequestMeters
  extends Pick<ObservedRequest, 'status' | 'scheme' | 'protocolVersion' | 'code'> {
  readonly method: string
  readonly duration: Meter
  readonly requestSize: Meter
  readonly responseSize: Meter
  readonly errors: Meter | undefined
}

/** The meters of a statement that succeeds. */
interface StatementMeters {
  readonly duration: Meter
  readonly rows: Meter
  readonly count: Meter
}

/** The key of requests that have no route. */
const noRoute = {}

/** Measures everything in this process. @returns ends it */
export function measure(source: MeterSource): () => void {
  const ends = [measureRequests(source), measureStatements(source), measureQueues(source)]
  return () => {
    for (const end of ends) end()
  }
}

/** Remembers a value for each key. */
function memoize<Key, Value>(create: (key: Key) => Value): (key: Key) => Value {
  const values = new Map<Key, Value>()
  return (key) => {
    const known = values.get(key)
    if (known !== undefined) return known
    const value = create(key)
    values.set(key, value)
    return value
  }
}

// A request changes a few numbers, which are found by the identity of its route and of its statement: names and attributes are
// written once for each.
function measureRequests(source: MeterSource): () => void {
  const since = performance.now()
  const streams = source.open('activeStreams', {})
  const metersOf = memoize((_route: object): RequestMeters[] => [])
  const activeOf = memoize((_route: object) => new Map<string, Meter>())
  const findActive = (request: ObservedRequest): Meter => {
    const byMethod = activeOf(request.route ?? noRoute)
    const method = toMethod(request.method)
    const known = byMethod.get(method)
    if (known) return known
    const meter = source.open('activeRequests', describeStart(request))
    byMethod.set(method, meter)
    return meter
  }
  const start = (request: ObservedRequest) => findActive(request).add(1)
  const stream = () => streams.add(1)
  const end = (request: ObservedRequest) => {
    // One that began before was not counted.
    if (request.startedAt >= since) {
      findActive(request).add(-1)
      if (request.isStream) streams.add(-1)
    }
    const meters = findMeters(metersOf(request.route ?? noRoute), request, source)
    meters.duration.add(request.duration / 1000)
    if (request.responseSize !== undefined) meters.responseSize.add(request.responseSize)
    if (request.method !== 'GET') meters.requestSize.add(readSize(request))
    meters.errors?.add(1)
  }
  requestStarted.subscribe(start)
  streamStarted.subscribe(stream)
  requestEnded.subscribe(end)
  return () => {
    requestStarted.unsubscribe(start)
    streamStarted.unsubscribe(stream)
    requestEnded.unsubscribe(end)
  }
}

/** The size of the body as announced; 0 for one of unknown length. */
function readSize({ header }: ObservedRequest): number {
  const size = Number(header('content-length') ?? 0)
  return size >= 0 ? size : 0
}

function findMeters(
  all: RequestMeters[],
  request: ObservedRequest,
  source: MeterSource,
): RequestMeters {
  const { status, scheme, protocolVersion, code } = request
  const method = toMethod(request.method)
  for (const each of all)
    if (
      each.status === status &&
      each.method === method &&
      each.code === code &&
      each.scheme === scheme &&
      each.protocolVersion === protocolVersion
    )
      return each
  const attributes = describeEnd(request)
  const meters: RequestMeters = {
    ...{ method, status, scheme, protocolVersion, code },
    duration: source.open('requestDuration', attributes),
    requestSize: source.open('requestSize', attributes),
    responseSize: source.open('responseSize', attributes),
    errors: code === undefined ? undefined : source.open('errors', { code }),
  }
  all.push(meters)
  return meters
}

function measureStatements(source: MeterSource): () => void {
  const known = new WeakMap<object, StatementMeters>()
  const summaries = new Set<string>()
  const describeStatement = createStatementDescriber()
  const open = (observed: ObservedStatement): StatementMeters => {
    const described = describeStatement(observed.statement)
    const { operation, summary } = described
    if (summaries.size < maxStatements) summaries.add(summary)
    const other = { ...described, summary: operation, collection: undefined }
    const attributes = describeOperation(observed, summaries.has(summary) ? described : other)
    return {
      duration: source.open('operationDuration', attributes),
      rows: source.open('returnedRows', attributes),
      count: source.open('statements', { operation }),
    }
  }
  const listen = (observed: ObservedStatement) => {
    const { statement, error, duration, rows } = observed
    let meters = error === undefined ? known.get(statement) : undefined
    if (meters === undefined) {
      meters = open(observed)
      if (error === undefined) known.set(statement, meters)
    }
    meters.duration.add(duration / 1000)
    meters.count.add(1)
    if (error === undefined) meters.rows.add(rows)
  }
  statementEnded.subscribe(listen)
  return () => void statementEnded.unsubscribe(listen)
}

function measureQueues(source: MeterSource): () => void {
  const waitOf = memoize((queue: string) => source.open('queueWait', { queue }))
  const rejectedOf = memoize((reason: string) => source.open('rejected', { reason }))
  const groupSize = source.open('groupSize', {})
  const poolOf = memoize((pool: string) =>
    source.open('waitTime', { 'db.client.connection.pool.name': pool }),
  )
  const replays = source.open('replays', {})
  const replay = () => replays.add(1)
  const wait = ({ queue, duration, pool }: Wait) => {
    waitOf(queue).add(duration / 1000)
    if (pool !== undefined) poolOf(pool).add(duration / 1000)
  }
  const commit = ({ size }: Readonly<{ size: number }>) => groupSize.add(size)
  const reject = ({ code }: Readonly<{ code: string }>) => rejectedOf(code).add(1)
  waited.subscribe(wait)
  committed.subscribe(commit)
  rejected.subscribe(reject)
  writeReplayed.subscribe(replay)
  return () => {
    waited.unsubscribe(wait)
    committed.unsubscribe(commit)
    rejected.unsubscribe(reject)
    writeReplayed.unsubscribe(replay)
  }
}
