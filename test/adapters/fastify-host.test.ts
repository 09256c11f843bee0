import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { request as requestHttps } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import fastifyCompress from '@fastify/compress'
import fastifyCookie from '@fastify/cookie'
import fastifyCors from '@fastify/cors'
import fastifyHelmet from '@fastify/helmet'
import { FastifyOtelInstrumentation } from '@fastify/otel'
import fastifyRateLimit from '@fastify/rate-limit'
import fastifySwagger from '@fastify/swagger'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import fastify, { type FastifyInstance } from 'fastify'
import fastifyMetrics from 'fastify-metrics'
import { RequestError } from 'lapidary'
import { createServer, type JsonApiOptions, jsonApi } from 'lapidary/fastify'
import { openSqlite } from 'lapidary/sqlite'
import { mediaType } from '../client.ts'
import { inMemory } from '../databases.ts'
import { library, libraryTables } from '../engine/library.ts'
import { logOf } from '../log.ts'
import { until } from '../service/processes.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const store = openSqlite(library, ':memory:')
before(async () => {
  await store.migrate([{ version: 1, sql: libraryTables(inMemory.columnTypes) }])
})
after(() => store.close())
const options: JsonApiOptions = { model: library, store }

/** Adds plugins to an application before the engine. */
type Register = (app: FastifyInstance) => unknown

/** Both ways to combine the engine with plugins of Fastify: in an application, and on the server of the engine. */
const applications: readonly (readonly [
  name: string,
  create: (register: Register, more?: Partial<JsonApiOptions>) => Promise<FastifyInstance>,
])[] = [
  [
    'an application with the plugin',
    async (register, more) => {
      const app = fastify()
      await register(app)
      app.register(jsonApi, { ...options, prefix: '/api', ...more })
      return app
    },
  ],
  [
    'createServer',
    async (register, more) => {
      const app = createServer({ ...options, prefix: '/api', logLevel: 'silent', ...more })
      await register(app)
      return app
    },
  ],
]

