import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectSocket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { addSnapshots, keepCounters, type Series, serveMetrics } from 'lapidary/telemetry'
import { metricDefinitions, toPrometheusName } from '../../src/telemetry/metrics.ts'
import { engine } from '../engine/engine.ts'
import { library, libraryTables } from '../engine/library.ts'
import { conventionMetrics } from './conventions.ts'

async function start(test: TestContext) {
  const server = await serveMetrics({ port: 0 })
  test.after(() => server.close())
  const scrape = async () => (await fetch(server.url)).text()
  return { ...server, scrape }
}

/** The samples of a page by their names with labels. */
function readSamples(page: string): ReadonlyMap<string, number> {
  const lines = page.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.replace(/ \S+$/, ''), Number(line.split(' ').at(-1))]))
}

engine('Metrics for Prometheus', { model: library, tables: libraryTables }, (api) => {
  it('count requests by method, route and status, and statements by table', async (test) => {
    const { scrape } = await start(test)
    await api.get('/books')
    await api.get('/books')
    await api.get('/books/12345678')
    const samples = readSamples(await scrape())
    const count = (status: number, route: string, code = '') => {
      const [, value] =
        [...samples].find(
          ([name]) =>
            name.startsWith('http_server_request_duration_seconds_count{') &&
            name.includes(`http_route="${route}"`) &&
            name.includes(`http_response_status_code="${status}"`) &&
            name.includes(code),
        ) ?? []
      return value
    }
    assert.equal(count(200, '/books'), 2)
    assert.equal(count(404, '/books/:id'), 1)
    assert.equal(samples.get('lapidary_errors_total{code="not_found"}'), 1)
    assert.ok((samples.get('lapidary_statements_total{operation="SELECT"}') ?? 0) >= 3)
    const operations = [...samples.keys()].filter((name) =>
      name.startsWith('db_client_operation_duration_seconds_count{'),
    )
    assert.ok(operations.some((name) => name.includes('db_collection_name="book"')))
    assert.ok(operations.some((name) => name.includes('db_query_summary="SELECT book"')))
  })

  it('say what open stores count', async (test) => {
    const { scrape } = await start(test)
    await api.get('/books')
    const samples = readSamples(await scrape())
    assert.ok((samples.get('lapidary_statement_cache_entries') ?? 0) > 0)
    assert.ok((samples.get('lapidary_statement_cache_bytes') ?? 0) > 0)
    assert.ok((samples.get('lapidary_statement_cache_misses_total') ?? 0) > 0)
    const name = api.dialect === 'sqlite' ? 'lapidary_queue_depth' : 'db_client_connection_max'
    assert.ok([...samples.keys()].some((each) => each.startsWith(`${name}{`)))
  })

  it('have buckets that add up', async (test) => {
    const { scrape } = await start(test)
    await api.get('/books')
    const samples = readSamples(await scrape())
    for (const [name, value] of samples)
      if (name.includes('le="+Inf"')) {
        const count = name.replace('_bucket', '_count').replace(/,?le="\+Inf",?/, '')
        assert.equal(samples.get(count.replace('{}', '')), value, name)
      }
  })
})

