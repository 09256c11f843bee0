/** What was measured, as JSON, and the sum of several processes. */
export { addSnapshots, keepCounters, type Series, type Snapshot } from './measurements.ts'
/** The names of metrics and of their attributes. */
export type { Attributes, MetricKey } from './metrics.ts'
/** A server of metrics for Prometheus. */
export {
  type MetricsServer,
  type MetricsServerOptions,
  serveMetrics,
} from './metrics-server.ts'
/** Spans and metrics of OpenTelemetry. */
export { observeOpenTelemetry } from './open-telemetry.ts'
/** Metrics for a registry of `prom-client`, or for another process. */
export { addMetrics, type Meters, type MetricRegistry, startMeters } from './prometheus.ts'
/** Slow statements in the log. */
export { logSlowStatements, type SlowStatementOptions } from './slow-statements.ts'