/** The effect of each plugin on the routes of the engine, as the table in `docs/mounting.md` has it. */
for (const [name, create] of applications) {
  describe(`Plugins of Fastify in ${name}`, () => {
    it('@fastify/rate-limit counts requests and rejects with 429 in a JSON:API document', async (test) => {
      const app = await create((host) => host.register(fastifyRateLimit, { max: 2 }))
      test.after(() => app.close())
      const statuses: number[] = []
      for (let each = 0; each < 3; each += 1)
        statuses.push((await app.inject('/api/authors')).statusCode)
      assert.deepEqual(statuses, [200, 200, 429])
      const rejected = await app.inject('/api/books')
      assert.equal(rejected.headers['content-type'], mediaType)
      assert.equal(rejected.headers['x-ratelimit-limit'], '2')
      const { errors } = rejected.json()
      assert.deepEqual([errors[0].status, errors[0].title], ['429', 'Too Many Requests'])
      assert.match(errors[0].detail, /^Rate limit exceeded/)
    })

    it('@fastify/rate-limit counts requests that are not authenticated', async (test) => {
      const authenticate = () => {
        throw new RequestError({ status: 401, detail: 'Who are you?' })
      }
      const app = await create((host) => host.register(fastifyRateLimit, { max: 2 }), {
        authenticate,
      })
      test.after(() => app.close())
      const statuses: number[] = []
      for (let each = 0; each < 3; each += 1)
        statuses.push((await app.inject('/api/authors')).statusCode)
      assert.deepEqual(statuses, [401, 401, 429])
    })

    it('a method that the router does not know is a 405 at a path of the model, and a 404 at another', async (test) => {
      const app = await create(() => {})
      test.after(() => app.close())
      const origin = await app.listen({ host: '127.0.0.1', port: 0 })
      const rejected = await fetch(`${origin}/api/authors/1`, { method: 'PROPFIND' })
      assert.equal(rejected.status, 405)
      assert.equal(rejected.headers.get('allow'), 'GET, PATCH, DELETE, HEAD, OPTIONS')
      const { errors } = Object(await rejected.json())
      assert.equal(errors[0].code, 'method_not_allowed')
      assert.equal((await fetch(`${origin}/api/nowhere`, { method: 'PROPFIND' })).status, 404)
    })

    for (const method of ['PUT', 'TRACE', 'OPTIONS', 'HEAD', 'PATCH'] as const)
      it(`${method} of a path that no resource has is a 404`, async (test) => {
        const app = await create(() => {})
        test.after(() => app.close())
        for (const path of [
          'nothing',
          'relationships%2Fbooks',
          'books/',
          'relationships/books/1',
        ]) {
          const { statusCode, body } = await app.inject({ method, url: `/api/authors/1/${path}` })
          assert.equal(statusCode, 404, path)
          if (method !== 'HEAD') assert.equal(JSON.parse(body).errors[0].code, 'route_not_found')
        }
      })

    it('answers OPTIONS, HEAD and 405 of the relationships of a resource by their own methods', async (test) => {
      const app = await create(() => {})
      test.after(() => app.close())
      const send = (method: 'OPTIONS' | 'HEAD' | 'PUT', path: string) =>
        app.inject({ method, url: `/api/authors/1/${path}` })
      const related = await send('OPTIONS', 'books')
      assert.deepEqual(
        [related.statusCode, related.headers.allow],
        [204, 'GET, POST, HEAD, QUERY, OPTIONS'],
      )
      const linkage = await send('PUT', '%72elationships/books')
      const allowed = 'GET, PATCH, POST, DELETE, HEAD, QUERY, OPTIONS'
      assert.deepEqual([linkage.statusCode, linkage.headers.allow], [405, allowed])
      const head = await send('HEAD', 'books')
      const { headers } = await app.inject('/api/authors/1/books')
      assert.deepEqual([head.statusCode, head.body], [200, ''])
      assert.equal(head.headers['content-type'], headers['content-type'])
    })

    it('each path has one route for all methods without a handler: the start grows with the square of their number', async (test) => {
      const found: string[] = []
      const app = await create((host) => {
        host.addHook('onRoute', ({ url, method }) => void found.push(`${url} ${method}`))
      })
      test.after(() => app.close())
      await app.ready()
      const routes = found.filter((each) => each.startsWith('/api/authors '))
      assert.deepEqual(routes.slice(0, 2), ['/api/authors GET', '/api/authors POST'])
      assert.match(String(routes[2]), /HEAD.*OPTIONS/)
      assert.equal(routes.length, 3)
    })

    it('@fastify/compress compresses documents', async (test) => {
      const app = await create((host) => host.register(fastifyCompress, { threshold: 100 }))
      test.after(() => app.close())
      const headers = { 'accept-encoding': 'gzip' }
      const { rawPayload, headers: fields } = await app.inject({ url: '/api/authors', headers })
      assert.equal(fields['content-encoding'], 'gzip')
      assert.match(String(fields.vary), /accept-encoding/i)
      assert.match(String(fields.vary), /\baccept\b(?!-)/i)
      assert.equal(JSON.parse(gunzipSync(rawPayload).toString()).data.length, 3)
    })

    it('@fastify/swagger describes the routes, without those that only reject', async (test) => {
      const app = await create((host) => host.register(fastifySwagger, { openapi: {} }))
      test.after(() => app.close())
      await app.ready()
      const { paths = {} } = app.swagger() as { paths?: Record<string, object> }
      assert.deepEqual(Object.keys(paths['/api/authors'] ?? {}), ['get', 'post'])
      assert.deepEqual(Object.keys(paths['/api/authors/{id}'] ?? {}), ['get', 'patch', 'delete'])
    })

    it('fastify-metrics measures each route', async (test) => {
      const app = await create((host) =>
        host.register(fastifyMetrics.default, { endpoint: '/metrics', clearRegisterOnInit: true }),
      )
      test.after(() => app.close())
      await app.inject('/api/authors/1')
      const { body } = await app.inject('/metrics')
      assert.match(body, /http_request_duration_seconds_count\{[^}]*route="\/api\/authors\/:id"/)
    })

    it('@fastify/cors answers preflight requests and marks responses', async (test) => {
      const app = await create((host) =>
        host.register(fastifyCors, {
          origin: ['https://app.example.org', 'https://b.example.org'],
        }),
      )
      test.after(() => app.close())
      const origin = 'https://app.example.org'
      const preflight = await app.inject({
        method: 'OPTIONS',
        url: '/api/authors/1',
        headers: { origin, 'access-control-request-method': 'PATCH' },
      })
      assert.equal(preflight.statusCode, 204)
      assert.equal(preflight.headers['access-control-allow-origin'], origin)
      const { headers } = await app.inject({ url: '/api/authors', headers: { origin } })
      assert.equal(headers['access-control-allow-origin'], origin)
      assert.match(String(headers.vary), /Origin/)
      assert.match(String(headers.vary), /Accept/)
    })

    it('@fastify/helmet adds its header fields', async (test) => {
      const app = await create((host) => host.register(fastifyHelmet))
      test.after(() => app.close())
      const { headers } = await app.inject('/api/authors')
      assert.match(String(headers['content-security-policy']), /default-src 'self'/)
      assert.equal(headers['x-content-type-options'], 'nosniff')
    })

    it('@fastify/otel traces requests by route', async (test) => {
      const exporter = new InMemorySpanExporter()
      const provider = new BasicTracerProvider({
        spanProcessors: [new SimpleSpanProcessor(exporter)],
      })
      const instrumentation = new FastifyOtelInstrumentation()
      instrumentation.setTracerProvider(provider)
      const app = await create((host) => host.register(instrumentation.plugin()))
      test.after(() => app.close())
      await app.inject('/api/authors/1')
      const spans = exporter.getFinishedSpans().map(({ attributes }) => attributes['http.route'])
      assert.ok(spans.includes('/api/authors/:id'), JSON.stringify(spans))
    })
  })
}

