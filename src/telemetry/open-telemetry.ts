import type {
  Context,
  ObservableResult,
  Attributes as OtelAttributes,
  Meter as OtelMeter,
  Span,
  Tracer,
} from '@opentelemetry/api'
import {
  type MeasuredPart,
  type ObservedRequest,
  type ObservedStatement,
  partMeasured,
  requestEnded,
  requestStarted,
  statementEnded,
} from '../observe/events.ts'
import { collectReadings } from '../observe/readings.ts'
import { describeEnd, describeOperation, describeStart, toMethod } from './attributes.ts'
import { createStatementDescriber } from './describe-statement.ts'
import { type Meter, type MeterSource, measure } from './measure.ts'
import { readingMetrics } from './measurements.ts'
import {
  type Attributes,
  type MetricDefinition,
  type MetricKey,
  metricDefinitions,
} from './metrics.ts'

type Api = typeof import('@opentelemetry/api')

/** The name of our tracer and meter. */
const scope = 'lapidary'
/** Parts of a request that took less have no span, in milliseconds. */
const shortestSpan = 1

/**
 * Sends spans and metrics of every request and statement of this process to the SDK of OpenTelemetry that the application has started.
 * Call it after that. It does nothing without the package `@opentelemetry/api`, and without an SDK.
 * @returns ends it
 */
export async function observeOpenTelemetry(): Promise<() => void> {
  const api = await loadApi()
  if (api === undefined) return () => {}
  const ends = [
    ...(hasTracer(api) ? [trace(api)] : []),
    ...(hasMeter(api) ? [measureTo(api.metrics.getMeter(scope))] : []),
  ]
  return () => {
    for (const end of ends) end()
  }
}

async function loadApi(): Promise<Api | undefined> {
  try {
    return await import('@opentelemetry/api')
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ERR_MODULE_NOT_FOUND')
      return undefined
    throw error
  }
}

/** Without an SDK the API has a tracer that does nothing, and listening would cost something. */
function hasTracer({ trace: traces, ProxyTracerProvider }: Api): boolean {
  const provider = traces.getTracerProvider()
  return (
    !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(scope) !== undefined
  )
}

function hasMeter({ metrics, createNoopMeter }: Api): boolean {
  return metrics.getMeter(scope) !== createNoopMeter()
}

function trace(api: Api): () => void {
  const spans = new Spans(api)
  requestStarted.subscribe(spans.start)
  requestEnded.subscribe(spans.end)
  statementEnded.subscribe(spans.addStatement)
  partMeasured.subscribe(spans.addPart)
  return () => {
    requestStarted.unsubscribe(spans.start)
    requestEnded.unsubscribe(spans.end)
    statementEnded.unsubscribe(spans.addStatement)
    partMeasured.unsubscribe(spans.addPart)
  }
}

/** Makes spans of events. */
class Spans {
  readonly #api: Api
  readonly #tracer: Tracer
  readonly #describe = createStatementDescriber()
  readonly #contexts = new WeakMap<ObservedRequest, Context>()
  readonly #spans = new WeakMap<ObservedRequest, Span>()

  constructor(api: Api) {
    this.#api = api
    this.#tracer = api.trace.getTracer(scope)
  }

  /** Begins the span of a request, unless an instrumentation of the host has one, such as `@fastify/otel`: that gets the route. */
  readonly start = (request: ObservedRequest): void => {
    const { trace: traces, context: contexts, SpanKind } = this.#api
    const active = contexts.active()
    const host = traces.getSpan(active)
    if (host) {
      if (request.route) host.setAttribute('http.route', request.route.path)
      return
    }
    const attributes = describeStart(request)
    const method = toMethod(request.method)
    const name = `${method === '_OTHER' ? 'HTTP' : method} ${request.route?.path ?? ''}`.trimEnd()
    const options = { kind: SpanKind.SERVER, startTime: request.startedAt, attributes }
    const span = this.#tracer.startSpan(name, options, this.#extract(request, active))
    const inner = traces.setSpan(active, span)
    this.#spans.set(request, span)
    this.#contexts.set(request, inner)
    request.enter = (work) => contexts.with(inner, work)
  }