describe('Names of metrics', () => {
  it('are those of the conventions, with their units and buckets', () => {
    const own = Object.values(metricDefinitions).filter(({ name }) => !name.startsWith('lapidary.'))
    assert.deepEqual(own.map(({ name }) => name).sort(), Object.keys(conventionMetrics).sort())
    for (const definition of own) {
      const expected = conventionMetrics[definition.name]
      assert.ok(expected)
      assert.deepEqual(
        [definition.is, definition.unit],
        [expected.is, expected.unit],
        definition.name,
      )
      if (expected.buckets)
        assert.deepEqual('buckets' in definition && definition.buckets, expected.buckets)
    }
  })

  it('are the same for Prometheus, with underscores and units', () => {
    const names = Object.values(metricDefinitions).map((definition) => toPrometheusName(definition))
    for (const name of [
      'http_server_request_duration_seconds',
      'http_server_active_requests',
      'http_server_response_body_size_bytes',
      'db_client_operation_duration_seconds',
      'db_client_connection_count',
      'lapidary_statements_total',
      'lapidary_statement_cache_entries',
      'lapidary_statement_cache_bytes',
      'lapidary_statement_cache_hits_total',
      'lapidary_count_cache_misses_total',
      'lapidary_queue_depth',
      'lapidary_queue_wait_seconds',
      'lapidary_group_commit_size',
      'lapidary_streams_active',
      'lapidary_reader_processes',
      'lapidary_rejected_total',
      'lapidary_idempotency_replays_total',
      'lapidary_event_loop_delay_seconds',
      'lapidary_errors_total',
    ])
      assert.ok(names.includes(name), `${name} is not among ${names.join(' ')}`)
  })
})

describe('The sum of several processes', () => {
  const series = (value: number, buckets?: number[]): Series => ({
    attributes: { code: 'a' },
    value,
    ...(buckets && { buckets }),
  })

  it('adds counters, gauges and buckets, and takes the largest delay', () => {
    const sum = addSnapshots([
      {
        errors: [series(1)],
        activeRequests: [series(2)],
        eventLoopDelay: [series(5)],
        groupSize: [series(3, [1, 0, 0, 0, 0, 0, 0, 1])],
      },
      {
        errors: [series(10)],
        activeRequests: [series(20)],
        eventLoopDelay: [series(4)],
        groupSize: [series(3, [1, 1, 0, 0, 0, 0, 0, 0])],
      },
    ])
    const values = JSON.parse(JSON.stringify(sum))
    assert.equal(values.errors[0].value, 11)
    assert.equal(values.activeRequests[0].value, 22)
    assert.equal(values.eventLoopDelay[0].value, 5)
    assert.deepEqual(values.groupSize[0].buckets, [2, 1, 0, 0, 0, 0, 0, 1])
  })

  it('keeps the counters of a process that has ended, and not its gauges', () => {
    const kept = keepCounters({ errors: [series(1)], activeRequests: [series(2)] })
    assert.deepEqual(Object.keys(kept), ['errors'])
  })
})

describe('The server of metrics', () => {
  it('has one page, which can only be read', async (test) => {
    const { url } = await start(test)
    const origin = new URL(url).origin
    const status = async (path: string, method = 'GET') =>
      (await fetch(origin + path, { method })).status
    assert.equal(await status('/metrics'), 200)
    assert.equal(await status('/metrics?a=1'), 200)
    assert.equal(await status('/'), 404)
    assert.equal(await status('/metrics/1'), 404)
    assert.equal(await status('/metrics', 'POST'), 405)
    assert.equal(await status('/metrics', 'HEAD'), 405)
  })

  it('responds to a client that has closed its sending side', async (test) => {
    const { url } = await start(test)
    const socket = connectSocket(Number(new URL(url).port), '127.0.0.1')
    socket.end('GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    await once(socket, 'close')
    assert.match(text, /^HTTP\/1.1 200/)
    assert.match(text, /http_server_request_duration_seconds/)
  })

  it('closes while a client keeps its connection open, and after a head that never ends', async () => {
    const server = await serveMetrics({ port: 0 })
    const port = Number(new URL(server.url).port)
    const idle = connectSocket(port, '127.0.0.1')
    const slow = connectSocket(port, '127.0.0.1')
    for (const socket of [idle, slow]) socket.on('error', () => {})
    idle.write('GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await once(idle, 'data')
    slow.write('GET /metrics HTTP/1.1\r\nhost: loc')
    await server.close()
    for (const socket of [idle, slow]) socket.destroy()
  })

  it('says in one line that the port is in use', async (test) => {
    const { url } = await start(test)
    await assert.rejects(serveMetrics({ port: Number(new URL(url).port) }), /EADDRINUSE/)
  })
})