describe('A Fastify application with the plugin', () => {
  const app = fastify()
  before(async () => {
    app.register(fastifyCookie)
    app.register(jsonApi, {
      ...options,
      prefix: '/api',
      authenticate: ({ cookies }) => cookies.session,
    })
    // A second mount, with the same model, at another prefix and with another limit.
    app.register(jsonApi, { ...options, prefix: '/v2/api', maxBody: 10 })
    app.post(
      '/echo',
      { schema: { body: { type: 'object', required: ['a'] } } },
      async (request) => ({
        query: request.query,
        body: request.body,
      }),
    )
    app.get('/teapot', async () => {
      throw Object.assign(new Error('short and stout'), { statusCode: 418 })
    })
    await app.ready()
  })
  after(() => app.close())

  it('keeps its query strings, parsers and validation', async () => {
    const payload = { a: 1 }
    const { statusCode, body } = await app.inject({ method: 'POST', url: '/echo?b=2&b=3', payload })
    assert.deepEqual(
      [statusCode, JSON.parse(body)],
      [200, { query: { b: ['2', '3'] }, body: payload }],
    )
    const invalid = await app.inject({ method: 'POST', url: '/echo', payload: {} })
    assert.deepEqual([invalid.statusCode, invalid.json().code], [400, 'FST_ERR_VALIDATION'])
  })

  it('keeps its error handler and its responses to unknown paths', async () => {
    const { statusCode, body } = await app.inject('/teapot')
    const error = { statusCode: 418, error: "I'm a Teapot", message: 'short and stout' }
    assert.deepEqual([statusCode, JSON.parse(body)], [418, error])
    const unknown = await app.inject('/nowhere')
    assert.deepEqual([unknown.statusCode, unknown.json().error], [404, 'Not Found'])
    assert.equal((await app.inject('/api/nowhere')).json().errors[0].code, 'route_not_found')
    assert.equal((await app.inject('/v2/api/nowhere')).json().errors[0].code, 'route_not_found')
  })

  it('learns that a plugin around the mount has a prefix with a parameter, which no link could have', async () => {
    const host = fastify().register(async (tenant) => tenant.register(jsonApi, options), {
      prefix: '/:tenant',
    })
    await assert.rejects(
      async () => host.ready(),
      /^DeclarationError: jsonApi\.prefix: .* "\/:tenant"$/,
    )
    await host.close()
  })

  it('serves two mounts with links and limits of their own', async () => {
    for (const prefix of ['/api', '/v2/api']) {
      const { links } = (await app.inject(`${prefix}/authors/1`)).json().data
      assert.equal(links.self, `${prefix}/authors/1`)
    }
    const post = (prefix: string) =>
      app.inject({
        method: 'POST',
        url: `${prefix}/books`,
        headers: { 'content-type': mediaType },
        payload: '{"data":{"type":"book"}}',
      })
    assert.equal((await post('/api')).statusCode, 201)
    assert.equal((await post('/v2/api')).statusCode, 413)
  })
})

