import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { DataPointType } from '@opentelemetry/sdk-metrics'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { attribute, createApi, defineModel, resource, text } from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'
import { hosts, type RunningHost } from '../adapters/hosts.ts'
import { inMemory } from '../databases.ts'
import { engine } from '../engine/engine.ts'
import { library, libraryTables } from '../engine/library.ts'
import { clientSpanAttributes, conventionMetrics, serverSpanAttributes } from './conventions.ts'
import { withSdk } from './sdk.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const parentId = 'b7ad6b7169203331'

function ofKind(spans: readonly ReadableSpan[], kind: SpanKind): readonly ReadableSpan[] {
  return spans.filter((span) => span.kind === kind)
}

engine('OpenTelemetry', { model: library, tables: libraryTables }, (api) => {
  it('gets a span of each request, and one of each statement in it', async () => {
    const { spans } = await withSdk(() => api.get('/books', { sort: 'title' }))
    const [server, ...others] = ofKind(spans, SpanKind.SERVER)
    assert.ok(server && others.length === 0)
    assert.equal(server.name, 'GET /books')
    assert.equal(server.attributes['http.route'], '/books')
    assert.equal(server.attributes['http.response.status_code'], 200)
    assert.equal(server.status.code, SpanStatusCode.UNSET)
    const statements = ofKind(spans, SpanKind.CLIENT)
    assert.ok(statements.length > 0)
    for (const span of statements) {
      assert.equal(span.parentSpanContext?.spanId, server.spanContext().spanId)
      assert.equal(span.spanContext().traceId, server.spanContext().traceId)
      assert.match(span.name, /^SELECT book/)
      assert.equal(span.attributes['db.collection.name'], 'book')
      assert.match(String(span.attributes['db.query.text']), /^(?:select|with)/)
    }
  })

  it('gets only the attributes of the conventions', async () => {
    const { spans } = await withSdk(async () => {
      await api.get('/books')
      await api.post('/books', { data: { type: 'book', attributes: { title: 'A book' } } })
      await api.get('/books/999999')
    })
    const check = (kind: SpanKind, allowed: readonly string[]) => {
      for (const { attributes } of ofKind(spans, kind))
        for (const name of Object.keys(attributes)) assert.ok(allowed.includes(name), name)
    }
    check(SpanKind.SERVER, serverSpanAttributes)
    check(SpanKind.CLIENT, clientSpanAttributes)
  })

  it('continues the trace of a client, and begins one for a malformed traceparent', async () => {
    const send = (traceparent: string) => api.call('GET', '/books', { headers: { traceparent } })
    const { spans } = await withSdk(async () => {
      await send(`00-${traceId}-${parentId}-01`)
      for (const malformed of [
        '00-zz',
        `00-${'0'.repeat(32)}-${parentId}-01`,
        `ff-${traceId}-${parentId}-01`,
        `00-${traceId}-${parentId}`,
      ])
        assert.equal((await send(malformed)).status, 200)
    })
    const [valid, ...malformed] = ofKind(spans, SpanKind.SERVER)
    assert.equal(valid?.spanContext().traceId, traceId)
    assert.equal(valid.parentSpanContext?.spanId, parentId)
    assert.equal(malformed.length, 4)
    for (const span of malformed) {
      assert.equal(span.parentSpanContext, undefined)
      assert.notEqual(span.spanContext().traceId, traceId)
    }
  })

  it('does not call an error of a client an error of the server', async () => {
    const { spans } = await withSdk(() => api.get('/books/999999'))
    const [server] = ofKind(spans, SpanKind.SERVER)
    assert.equal(server?.attributes['http.response.status_code'], 404)
    assert.equal(server.status.code, SpanStatusCode.UNSET)
    assert.equal(server.attributes['error.type'], undefined)
  })

  it('gets the code of a statement that fails', async () => {
    const { spans } = await withSdk(async () => {
      await api.call('DELETE', '/authors/1')
    })
    const failed = ofKind(spans, SpanKind.CLIENT).filter(
      ({ status }) => status.code === SpanStatusCode.ERROR,
    )
    assert.ok(failed.length > 0)
    for (const { attributes, status } of failed) {
      assert.ok(attributes['error.type'])
      assert.equal(status.message, undefined)
    }
  })

  it('leaves the span of a request to an instrumentation of the host', async () => {
    const { spans } = await withSdk(async () => {
      const tracer = trace.getTracer('host')
      await tracer.startActiveSpan('of the host', async (span) => {
        const store = openSqlite(library, ':memory:')
        await store.migrate([{ version: 1, sql: libraryTables(inMemory.columnTypes) }])
        const { createHandler } = await import('lapidary')
        await createHandler({ model: library, store })(new Request('http://localhost/books'))
        await store.close()
        span.end()
      })
    })
    assert.equal(ofKind(spans, SpanKind.SERVER).length, 0)
    const host = spans.find(({ name }) => name === 'of the host')
    assert.equal(host?.attributes['http.route'], '/books')
    const statements = ofKind(spans, SpanKind.CLIENT)
    assert.ok(
      statements.some(
        ({ parentSpanContext }) => parentSpanContext?.spanId === host?.spanContext().spanId,
      ),
    )
  })

  it('gets the metrics of the conventions, with their units, buckets and attributes', async () => {
    const { metrics } = await withSdk(async () => {
      await api.get('/books')
      await api.post('/books', { data: { type: 'book', attributes: { title: 'A book' } } })
    })
    const found = metrics
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap((each) => each.metrics)
    const names = new Set(found.map(({ descriptor }) => descriptor.name))
    for (const name of [
      'http.server.request.duration',
      'http.server.active_requests',
      'db.client.operation.duration',
    ])
      assert.ok(names.has(name), name)
    for (const { descriptor, dataPoints, dataPointType } of found) {
      const convention = conventionMetrics[descriptor.name]
      if (convention === undefined) {
        assert.match(descriptor.name, /^lapidary\./)
        continue
      }
      assert.equal(descriptor.unit, convention.unit, descriptor.name)
      assert.equal(dataPointType === DataPointType.HISTOGRAM, convention.is === 'histogram')
      for (const { value } of dataPoints)
        if (convention.buckets && typeof value === 'object' && 'buckets' in value)
          assert.deepEqual(value.buckets.boundaries, convention.buckets)
      for (const { attributes } of dataPoints)
        for (const name of Object.keys(attributes))
          assert.ok(convention.attributes.includes(name), `${descriptor.name}: ${name}`)
    }
  })
})

