import { monitorEventLoopDelay } from 'node:perf_hooks'
import { measure } from './measure.ts'
import { Measurements, type Series, type Snapshot, takeReadings } from './measurements.ts'
import {
  type MetricDefinition,
  type MetricKey,
  metricDefinitions,
  toPrometheusName,
} from './metrics.ts'

/** A sample of a metric, as `prom-client` formats it. */
interface Sample {
  readonly metricName?: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

/** A metric as a registry of `prom-client` reads it. */
interface CollectedMetric {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly aggregator: string
  readonly values: readonly Sample[]
}

/** What is used of a registry of `prom-client`. Its types are not needed to compile an application without it. */
export interface MetricRegistry {
  registerMetric(metric: never): void
  removeSingleMetric(name: string): void
}

/** Measures this process. */
export interface Meters {
  /** Returns everything that was measured so far. */
  readonly snapshot: () => Snapshot
  readonly stop: () => void
}

/** The quantiles of the delay of the event loop. */
const quantiles = [0.5, 0.9, 0.99, 1]

/** Begins to measure this process. */
export function startMeters(): Meters {
  const measurements = new Measurements()
  const stop = measure(measurements)
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  return {
    snapshot: () => {
      const taken = takeReadings()
      for (const quantile of quantiles) {
        const nanoseconds = delay.percentile(100 * quantile)
        taken.open('eventLoopDelay', { quantile: String(quantile) }).add(nanoseconds / 1e9)
      }
      delay.reset()
      return { ...measurements.snapshot(), ...taken.snapshot() }
    },
    stop: () => {
      stop()
      delay.disable()
    },
  }
}

/**
 * Adds the metrics of the engine to a registry of `prom-client`, beside those of the application: `addMetrics(register)`.
 * @returns removes them and ends the measurement
 */
export function addMetrics(registry: MetricRegistry): () => void {
  const meters = startMeters()
  const remove = registerSnapshots(registry, meters.snapshot)
  return () => {
    remove()
    meters.stop()
  }
}

/** Makes a registry collect snapshots. @returns removes the metrics from it */
export function registerSnapshots(
  registry: MetricRegistry,
  take: () => Snapshot | Promise<Snapshot>,
): () => void {
  // All metrics of one collection have one snapshot.
  let taken: Promise<Snapshot> | undefined
  const takeOnce = () => {
    taken ??= Promise.resolve(take()).finally(() => {
      taken = undefined
    })
    return taken
  }
  const keys = Object.keys(metricDefinitions) as MetricKey[]
  for (const key of keys) {
    const definition: MetricDefinition = metricDefinitions[key]
    const name = toPrometheusName(definition)
    const get = async () => collect(definition, (await takeOnce())[key] ?? [])
    // A registry calls `get` of a metric, whatever its class.
    registry.registerMetric({ name, get } as never)
  }
  return () => {
    for (const key of keys) registry.removeSingleMetric(toPrometheusName(metricDefinitions[key]))
  }
}

function collect(definition: MetricDefinition, all: readonly Series[]): CollectedMetric {
  const name = toPrometheusName(definition)
  const { help, is: type, buckets: bounds, takesLargest } = definition
  const values = all.flatMap((series) =>
    bounds ? toBuckets(name, bounds, series) : [{ labels: toLabels(series), value: series.value }],
  )
  return { name, help, type, aggregator: takesLargest ? 'max' : 'sum', values }
}

/** Labels have underscores where attributes have dots. */
function toLabels({ attributes }: Series): Sample['labels'] {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name.replaceAll('.', '_'), value]),
  )
}

/** The buckets of Prometheus have the values of all buckets below. */
function toBuckets(name: string, bounds: readonly number[], series: Series): Sample[] {
  const labels = toLabels(series)
  let count = 0
  const buckets = [...bounds, '+Inf'].map((le, index) => {
    count += series.buckets?.[index] ?? 0
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: series.value },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
