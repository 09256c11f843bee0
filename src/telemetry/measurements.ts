import { collectReadings, type ReadingName } from '../observe/readings.ts'
import type { Meter, MeterSource } from './measure.ts'
import {
  type Attributes,
  type MetricDefinition,
  type MetricKey,
  metricDefinitions,
} from './metrics.ts'

/** The values of a metric for one set of attributes. */
export interface Series {
  readonly attributes: Attributes
  /** The sum of what a histogram has recorded; the value of any other metric. */
  value: number
  /** How many values a histogram has in each bucket, and beyond the last; absent for any other metric. */
  readonly buckets?: number[]
}

/** Everything that was measured, as JSON. */
export type Snapshot = Readonly<Partial<Record<MetricKey, readonly Series[]>>>

/** Keeps what is measured in memory. */
export class Measurements implements MeterSource {
  readonly #series = new Map<MetricKey, Map<string, CountedSeries>>()

  /** Two statements or routes may have the same attributes, and then the same series. */
  open(key: MetricKey, attributes: Attributes): CountedSeries {
    const all = this.#series.get(key) ?? new Map<string, CountedSeries>()
    this.#series.set(key, all)
    const text = JSON.stringify(attributes)
    const series = all.get(text) ?? new CountedSeries(key, attributes)
    all.set(text, series)
    return series
  }

  /** Adds what was measured elsewhere. */
  addAll(snapshot: Snapshot): void {
    for (const [key, all] of entriesOf(snapshot))
      for (const series of all) this.open(key, series.attributes).merge(series)
  }

  /** Returns what was measured so far. */
  snapshot(): Snapshot {
    return Object.fromEntries([...this.#series].map(([key, all]) => [key, [...all.values()]]))
  }
}

/** A series to which values are added. */
class CountedSeries implements Meter, Series {
  readonly attributes: Attributes
  value = 0
  readonly buckets?: number[]
  readonly #definition: MetricDefinition

  constructor(key: MetricKey, attributes: Attributes) {
    this.attributes = attributes
    this.#definition = metricDefinitions[key]
    const { buckets } = this.#definition
    if (buckets) this.buckets = new Array<number>(buckets.length + 1).fill(0)
  }

  add(value: number): void {
    this.value += value
    const { buckets } = this
    const bounds = this.#definition.buckets
    if (buckets === undefined || bounds === undefined) return
    let index = 0
    // The bounds of a histogram are few, and most values are below the first ones.
    while (index < bounds.length && value > (bounds[index] ?? 0)) index += 1
    buckets[index] = (buckets[index] ?? 0) + 1
  }

  /** Adds a series of another process. */
  merge({ value, buckets = [] }: Series): void {
    this.value = this.#definition.takesLargest ? Math.max(this.value, value) : this.value + value
    for (const [index, count] of buckets.entries())
      if (this.buckets) this.buckets[index] = (this.buckets[index] ?? 0) + count
  }
}

/** The members of a snapshot. */
function entriesOf(snapshot: Snapshot): readonly [MetricKey, readonly Series[]][] {
  // `Object.entries` returns the keys as strings.
  return Object.entries(snapshot) as [MetricKey, readonly Series[]][]
}

/** The metric of each reading. */
export const readingMetrics: Readonly<Record<ReadingName, MetricKey>> = {
  connections: 'connectionCount',
  'connections max': 'connectionMax',
  'connection timeouts': 'connectionTimeouts',
  'pending connections': 'pendingRequests',
  'queue depth': 'queueDepth',
  'statement cache entries': 'statementEntries',
  'statement cache bytes': 'statementBytes',
  'statement cache hits': 'statementHits',
  'statement cache misses': 'statementMisses',
  'count cache hits': 'countHits',
  'count cache misses': 'countMisses',
  'reader processes': 'readerProcesses',
}

/** Asks everything that is open what it counts; several stores are added up. */
export function takeReadings(): Measurements {
  const readings = new Measurements()
  for (const { name, value, labels = {} } of collectReadings())
    readings.open(readingMetrics[name], labels).add(value)
  return readings
}

/** Adds up what several processes have measured. */
export function addSnapshots(snapshots: readonly Snapshot[]): Snapshot {
  const sum = new Measurements()
  for (const snapshot of snapshots) sum.addAll(snapshot)
  return sum.snapshot()
}

/** Returns what is left of a process that has ended: its counters and histograms, which must not decrease. */
export function keepCounters(snapshot: Snapshot): Snapshot {
  const kept = entriesOf(snapshot).filter(([key]) => metricDefinitions[key].is !== 'gauge')
  return Object.fromEntries(kept)
}