for (const host of hosts) {
  describe(`OpenTelemetry: ${host.name}`, () => {
    const store = openSqlite(library, ':memory:')
    let running: RunningHost
    before(async () => {
      await store.migrate([{ version: 1, sql: libraryTables(inMemory.columnTypes) }])
      running = await host.start({ model: library, store, prefix: '/api' })
    })
    after(async () => {
      await running.close()
      await store.close()
    })

    it('gets spans of requests with unknown methods and paths, whose names are few', async () => {
      const { spans } = await withSdk(async () => {
        for (const [path, method] of [
          ['/books', 'GET'],
          ['/nothing/here', 'GET'],
          ['/books', 'PROPFIND'],
        ] as const)
          await (await fetch(`${running.origin}/api${path}`, { method })).text()
      })
      const names = ofKind(spans, SpanKind.SERVER).map(({ name }) => name)
      assert.deepEqual(names, ['GET /api/books', 'GET', 'HTTP /api/books'])
    })
  })
}

describe('OpenTelemetry in process', () => {
  const note = resource('note', {
    path: '/notes',
    table: 'note',
    fields: { text: attribute(text) },
  })
  const model = defineModel([note])

  it('gets the statements of a call below the span of the application', async () => {
    const store = openSqlite(model, ':memory:')
    await store.migrate([
      { version: 1, sql: 'create table note (id integer primary key, text text)' },
    ])
    const api = createApi({ model, store }).with()
    const { spans } = await withSdk(() =>
      trace.getTracer('application').startActiveSpan('job', async (span) => {
        await api.create('note', { text: 'a note' })
        span.end()
      }),
    )
    await store.close()
    const job = spans.find(({ name }) => name === 'job')
    const insert = spans.find(({ name }) => name === 'INSERT note')
    assert.ok(insert)
    assert.equal(insert.parentSpanContext?.spanId, job?.spanContext().spanId)
  })
})