describe('Errors of plugins and hooks on the routes of the engine', () => {
  const cases = [
    [
      Object.assign(new Error('Pay first.'), { statusCode: 402 }),
      402,
      'Payment Required',
      'Pay first.',
    ],
    [Object.assign(new Error('Gone.'), { status: 410 }), 410, 'Gone', 'Gone.'],
    [
      Object.assign(new Error('secret'), { statusCode: 503 }),
      503,
      'The server is overloaded',
      /again/,
    ],
    [
      Object.assign(new Error('secret'), { statusCode: 502 }),
      500,
      'The server failed to process the request',
      /log/,
    ],
    [new Error('secret'), 500, 'The server failed to process the request', /log/],
  ] as const
  for (const [error, status, title, detail] of cases)
    it(`report ${error.message} as ${status}`, async (test) => {
      const app = fastify()
      app.addHook('onRequest', async () => {
        throw error
      })
      app.register(jsonApi, { ...options, prefix: '/api' })
      test.after(() => app.close())
      const response = await app.inject('/api/authors')
      assert.equal(response.statusCode, status)
      assert.equal(response.headers['content-type'], mediaType)
      const [first] = response.json().errors
      assert.deepEqual([first.status, first.title], [String(status), title])
      if (typeof detail === 'string') assert.equal(first.detail, detail)
      else assert.match(first.detail, detail)
      assert.ok(!response.body.includes('secret'))
    })
})

describe('createServer', () => {
  it('leaves bodies, queries and errors of own routes as Fastify has them', async (test) => {
    const app = createServer({ ...options, logLevel: 'silent' })
    test.after(() => app.close())
    app.post('/echo', async ({ query, body }) => ({ query, body }))
    app.get('/teapot', async () => {
      throw Object.assign(new Error('short and stout'), { statusCode: 418 })
    })
    const echo = await app.inject({ method: 'POST', url: '/echo?b=2', payload: { a: 1 } })
    assert.deepEqual(echo.json(), { query: { b: '2' }, body: { a: 1 } })
    const { errors } = (await app.inject('/teapot')).json()
    assert.deepEqual([errors[0].status, errors[0].detail], ['418', 'short and stout'])
  })

  it('passes trustProxy on: links have the host and the scheme that a trusted proxy received', async (test) => {
    const headers = {
      'x-forwarded-host': 'api.example.org',
      'x-forwarded-proto': 'https',
      host: 'inner',
    }
    const getLink = async (trustProxy: boolean) => {
      const app = createServer({ ...options, logLevel: 'silent', trustProxy })
      test.after(() => app.close())
      return (await app.inject({ url: '/authors', headers })).json().links.self
    }
    assert.equal(await getLink(true), 'https://api.example.org/authors')
    assert.equal(await getLink(false), 'http://inner/authors')
  })

  it('logs each request with its route, status, time, bytes and id, and nothing of the path', async (test) => {
    const trace = '0af7651916cd43dd8448eb211c80319c'
    const lines = await logOf(async () => {
      const app = createServer(options)
      test.after(() => app.close())
      const origin = await app.listen({ host: '127.0.0.1', port: 0 })
      const get = async (path: string, headers: Record<string, string> = {}) => {
        const response = await fetch(origin + path, { headers })
        return (await response.arrayBuffer()).byteLength
      }
      assert.ok((await get('/authors/1?filter=', { 'x-request-id': 'abc-1' })) > 0)
      await get('/nowhere/secret', { traceparent: `00-${trace}-b7ad6b7169203331-01` })
      await get('/authors', { 'x-request-id': 'not an id\tat all', traceparent: 'zz' })
    })
    const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
    assert.deepEqual(
      logged.map(({ reqId, method, route, status }) => [reqId, method, route, status]),
      [
        ['abc-1', 'GET', '/authors/:id', 400],
        [trace, 'GET', null, 404],
        [logged[2].reqId, 'GET', '/authors', 200],
      ],
    )
    assert.match(logged[2].reqId, /^req-/)
    for (const { level, ms, bytes } of logged) {
      assert.equal(level, 30)
      assert.ok(ms >= 0 && ms < 60_000 && bytes > 0)
    }
    assert.ok(!lines.join().includes('secret'))
  })

  for (const quiet of [{ accessLog: false }, { logLevel: 'warn' }])
    it(`logs no requests with ${JSON.stringify(quiet)}`, async (test) => {
      const lines = await logOf(async () => {
        const app = createServer({ ...options, ...quiet })
        test.after(() => app.close())
        await app.inject('/authors')
      })
      assert.deepEqual(lines, [])
    })

  it('logs with a logger of Fastify', async (test) => {
    const lines: string[] = []
    const stream = { write: (line: string) => void lines.push(line) }
    const app = createServer({ ...options, logger: { level: 'info', stream } })
    test.after(() => app.close())
    await app.inject('/authors')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)).map(({ msg, route }) => [msg, route]),
      [['request', '/authors']],
    )
  })
})

