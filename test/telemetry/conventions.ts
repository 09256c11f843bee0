/** A metric of OpenTelemetry's semantic conventions 1.44. */
interface ConventionMetric {
  readonly is: 'histogram' | 'gauge' | 'counter'
  readonly unit: string
  readonly buckets?: readonly number[]
  readonly attributes: readonly string[]
}

const requestAttributes = ['http.request.method', 'url.scheme', 'http.route']
const endAttributes = [
  ...requestAttributes,
  'http.response.status_code',
  'error.type',
  'network.protocol.version',
]
/** The attributes of a database operation. */
const operationAttributes: readonly string[] = [
  ...['db.system.name', 'db.namespace', 'db.collection.name', 'db.operation.name'],
  ...['db.query.summary', 'db.response.status_code', 'error.type', 'server.address', 'server.port'],
]

/** The attributes of a span of the server; not `url.path` and `client.address`, which are values of the request. */
export const serverSpanAttributes: readonly string[] = endAttributes
/** The attributes of a span of a database client. */
export const clientSpanAttributes: readonly string[] = [
  ...operationAttributes,
  'db.query.text',
  'db.response.returned_rows',
]

/** A copy of the tables of the conventions, as far as they are about an HTTP server and a database client. */
export const conventionMetrics: Readonly<Record<string, ConventionMetric>> = {
  'http.server.request.duration': {
    is: 'histogram',
    unit: 's',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
    attributes: endAttributes,
  },
  'http.server.active_requests': {
    is: 'gauge',
    unit: '{request}',
    attributes: requestAttributes,
  },
  'http.server.request.body.size': { is: 'histogram', unit: 'By', attributes: endAttributes },
  'http.server.response.body.size': { is: 'histogram', unit: 'By', attributes: endAttributes },
  'db.client.operation.duration': {
    is: 'histogram',
    unit: 's',
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
    attributes: operationAttributes,
  },
  'db.client.response.returned_rows': {
    is: 'histogram',
    unit: '{row}',
    attributes: operationAttributes,
  },
  'db.client.connection.count': {
    is: 'gauge',
    unit: '{connection}',
    attributes: ['db.client.connection.pool.name', 'db.client.connection.state'],
  },
  'db.client.connection.max': {
    is: 'gauge',
    unit: '{connection}',
    attributes: ['db.client.connection.pool.name'],
  },
  'db.client.connection.pending_requests': {
    is: 'gauge',
    unit: '{request}',
    attributes: ['db.client.connection.pool.name'],
  },
  'db.client.connection.timeouts': {
    is: 'counter',
    unit: '{timeout}',
    attributes: ['db.client.connection.pool.name'],
  },
  'db.client.connection.wait_time': {
    is: 'histogram',
    unit: 's',
    attributes: ['db.client.connection.pool.name'],
  },
}
