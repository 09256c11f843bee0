import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createBareServer, type ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { attribute, createServer, defineModel, resource, text } from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'
import { mediaType } from '../../src/parse/negotiate.ts'
import { logOf } from '../log.ts'

const note = resource('note', { path: '/notes', table: 'note', fields: { text: attribute(text) } })
const model = defineModel([note])

/** How many listen for the end of an answer, however it ends. */
const watchersOf = (response: ServerResponse) =>
  ['finish', 'error', 'close'].map((event) => response.listenerCount(event))

describe('A plugin of the server', () => {
  const store = openSqlite(model, ':memory:')
  const server = createServer({ model, store, logLevel: 'debug' })
  let watchers: readonly number[] = []
  let origin = ''

  before(async () => {
    await store.migrate([
      {
        version: 1,
        sql: "create table note (id integer primary key, text text); insert into note values (1, 'a')",
      },
    ])
    server.addHook('preHandler', async (request, reply) => {
      watchers = watchersOf(reply.raw)
      if (request.headers['x-log'] === undefined) return
      request.log.level = 'debug'
      request.log.trace('unheard')
      request.log.debug({ req: request, res: reply }, 'before %s', 'it')
      request.log.child({ part: 'two' }).warn('of a child')
      request.log.fatal(new Error('told'))
      for (const level of ['info', 'error', 'silent'] as const) request.log[level](level)
    })
    server.addHook('onSend', async (_request, reply, payload) => {
      reply.header('x-length', String(payload).length)
      return payload
    })
    server.get('/health', async () => ({ fine: true }))
    const saying = async ({ log }: FastifyRequest) => {
      log.info({ part: 'own' }, 'said')
      log.warn('warned')
      return {}
    }
    server.get('/quiet', { logLevel: 'warn' }, saying)
    server.get(
      '/written',
      { logSerializers: { part: (text: string) => text.toUpperCase() } },
      saying,
    )
    server.register(async (plugin) => {
      plugin.setChildLoggerFactory((_none, bindings) => server.log.child({ ...bindings, by: 'it' }))
      plugin.get('/plugged', saying)
    })
    server.register(async (plugin) => {
      plugin.addContentTypeParser(mediaType, { parseAs: 'string' }, (_request, body, done) =>
        done(null, body),
      )
      plugin.post('/read', async ({ body }) => ({ body }))
    })
    await logOf(async () => {
      origin = await server.listen({ host: '127.0.0.1', port: 0 })
    })
  })
  after(async () => {
    await server.close()
    await store.close()
  })

  it('sees answers and adds to them', async () => {
    for (const path of ['/notes', '/notes/1', '/notes/2', '/nowhere']) {
      const answer = await fetch(origin + path)
      const { length } = await answer.text()
      assert.equal(answer.headers.get('x-length'), String(length), path)
    }
  })

  it('adds paths of its own', async () => {
    const answer = await fetch(`${origin}/health`)
    assert.deepEqual([answer.status, await answer.json()], [200, { fine: true }])
  })

  it('reads bodies of the type by a parser of its own', async () => {
    const asked = { method: 'POST', body: '{"a":1}', headers: { 'content-type': mediaType } }
    for (const _time of ['first', 'again']) {
      const answer = await fetch(`${origin}/read`, asked)
      assert.deepEqual(await answer.json(), { body: '{"a":1}' })
      const ours = await fetch(`${origin}/notes`, { ...asked, body: '{"data":{"type":"note"}}' })
      assert.equal(ours.status, 201)
    }
  })

  it('logs under the id of the request, and nothing else is logged', async () => {
    const log = await logOf(() => fetch(`${origin}/notes/1`, { headers: { 'x-log': 'yes' } }))
    const lines = log.map((line) => JSON.parse(line))
    const [first] = lines
    assert.match(String(first.reqId), /^req-/)
    assert.deepEqual(
      lines.map(({ level, reqId, msg }) => [level, reqId === first.reqId, msg]),
      [
        [20, true, 'before it'],
        [40, true, 'of a child'],
        [60, true, 'told'],
        [30, true, 'info'],
        [50, true, 'error'],
      ],
    )
    const { remotePort, ...told } = Object(first.req)
    const { host } = new URL(origin)
    assert.ok(remotePort > 0)
    assert.deepEqual(
      [told, first.res, lines[1].part],
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

  it('has a level, serializers or a log of its own for its paths', async () => {
    const told = async (path: string) => {
      const log = await logOf(() => fetch(origin + path))
      return log.map((line) => JSON.parse(line)).map(({ msg, part, by }) => [msg, part, by])
    }
    const nothing = undefined
    assert.deepEqual(await told('/quiet'), [['warned', nothing, nothing]])
    assert.deepEqual(await told('/written'), [
      ['said', 'OWN', nothing],
      ['warned', nothing, nothing],
    ])
    assert.deepEqual(await told('/plugged'), [
      ['said', 'own', 'it'],
      ['warned', nothing, 'it'],
    ])
  })

  it('is alone in watching how an answer ends', async () => {
    const bare = createBareServer((_request, response) =>
      response.end(JSON.stringify(watchersOf(response))),
    )
    bare.listen(0, '127.0.0.1')
    await once(bare, 'listening')
    const address = bare.address()
    assert.ok(typeof address === 'object' && address !== null)
    const nodes = await (await fetch(`http://127.0.0.1:${address.port}`)).json()
    bare.close()
    await fetch(`${origin}/notes/1`)
    assert.deepEqual(watchers, nodes)
  })
})
