import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  type ContextManager,
  context,
  metrics,
  propagation,
  ROOT_CONTEXT,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { observeOpenTelemetry } from 'lapidary/telemetry'

/** What an SDK has got while work ran. */
interface Exported {
  readonly spans: readonly ReadableSpan[]
  readonly metrics: readonly ResourceMetrics[]
}

/** Runs work with an SDK that keeps spans and metrics in memory, as an application starts one. */
export async function withSdk(work: () => Promise<unknown>): Promise<Exported> {
  const spans = new InMemorySpanExporter()
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 })
  const meters = new MeterProvider({ readers: [reader] })
  context.setGlobalContextManager(new StoredContext())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(tracers)
  metrics.setGlobalMeterProvider(meters)
  const stop = await observeOpenTelemetry()
  try {
    await work()
    await meters.forceFlush()
    return { spans: spans.getFinishedSpans(), metrics: exporter.getMetrics() }
  } finally {
    stop()
    await Promise.all([tracers.shutdown(), meters.shutdown()])
    for (const api of [context, propagation, trace, metrics]) api.disable()
  }
}

/** Keeps the active context as the manager of the SDK for Node.js does. */
class StoredContext implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>()
  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT
  }
  with<Arguments extends unknown[], Result>(
    active: Context,
    work: (...values: Arguments) => Result,
    self?: unknown,
    ...values: Arguments
  ): Result {
    return this.#storage.run(active, () => work.apply(self, values))
  }
  bind<Target>(_active: Context, target: Target): Target {
    return target
  }
  enable(): this {
    return this
  }
  disable(): this {
    this.#storage.disable()
    return this
  }
}