  /** The trace of the client; a new one if its header field is malformed. */
  #extract({ header }: ObservedRequest, active: Context): Context {
    const { propagation } = this.#api
    return propagation.extract(active, header, {
      get: (read, name) => read(name.toLowerCase()),
      keys: () => propagation.fields(),
    })
  }

  readonly end = (request: ObservedRequest): void => {
    const span = this.#spans.get(request)
    if (span === undefined) return
    span.setAttributes(describeEnd(request))
    if (request.status >= 500) span.setStatus({ code: this.#api.SpanStatusCode.ERROR })
    span.end(request.startedAt + request.duration)
  }

  readonly addStatement = (observed: ObservedStatement): void => {
    const { statement, startedAt, duration, error, request, rows } = observed
    const described = this.#describe(statement)
    const attributes = {
      ...describeOperation(observed, described),
      'db.query.text': described.text,
      ...(error === undefined && { 'db.response.returned_rows': rows }),
    }
    const options = { kind: this.#api.SpanKind.CLIENT, startTime: startedAt, attributes }
    const span = this.#tracer.startSpan(described.summary, options, this.#parentOf(request))
    if (error !== undefined) span.setStatus({ code: this.#api.SpanStatusCode.ERROR })
    span.end(startedAt + duration)
  }

  readonly addPart = ({ part, request, startedAt, duration }: MeasuredPart): void => {
    if (duration < shortestSpan || part === 'db') return
    const span = this.#tracer.startSpan(
      `lapidary.${part}`,
      { startTime: startedAt },
      this.#parentOf(request),
    )
    span.end(startedAt + duration)
  }

  /** The span of a hook or of a call in process that is active; else that of the request. */
  #parentOf(request: ObservedRequest | undefined): Context {
    const { trace: traces, context: contexts } = this.#api
    const active = contexts.active()
    const own = request && this.#contexts.get(request)
    return own !== undefined && traces.getSpan(active) === undefined ? own : active
  }
}

/** The instruments of OpenTelemetry. */
class Instruments implements MeterSource {
  readonly #meter: OtelMeter
  readonly #instruments = new Map<MetricKey, (value: number, attributes: OtelAttributes) => void>()

  constructor(meter: OtelMeter) {
    this.#meter = meter
  }

  open(key: MetricKey, attributes: Attributes): Meter {
    const record = this.#instruments.get(key) ?? this.#create(metricDefinitions[key])
    this.#instruments.set(key, record)
    return { add: (value) => record(value, attributes) }
  }

  #create({ name, is, unit, help, buckets = [] }: MetricDefinition) {
    const options = { unit, description: help }
    if (is === 'histogram') {
      const advice = { explicitBucketBoundaries: [...buckets] }
      const histogram = this.#meter.createHistogram(name, { ...options, advice })
      return (value: number, attributes: OtelAttributes) => histogram.record(value, attributes)
    }
    const counter =
      is === 'counter'
        ? this.#meter.createCounter(name, options)
        : this.#meter.createUpDownCounter(name, options)
    return (value: number, attributes: OtelAttributes) => counter.add(value, attributes)
  }
}

function measureTo(meter: OtelMeter): () => void {
  const end = measure(new Instruments(meter))
  const ends = Object.entries(readingMetrics).map(([reading, key]) => {
    const { name, is, unit, help } = metricDefinitions[key]
    const options = { unit, description: help }
    const observe = (result: ObservableResult) => {
      for (const each of collectReadings())
        if (each.name === reading) result.observe(each.value, each.labels)
    }
    const instrument =
      is === 'counter'
        ? meter.createObservableCounter(name, options)
        : meter.createObservableUpDownCounter(name, options)
    instrument.addCallback(observe)
    return () => instrument.removeCallback(observe)
  })
  return () => {
    for (const each of [end, ...ends]) each()
  }
}
