import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import express from 'express'
import { createNodeHandler } from 'lapidary/node'
import { openSqlite } from 'lapidary/sqlite'
import { mediaType } from '../client.ts'
import { inMemory } from '../databases.ts'
import { library, libraryTables } from '../engine/library.ts'
import { openSocket, request, statuses } from '../raw-socket.ts'
import { listen } from './listen.ts'

const store = openSqlite(library, ':memory:')
before(async () => {
  await store.migrate([{ version: 1, sql: libraryTables(inMemory.columnTypes) }])
})
after(() => store.close())

/** The errors that handlers have logged. */
const logged: string[] = []
const ignore = () => {}
const log = {
  ...{ trace: ignore, debug: ignore, info: ignore, warn: ignore, fatal: ignore },
  error: (fields: object | string) => {
    const error: unknown = typeof fields === 'object' ? Reflect.get(fields, 'err') : fields
    logged.push(String(error))
  },
}
const handler = (prefix: string) => createNodeHandler({ model: library, store, prefix, log })

const post = (url: string, type = mediaType) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': type },
    body: JSON.stringify({ data: { type: 'author', attributes: { name: 'Eve' } } }),
  })

describe('An Express application', () => {
  it('mounts the handler at a path that is its prefix', async (test) => {
    const origin = await listen(test, express().use('/api', handler('/api')))
    const { data } = Object(await (await fetch(`${origin}/api/authors/1`)).json())
    assert.equal(data.links.self, '/api/authors/1')
    assert.equal((await fetch(`${origin}/authors`)).status, 404)
  })

  for (const prefix of ['', '/api'])
    it(`given the prefix "${prefix}", takes a target in absolute form, as clients send it to proxies`, async (test) => {
      const origin = await listen(test, express().use(handler(prefix)))
      const client = await openSocket(origin)
      for (const path of [`${prefix}/authors/1`, `${prefix}?x`])
        client.send(request('GET', `HTTP://${new URL(origin).host}${path}`))
      const received = await client.until(/"unknown_parameter"/)
      client.socket.destroy()
      assert.deepEqual(statuses(received), [200, 400])
    })

  it('learns that the path of the mount is not the prefix', async (test) => {
    const app = express().use('/api', handler('/v1'))
    const errors: string[] = []
    app.use(
      (error: Error, _request: express.Request, response: express.Response, _next: () => void) => {
        errors.push(error.message)
        response.status(500).end()
      },
    )
    const origin = await listen(test, app)
    assert.equal((await fetch(`${origin}/api/authors`)).status, 500)
    assert.deepEqual(errors, [
      'The handler is mounted at /api, but its prefix is "/v1": pass prefix: "/api" to createNodeHandler.',
    ])
  })

  for (const [path, mount] of [
    ['/API/authors', '/api'],
    ['/api/v10', '/api/v1'],
    ['/api/own', '/api'],
  ] as const)
    it(`gets ${path} from the handler with the prefix /api/v1 or /api at ${mount}`, async (test) => {
      const prefix = path === '/API/authors' ? '/api' : '/api/v1'
      const app = express().use(mount, handler(prefix))
      app.use((_request, response) => void response.status(404).send('own'))
      const origin = await listen(test, app)
      const response = await fetch(origin + path)
      assert.deepEqual([response.status, await response.text()], [404, 'own'])
    })

  it('may parse bodies of other media types, and bytes and text of all', async (test) => {
    for (const parser of [
      express.json(),
      express.raw({ type: () => true }),
      express.text({ type: () => true }),
    ]) {
      const origin = await listen(test, express().use(parser, handler('/api')))
      assert.equal((await post(`${origin}/api/authors`)).status, 201)
    }
  })

  it('learns that another parser has read the body', async (test) => {
    const app = express().use(express.json({ type: () => true }), handler('/api'))
    const origin = await listen(test, app)
    logged.splice(0)
    assert.equal((await post(`${origin}/api/authors`)).status, 500)
    assert.match(
      logged.join(),
      /The body of the request was parsed already: mount the handler before/,
    )
  })

  it('keeps the scheme that a trusted proxy received', async (test) => {
    const app = express().set('trust proxy', true).use(handler('/api'))
    const origin = await listen(test, app)
    const response = await fetch(`${origin}/api/authors`, {
      headers: { 'x-forwarded-proto': 'https' },
    })
    assert.match(Object(await response.json()).links.self, /^https:\/\/127\.0\.0\.1/)
  })

  it('keeps the names in Vary that other middleware has set', async (test) => {
    const app = express().use((_request, response, next) => {
      response.vary('Origin')
      next()
    }, handler('/api'))
    const origin = await listen(test, app)
    assert.equal((await fetch(`${origin}/api/authors`)).headers.get('vary'), 'Origin, Accept')
  })
})
