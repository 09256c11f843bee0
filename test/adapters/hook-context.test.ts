import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it, type TestContext } from 'node:test'
import express from 'express'
import fastify, { type FastifyInstance } from 'fastify'
import {
  attribute,
  createHandler,
  defineModel,
  type HookContext,
  type Logger,
  resource,
  text,
} from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { createNodeHandler } from 'lapidary/node'
import { openSqlite } from 'lapidary/sqlite'
import { logOf } from '../log.ts'
import { listen } from './listen.ts'

const contexts: HookContext[] = []
const note = resource('note', {
  path: '/notes',
  table: 'note',
  hooks: { beforeRead: (context) => void contexts.push(context) },
  fields: { text: attribute(text) },
})
const model = defineModel([note])
const store = openSqlite(model, ':memory:')
const trace = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${trace}-b7ad6b7169203331-01`

before(() =>
  store.migrate([{ version: 1, sql: 'create table note (id integer primary key, text text)' }]),
)
after(() => store.close())
beforeEach(() => void contexts.splice(0))

/** The id, the address and the logger that the hook of the last request has received. */
function lastContext() {
  const { requestId, ip, log } = contexts.pop() ?? assert.fail('no hook has run')
  return { requestId, ip, log }
}

const ignore = () => {}
const createLog = (): Logger => ({
  ...{ trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore, fatal: ignore },
})

describe('The context of hooks under createHandler', () => {
  const log = createLog()
  const handle = createHandler({ model, store, log })
  const get = (headers: Record<string, string>, info?: Parameters<typeof handle>[1]) =>
    handle(new Request('http://localhost/notes', { headers }), info)

  it('has the request id of the header fields, and what the host knows', async () => {
    await get({ 'x-request-id': 'abc-1', traceparent })
    assert.deepEqual(lastContext(), { requestId: 'abc-1', ip: undefined, log })
    await get({ traceparent })
    assert.equal(lastContext().requestId, trace)
    await get({ 'x-request-id': 'not an id' })
    assert.equal(lastContext().requestId, undefined)
    const own = { requestId: 'r1', ip: '192.0.2.1', log: createLog() }
    await get({ 'x-request-id': 'abc-1' }, own)
    assert.deepEqual(lastContext(), own)
  })
})

describe('The context of hooks under createNodeHandler', () => {
  const log = createLog()
  const handler = createNodeHandler({ model, store, log })

  it('has the request id of the header fields, and the address of the connection', async (test) => {
    const origin = await listen(test, express().use(handler))
    await fetch(`${origin}/notes`, { headers: { 'x-request-id': 'abc-1', traceparent } })
    assert.deepEqual(lastContext(), { requestId: 'abc-1', ip: '127.0.0.1', log })
    await fetch(`${origin}/notes`, { headers: { traceparent } })
    assert.equal(lastContext().requestId, trace)
    await fetch(`${origin}/notes`)
    assert.equal(lastContext().requestId, undefined)
  })

  it('has the id and the logger that a middleware has given the request, and the address behind a trusted proxy', async (test) => {
    const own = createLog()
    const app = express()
      .set('trust proxy', true)
      .use((request, _response, next) => {
        Object.assign(request, { id: 7, log: own })
        next()
      }, handler)
    const origin = await listen(test, app)
    const headers = { 'x-request-id': 'abc-1', 'x-forwarded-for': '192.0.2.1' }
    await fetch(`${origin}/notes`, { headers })
    assert.deepEqual(lastContext(), { requestId: '7', ip: '192.0.2.1', log: own })
  })

  it('has the logger of the handler if the request has something else of this name', async (test) => {
    const app = express().use((request, _response, next) => {
      Object.assign(request, { log: 'verbose' })
      next()
    }, handler)
    await fetch(`${await listen(test, app)}/notes`)
    assert.equal(lastContext().log, log)
  })
})

describe('The context of hooks under createServer', () => {
  /** Sends a request to a server. @returns the request id that the hook has received */
  async function requestIdOf(
    test: TestContext,
    app: FastifyInstance,
    headers: Record<string, string>,
  ): Promise<string | undefined> {
    test.after(() => app.close())
    assert.equal((await app.inject({ url: '/notes', headers })).statusCode, 200)
    return lastContext().requestId
  }
  const options = { model, store, logLevel: 'silent' }

  it('has the request id that the options of Fastify choose', async (test) => {
    const byField = createServer({ ...options, requestIdHeader: 'x-correlation-id' })
    assert.equal(await requestIdOf(test, byField, { 'x-correlation-id': 'c1' }), 'c1')
    const generated = createServer({ ...options, genReqId: () => 'g1' })
    assert.equal(await requestIdOf(test, generated, { 'x-request-id': 'abc-1' }), 'g1')
  })

  it('logs by the logger of the application', async (test) => {
    const lines: string[] = []
    const stream = { write: (line: string) => void lines.push(line) }
    const { log } = fastify({ logger: { level: 'info', stream } })
    const app = createServer({ ...options, loggerInstance: log })
    await requestIdOf(test, app, {})
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).msg),
      ['request'],
    )
  })

  it('logs header fields without credentials', async (test) => {
    const lines = await logOf(async () => {
      const app = createServer({ model, store, accessLog: false })
      test.after(() => app.close())
      const headers = {
        ...{ authorization: 'Bearer secret', cookie: 'token=secret', 'x-api-key': 'secret' },
        'x-color': 'red',
      }
      await app.inject({ url: '/notes', headers })
      const { log } = lastContext()
      log.info({ headers }, 'fields')
      log.info({ request: { headers }, response: { headers: { 'set-cookie': 'secret' } } }, 'more')
    })
    assert.ok(!lines.join().includes('secret'))
    const [first, second] = lines.map((line) => JSON.parse(line))
    assert.deepEqual(first.headers, second.request.headers)
    assert.partialDeepStrictEqual(first.headers, { authorization: '[Redacted]', 'x-color': 'red' })
  })
})