describe('createServer with TLS', () => {
  const folder = temporaryFolder()
  const files = ['key.pem', 'cert.pem'].map((name) => join(folder, name))
  let tls: { key: Buffer; cert: Buffer } | undefined
  before(() => {
    const [key = '', cert = ''] = files
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
    const make = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject]
    execFileSync('openssl', [...make, '-keyout', key, '-out', cert], { stdio: 'ignore' })
    tls = { key: readFileSync(key), cert: readFileSync(cert) }
  })

  const get = (origin: string) =>
    new Promise<[number | undefined, string]>((resolve, reject) => {
      const agent = false
      const outgoing = requestHttps(`${origin}/authors`, { ca: tls?.cert, agent }, (incoming) => {
        let text = ''
        incoming.setEncoding('utf8')
        incoming.on('data', (chunk) => {
          text += chunk
        })
        incoming.on('end', () => resolve([incoming.statusCode, text]))
      })
      outgoing.on('error', reject)
      outgoing.end()
    })

  it('serves HTTPS, and limits its connections', async (test) => {
    assert.ok(tls)
    const app = createServer({ ...options, https: tls, logLevel: 'silent', maxConnections: 1 })
    test.after(() => app.close())
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    assert.match(origin, /^https:/)
    const [status, text] = await get(origin)
    assert.equal(status, 200)
    assert.equal(JSON.parse(text).links.self, `${origin}/authors`)
    const open = await import('node:tls').then(({ connect }) =>
      connect({ port: Number(new URL(origin).port), host: '127.0.0.1', ca: tls?.cert }),
    )
    await new Promise((resolve) => open.once('secureConnect', resolve))
    open.write('GET /authors')
    // The server learns of the connection some time after its client.
    await until(async () => (await get(origin))[0] === 503, 'one more connection is served')
    open.destroy()
  })

  it('given connections that do not begin the handshake, when there are as many as allowed, then more get 503', async (test) => {
    assert.ok(tls)
    const app = createServer({ ...options, https: tls, logLevel: 'silent', maxConnections: 3 })
    test.after(() => app.close())
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = new URL(origin)
    const silent = Array.from({ length: 3 }, () => connectTcp(Number(port), '127.0.0.1'))
    await until(async () => (await get(origin))[0] === 503, 'one more connection is served')
    for (const socket of silent) socket.destroy()
    await until(async () => (await get(origin))[0] === 200, 'closed connections are counted')
  })

  // The timeout is half of the time for a handshake.
  it('given a connection that does not begin the handshake, when the server closes, then it does not wait for it', {
    timeout: 5000,
  }, async () => {
    assert.ok(tls)
    const app = createServer({ ...options, https: tls, logLevel: 'silent' })
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    connectTcp(Number(new URL(origin).port), '127.0.0.1')
    await once(app.server, 'connection')
    await app.close()
  })

  it('given a large document, when a client reads it slowly, then it arrives whole', async (test) => {
    assert.ok(tls)
    const app = createServer({ ...options, https: tls, logLevel: 'silent', sendTimeout: 1000 })
    test.after(() => app.close())
    const length = 64 * 1024 * 1024
    app.get('/large', async () => 'x'.repeat(length))
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    requestHttps(`${origin}/large`, { ca: tls.cert, agent: false }, resolve)
      .on('error', reject)
      .end()
    const response = await promise
    let received = 0
    for await (const chunk of response) {
      received += chunk.length
      // Half of the document takes longer than the timeout.
      if (received < length / 2) await pause(1)
    }
    assert.equal(received, length)
  })

  it('is mounted in an application with HTTP/2, whose limits hold', async (test) => {
    assert.ok(tls)
    const app = fastify({ https: tls, http2: true })
    app.register(jsonApi, { ...options, prefix: '/api', maxBody: 100 })
    test.after(() => app.close())
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    const session = connectHttp2(origin, { ca: tls.cert })
    test.after(() => session.close())
    const send = async (headers: object, body?: string) => {
      const stream = session.request({ ':path': '/api/authors?page[size]=0', ...headers })
      const [head] = await Promise.all([once(stream, 'response'), stream.end(body)])
      let text = ''
      for await (const chunk of stream.setEncoding('utf8')) text += chunk
      return { status: head[0][':status'], document: JSON.parse(text) }
    }
    const list = await send({})
    assert.deepEqual([list.status, list.document.data.length], [200, 3])
    assert.match(list.document.links.self, /^https:\/\/127\.0\.0\.1:\d+\/api\/authors/)
    const post = { ':method': 'POST', ':path': '/api/authors', 'content-type': mediaType }
    const attributes = { name: 'Ida' }
    const created = await send(post, JSON.stringify({ data: { type: 'author', attributes } }))
    assert.equal(created.status, 201, JSON.stringify(created.document))
    assert.equal((await send(post, ' '.repeat(200))).status, 413)
  })
})
