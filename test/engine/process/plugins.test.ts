import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { attribute, defineModel, resource, text } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { openSqlite } from 'lapidary/sqlite'
import { mediaType } from '../../../src/model/media-types.ts'
import { logOf } from '../../log.ts'

const note = resource('note', { path: '/notes', table: 'note', fields: { text: attribute(text) } })
const model = defineModel([note])

describe('Plugins of the Fastify server', () => {
  const store = openSqlite(model, ':memory:')
  const server = createServer({ model, store, logLevel: 'debug', accessLog: false })
  let origin = ''

  before(async () => {
    await store.migrate([
      {
        version: 1,
        sql: "create table note (id integer primary key, text text); insert into note values (1, 'a')",
      },
    ])
    server.addHook('preHandler', async (request, reply) => {
      if (request.headers['x-log'] === undefined) return
      request.log.level = 'debug'
      request.log.trace('not logged')
      request.log.debug({ req: request, res: reply }, 'before %s', 'handler')
      request.log.child({ part: 'two' }).warn('child')
      request.log.fatal(new Error('fatal'))
      for (const level of ['info', 'error', 'silent'] as const) request.log[level](level)
    })
    server.addHook('onSend', async (_request, reply, payload) => {
      reply.header('x-length', String(payload).length)
      return payload
    })
    server.get('/health', async () => ({ fine: true }))
    const logTwice = async ({ log }: FastifyRequest) => {
      log.info({ part: 'own' }, 'info line')
      log.warn('warning line')
      return {}
    }
    server.get('/quiet', { logLevel: 'warn' }, logTwice)
    server.get(
      '/serialized',
      { logSerializers: { part: (text: string) => text.toUpperCase() } },
      logTwice,
    )
    server.register(async (plugin) => {
      plugin.setChildLoggerFactory((_none, bindings) =>
        server.log.child({ ...bindings, by: 'plugin' }),
      )
      plugin.get('/plugin', logTwice)
    })
    server.register(async (plugin) => {
      plugin.addContentTypeParser(mediaType, { parseAs: 'string' }, (_request, body, done) =>
        done(null, body),
      )
      plugin.post('/parsed', async ({ body }) => ({ body }))
    })
    await logOf(async () => {
      origin = await server.listen({ host: '127.0.0.1', port: 0 })
    })
  })
  after(async () => {
    await server.close()
    await store.close()
  })

  for (const path of ['/notes', '/notes/1', '/notes/2', '/nowhere'])
    it(`given an onSend hook, when the response of ${path} is sent, then the hook adds its header`, async () => {
      const answer = await fetch(origin + path)
      const { length } = await answer.text()
      assert.equal(answer.headers.get('x-length'), String(length), path)
    })

  it('given a route of a plugin, when it is requested, then the plugin responds', async () => {
    const answer = await fetch(`${origin}/health`)
    assert.deepEqual([answer.status, await answer.json()], [200, { fine: true }])
  })

  it('given a body parser of a plugin for the JSON:API media type, when bodies are sent, then only the plugin uses it', async () => {
    const request = { method: 'POST', body: '{"a":1}', headers: { 'content-type': mediaType } }
    for (const _attempt of [1, 2]) {
      const answer = await fetch(`${origin}/parsed`, request)
      assert.deepEqual(await answer.json(), { body: '{"a":1}' })
      const ours = await fetch(`${origin}/notes`, { ...request, body: '{"data":{"type":"note"}}' })
      assert.equal(ours.status, 201)
    }
  })

  it('given a hook that logs, when a request is served, then its lines carry the request id and nothing else is logged', async () => {
    const log = await logOf(() => fetch(`${origin}/notes/1`, { headers: { 'x-log': 'yes' } }))
    const lines = log.map((line) => JSON.parse(line))
    const [first] = lines
    assert.match(String(first.reqId), /^req-/)
    assert.deepEqual(
      lines.map(({ level, reqId, msg }) => [level, reqId === first.reqId, msg]),
      [
        [20, true, 'before handler'],
        [40, true, 'child'],
        [60, true, 'fatal'],
        [30, true, 'info'],
        [50, true, 'error'],
      ],
    )
    const { remotePort, ...logged } = Object(first.req)
    const { host } = new URL(origin)
    assert.ok(remotePort > 0)
    assert.deepEqual(
      [logged, first.res, lines[1].part],
      [
        { method: 'GET', url: '/notes/1', host, remoteAddress: '127.0.0.1' },
        { statusCode: 200 },
        'two',
      ],
    )
    const [other = ''] = await logOf(async () => server.log.info('of the server'))
    const { msg, reqId } = JSON.parse(other)
    assert.deepEqual([msg, reqId], ['of the server', undefined])
  })

  it('given a log level, serializers or a logger factory of a route, when the route logs, then they apply', async () => {
    const readLog = async (path: string) => {
      const log = await logOf(() => fetch(origin + path))
      return log.map((line) => JSON.parse(line)).map(({ msg, part, by }) => [msg, part, by])
    }
    const nothing = undefined
    assert.deepEqual(await readLog('/quiet'), [['warning line', nothing, nothing]])
    assert.deepEqual(await readLog('/serialized'), [
      ['info line', 'OWN', nothing],
      ['warning line', nothing, nothing],
    ])
    assert.deepEqual(await readLog('/plugin'), [
      ['info line', 'own', 'plugin'],
      ['warning line', nothing, 'plugin'],
    ])
  })
})
