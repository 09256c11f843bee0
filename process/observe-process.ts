import cluster from 'node:cluster'
import type { Snapshot } from 'lapidary/telemetry'
import { describeListenError } from './describe-listen-error.ts'
import type { ServerSettings } from './server-settings.ts'

type Telemetry = typeof import('lapidary/telemetry')

const metricsAddress = {
  port: '--metrics-port or METRICS_PORT',
  host: '--metrics-host or METRICS_HOST',
}

/** Ends the observation of a process. */
type Stop = () => Promise<void>

/** Where an SDK of OpenTelemetry registers itself, so that the package of its API is loaded only if there is one. */
const openTelemetry = Symbol.for('opentelemetry.js.api.1')

/**
 * Observes the requests and statements of this process, as far as the settings or an SDK of OpenTelemetry ask for it. Otherwise it
 * loads nothing.
 * @param log - the logger of the server
 * @throws Error with a message of one line when the port of the metrics is in use, or the package `prom-client` is missing
 */
export async function observeProcess(
  settings: ServerSettings,
  log: Parameters<Telemetry['logSlowStatements']>[0]['log'],
): Promise<Stop> {
  const { slowStatement, metricsPort } = settings
  const isTraced = Reflect.has(globalThis, openTelemetry)
  if (slowStatement === undefined && metricsPort === undefined && !isTraced) return async () => {}
  const telemetry = await import('lapidary/telemetry')
  const stops: (() => unknown)[] = []
  if (isTraced) stops.push(await telemetry.observeOpenTelemetry())
  if (slowStatement !== undefined)
    stops.push(telemetry.logSlowStatements({ log, threshold: slowStatement }))
  if (metricsPort !== undefined) stops.push(await measureProcess(telemetry, settings))
  return async () => {
    for (const stop of stops) await stop()
  }
}

/** A worker answers its supervisor, which serves the metrics of all. */
async function measureProcess(
  telemetry: Telemetry,
  settings: ServerSettings,
): Promise<() => unknown> {
  if (!cluster.isWorker) return (await startMetricsServer(settings))?.close ?? (() => {})
  const { answerMetrics } = await import('./worker-metrics.ts')
  const meters = telemetry.startMeters()
  answerMetrics(meters.snapshot)
  return meters.stop
}

/**
 * Serves the metrics on the port of the settings; `undefined` without one.
 * @param collect - returns the sum of several processes. Default: this process
 */
async function startMetricsServer(
  { metricsPort: port, metricsHost: host }: ServerSettings,
  collect?: () => Promise<Snapshot>,
): Promise<Readonly<{ url: string; close: Stop }> | undefined> {
  if (port === undefined) return undefined
  const { serveMetrics } = await import('lapidary/telemetry')
  try {
    const server = await serveMetrics({ port, host, ...(collect && { collect }) })
    return { url: server.url, close: () => server.close() }
  } catch (error) {
    throw describeListenError(error, { host, port, settings: metricsAddress })
  }
}

/** Serves the sum of the metrics of all workers, in their supervisor. */
export async function serveWorkerMetrics(
  settings: ServerSettings,
): Promise<Readonly<{ close: Stop }> | undefined> {
  if (settings.metricsPort === undefined) return undefined
  const { WorkerMetrics } = await import('./worker-metrics.ts')
  const workers = new WorkerMetrics()
  return startMetricsServer(settings, () => workers.collect())
}
