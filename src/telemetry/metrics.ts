/** A metric: what OpenTelemetry's conventions and the page of Prometheus call it. */
export interface MetricDefinition {
  /** As OpenTelemetry names it, e.g. `http.server.request.duration`. */
  readonly name: string
  readonly is: 'histogram' | 'counter' | 'gauge'
  readonly unit: string
  readonly help: string
  /** The upper bounds of a histogram. */
  readonly buckets?: readonly number[]
  /** Whether Prometheus takes the largest of several processes instead of their sum. */
  readonly takesLargest?: boolean
}

const httpDurations = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const databaseDurations = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]
const rowCounts = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]
const sizes = [100, 1000, 10_000, 100_000, 1_000_000, 10_000_000]
const groupSizes = [1, 2, 5, 10, 20, 50, 100]

// biome-ignore format: a table, one metric a row
/** Every metric. Those without `lapidary.` are OpenTelemetry's (semantic conventions 1.44); a test compares them with its tables. */
export const metricDefinitions = {
  requestDuration:     { name: 'http.server.request.duration',           is: 'histogram', unit: 's',             help: 'Duration of HTTP server requests.', buckets: httpDurations },
  activeRequests:      { name: 'http.server.active_requests',            is: 'gauge',     unit: '{request}',     help: 'Number of active HTTP server requests.' },
  requestSize:         { name: 'http.server.request.body.size',          is: 'histogram', unit: 'By',            help: 'Size of HTTP server request bodies.', buckets: sizes },
  responseSize:        { name: 'http.server.response.body.size',         is: 'histogram', unit: 'By',            help: 'Size of HTTP server response bodies.', buckets: sizes },
  operationDuration:   { name: 'db.client.operation.duration',           is: 'histogram', unit: 's',             help: 'Duration of database client operations.', buckets: databaseDurations },
  returnedRows:        { name: 'db.client.response.returned_rows',       is: 'histogram', unit: '{row}',         help: 'The actual number of records returned by the database operation.', buckets: rowCounts },
  connectionCount:     { name: 'db.client.connection.count',             is: 'gauge',     unit: '{connection}',  help: 'The number of connections that are currently in state described by the state attribute.' },
  connectionMax:       { name: 'db.client.connection.max',               is: 'gauge',     unit: '{connection}',  help: 'The maximum number of open connections allowed.' },
  pendingRequests:     { name: 'db.client.connection.pending_requests',  is: 'gauge',     unit: '{request}',     help: 'The number of current pending requests for an open connection.' },
  connectionTimeouts:  { name: 'db.client.connection.timeouts',          is: 'counter',   unit: '{timeout}',     help: 'The number of connection timeouts that have occurred trying to obtain a connection from the pool.' },
  waitTime:            { name: 'db.client.connection.wait_time',         is: 'histogram', unit: 's',             help: 'The time it took to obtain an open connection from the pool.', buckets: databaseDurations },
  statements:          { name: 'lapidary.statements',                    is: 'counter',   unit: '{statement}',   help: 'Statements that have ended, by operation.' },
  statementEntries:    { name: 'lapidary.statement_cache.entries',       is: 'gauge',     unit: '{statement}',   help: 'Query shapes whose compiled statements are cached.' },
  statementBytes:      { name: 'lapidary.statement_cache.bytes',         is: 'gauge',     unit: 'By',            help: 'Estimated memory of the compiled statements that are cached.' },
  statementHits:       { name: 'lapidary.statement_cache.hits',          is: 'counter',   unit: '{lookup}',      help: 'Lookups of compiled statements that were cached.' },
  statementMisses:     { name: 'lapidary.statement_cache.misses',        is: 'counter',   unit: '{lookup}',      help: 'Lookups of compiled statements that were compiled.' },
  countHits:           { name: 'lapidary.count_cache.hits',              is: 'counter',   unit: '{lookup}',      help: 'Counts of resources that were cached.' },
  countMisses:         { name: 'lapidary.count_cache.misses',            is: 'counter',   unit: '{lookup}',      help: 'Counts of resources that the database counted.' },
  queueDepth:          { name: 'lapidary.queue.depth',                   is: 'gauge',     unit: '{request}',     help: 'Reads and writes that wait, by queue.' },
  queueWait:           { name: 'lapidary.queue.wait',                    is: 'histogram', unit: 's',             help: 'How long reads and writes have waited, by queue.', buckets: databaseDurations },
  groupSize:           { name: 'lapidary.group_commit.size',             is: 'histogram', unit: '{transaction}', help: 'Writes that were committed together.', buckets: groupSizes },
  activeStreams:       { name: 'lapidary.streams.active',                is: 'gauge',     unit: '{stream}',      help: 'Responses that are streamed now.' },
  readerProcesses:     { name: 'lapidary.reader.processes',              is: 'gauge',     unit: '{process}',     help: 'Processes for expensive reads.' },
  rejected:            { name: 'lapidary.rejected',                      is: 'counter',   unit: '{request}',     help: 'Requests that were rejected before a route was found, by the code of the error.' },
  replays:             { name: 'lapidary.idempotency.replays',           is: 'counter',   unit: '{request}',     help: 'Writes with a key that got the response of the first request with it.' },
  eventLoopDelay:      { name: 'lapidary.event_loop.delay',              is: 'gauge',     unit: 's',             help: 'Delay of the event loop since the last collection, by quantile.', takesLargest: true },
  errors:              { name: 'lapidary.errors',                        is: 'counter',   unit: '{error}',       help: 'Error responses, by code.' },
} as const satisfies Record<string, MetricDefinition>

/** The key of a metric in `metricDefinitions`. */
export type MetricKey = keyof typeof metricDefinitions

/** The attributes of a series by the names of OpenTelemetry. They have names of declarations, codes and numbers only. */
export type Attributes = Readonly<Record<string, string | number>>

const prometheusUnits: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes' }

/** Returns the name of a metric for Prometheus: underscores, the unit, and `_total` for a counter. */
export function toPrometheusName({ name, unit, is }: MetricDefinition): string {
  const base = name.replaceAll('.', '_')
  const suffix = prometheusUnits[unit] ?? ''
  const withUnit = base.endsWith(suffix) ? base : base + suffix
  return is === 'counter' ? `${withUnit}_total` : withUnit
}
