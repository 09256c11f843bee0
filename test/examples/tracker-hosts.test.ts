import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { serve } from '@hono/node-server'
import { createApp } from '../../examples/tracker/app.ts'
import { createExpressApp } from '../../examples/tracker/express.ts'
import { createHonoApp } from '../../examples/tracker/hono.ts'
import { model } from '../../examples/tracker/model.ts'
import { assertModelConforms } from '../checker/check-served.ts'
import { type Client, connect, mediaType } from '../client.ts'
import { secret, signToken, type UserName, users } from './tracker-fixture.ts'

const webOrigin = 'https://tracker.example.org'

/** A running tracker. */
interface Running {
  readonly origin: string
  close(): Promise<void>
}

const startFastify = async (maxRequests = 1000): Promise<Running> => {
  const app = await createApp({ database: ':memory:', secret, webOrigin, maxRequests })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  return { origin, close: async () => void (await app.close()) }
}

const hosts: Readonly<Record<string, () => Promise<Running>>> = {
  Fastify: startFastify,
  Hono: async () => {
    const { fetch, close } = await createHonoApp(':memory:', secret, webOrigin)
    const started = Promise.withResolvers<number>()
    const options = { fetch, hostname: '127.0.0.1', port: 0 }
    const server = serve(options, ({ port }) => started.resolve(port))
    const origin = `http://127.0.0.1:${await started.promise}`
    return { origin, close: () => closeServer(server, close) }
  },
  Express: async () => {
    const { app, close } = await createExpressApp(':memory:', secret)
    const server = createServer(app).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    return { origin: `http://127.0.0.1:${port}`, close: () => closeServer(server, close) }
  },
}

async function closeServer(
  server: Readonly<{ close(callback: () => void): unknown }>,
  closeStore: () => Promise<void>,
): Promise<void> {
  await new Promise<void>((resolve) => void server.close(() => resolve()))
  await closeStore()
}

/** Returns a function that sends requests of a user; a body is the `data` of a document. */
function requestsOf(client: Client) {
  return async (user: UserName, method: string, path: string, data?: unknown) => {
    const headers = { Authorization: `Bearer ${await signToken(users[user])}` }
    const body = data === undefined ? undefined : { data }
    const exchange = await client.send(method, path, { headers, body })
    assertModelConforms(model, exchange, '/api')
    return { status: exchange.status, document: JSON.parse(exchange.text) }
  }
}

/** Stores the users, a project of Ben, an issue in it and a comment. */
async function addData(send: ReturnType<typeof requestsOf>): Promise<void> {
  const create = async (user: UserName, type: string, attributes: object, links: object = {}) => {
    const relationships = Object.fromEntries(
      Object.entries(links).map(([name, id]) => [name, { data: { type: `${name}s`, id } }]),
    )
    const data = { type, attributes, relationships }
    const { status, document } = await send(user, 'POST', `/api/${type}`, data)
    assert.equal(status, 201, JSON.stringify(document))
  }
  for (const [name, { role }] of Object.entries(users))
    await create('ada', 'users', { name, email: `${name}@example.org`, role })
  await create('ben', 'projects', { name: 'Engine' })
  await create('ben', 'issues', { title: 'It stops' }, { project: '1' })
  await create('ben', 'comments', { body: 'Every day.' }, { issue: '1' })
}

for (const [name, start] of Object.entries(hosts)) {
  describe(`The tracker under ${name}`, () => {
    let running: Running
    let client: Client
    let send: ReturnType<typeof requestsOf>
    before(async () => {
      running = await start()
      client = connect(running.origin)
      send = requestsOf(client)
      await addData(send)
    })
    after(async () => {
      client.close()
      await running.close()
    })

    /** Sends a request to one of the application's own routes. */
    const call = async (method: string, path: string, raw: string | Buffer, type: string) => {
      const token = await signToken(users.ben)
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': type, Accept: '*/*' }
      return client.send(method, path, { headers, raw })
    }

    it('rejects requests without a valid token, before it reads their body', async () => {
      const other = await signToken(users.ada, 'another secret of at least thirty-two characters')
      for (const headers of [
        {},
        { Authorization: 'Bearer x' },
        { Authorization: `Bearer ${other}` },
      ]) {
        const exchange = await client.send('POST', '/api/users', { headers, raw: '{' })
        assertModelConforms(model, exchange, '/api')
        assert.equal(exchange.status, 401)
        assert.equal(exchange.headers['www-authenticate'], 'Bearer')
      }
    })

    it('accepts the token in a cookie', async () => {
      const headers = { Cookie: `theme=dark; token=${await signToken(users.cyd)}` }
      assert.equal((await client.send('GET', '/api/issues', { headers })).status, 200)
    })

    it('lets no user take the comment of another from the other side of the relationship', async () => {
      const path = '/api/users/3/relationships/comments'
      const comment = [{ type: 'comments', id: '1' }]
      for (const method of ['POST', 'PATCH']) {
        const { status, document } = await send('cyd', method, path, comment)
        // Who may not read the comment cannot take it, and learns nothing about it.
        assert.deepEqual([status, document.errors[0].code], [404, 'related_not_found'])
        const admin = await send('ada', method, '/api/users/1/relationships/comments', comment)
        assert.deepEqual([admin.status, admin.document.errors[0].code], [403, 'forbidden'])
      }
      const data = { type: 'users', id: '3', relationships: { comments: { data: comment } } }
      assert.equal((await send('cyd', 'PATCH', '/api/users/3', data)).status, 404)
      const { document } = await send('ada', 'GET', '/api/comments/1/relationships/author')
      assert.deepEqual(document.data, { type: 'users', id: '2' })
      const change = { type: 'comments', id: '1', attributes: { body: 'Never.' } }
      assert.equal((await send('cyd', 'PATCH', '/api/comments/1', change)).status, 404)
      assert.equal((await send('ada', 'PATCH', '/api/comments/1', change)).status, 403)
    })

    it('stores what hooks set, not what the client sends for it', async () => {
      const data = {
        type: 'issues',
        attributes: {
          title: 'Old',
          created_at: '2020-01-01T00:00:00Z',
          closed_at: '2020-01-01T00:00:00Z',
        },
        relationships: { project: { data: { type: 'projects', id: '1' } } },
      }
      const { status, document } = await send('ben', 'POST', '/api/issues', data)
      assert.equal(status, 201)
      const { id, attributes } = document.data
      assert.equal(attributes.closed_at, null)
      assert.ok(attributes.created_at > '2026')
      const author = { data: { type: 'users', id: '3' } }
      const taken = { type: 'issues', id, relationships: { author } }
      await send('ben', 'PATCH', `/api/issues/${id}`, taken)
      await send('ben', 'PATCH', `/api/issues/${id}/relationships/author`, author.data)
      const stored = await send('ben', 'GET', `/api/issues/${id}/relationships/author`)
      assert.deepEqual(stored.document.data, { type: 'users', id: '2' })
      const members = { members: { data: [{ type: 'users', id: '2' }] } }
      const project = { type: 'projects', attributes: { name: 'Trap' }, relationships: members }
      const created = await send('cyd', 'POST', '/api/projects?include=members', project)
      assert.deepEqual(created.document.data.relationships.members.data, [
        { type: 'users', id: '3' },
      ])
    })

    it('rejects members a role, and the audit log to everybody', async () => {
      const data = { type: 'users', id: '2', attributes: { role: 'admin' } }
      assert.equal((await send('ben', 'PATCH', '/api/users/2', data)).status, 403)
      const { document } = await send('ada', 'GET', '/api/audit_log')
      assert.equal(document.errors[0].code, 'route_not_found')
    })

    it('stores a file', async () => {
      const bytes = Buffer.from([0, 255, 1])
      const path = '/api/issues/1/attachments/trace.bin'
      const { status, text } = await call('PUT', path, bytes, 'application/octet-stream')
      assert.equal(status, 201, text)
      assert.deepEqual(JSON.parse(text).data.attributes, { name: 'trace.bin', size: 3 })
      const { document } = await send('ben', 'GET', '/api/issues/1/attachments')
      assert.equal(document.data[0].attributes.content, bytes.toString('base64'))
    })

    it('closes an issue once, with a comment', async () => {
      const path = '/api/issues/1/close'
      const empty = await call('POST', path, '{"comment":" "}', 'application/json')
      assert.equal(empty.status, 422)
      const closed = await call('POST', path, '{"comment":"Fixed."}', 'application/json')
      assert.equal(closed.status, 200, closed.text)
      const { data, included } = JSON.parse(closed.text)
      assert.equal(data.attributes.status, 'closed')
      assert.deepEqual(
        included.map((comment: { attributes: { body: string } }) => comment.attributes.body),
        ['Every day.', 'Fixed.'],
      )
      const broken = await call('POST', path, '{', 'application/json')
      assert.equal(Math.trunc(broken.status / 100), 4)
      const missing = await call(
        'POST',
        '/api/issues/9/close',
        '{"comment":"x"}',
        'application/json',
      )
      assert.equal(missing.status, 404)
    })

    it('deletes an issue softly', async () => {
      assert.equal((await send('cyd', 'DELETE', '/api/issues/1')).status, 404)
      assert.equal((await send('ada', 'DELETE', '/api/issues/1')).status, 403)
      assert.equal((await send('ben', 'DELETE', '/api/issues/1')).status, 200)
      assert.equal((await send('ben', 'GET', '/api/issues/1')).status, 404)
      const { document } = await send('ben', 'GET', '/api/comments/1?include=issue')
      assert.equal(document.data.relationships.issue.data, null)
    })
  })
}

describe("The plugins of the tracker's Fastify application", () => {
  it('limit the rate of requests by a JSON:API document', async () => {
    const { origin, close } = await startFastify(2)
    const client = connect(origin)
    const statuses: number[] = []
    for (let each = 0; each < 3; each += 1) {
      const exchange = await client.send('GET', '/api/issues')
      assertModelConforms(model, exchange, '/api')
      statuses.push(exchange.status)
    }
    client.close()
    await close()
    assert.deepEqual(statuses, [401, 401, 429])
  })

  it('add header fields, answer preflight requests and list the routes', async () => {
    const app = await createApp({ database: ':memory:', secret, webOrigin, maxRequests: 10 })
    const headers = { origin: webOrigin, authorization: `Bearer ${await signToken(users.ben)}` }
    const list = await app.inject({ url: '/api/issues', headers })
    assert.equal(list.statusCode, 200)
    assert.equal(list.headers['access-control-allow-origin'], webOrigin)
    assert.equal(list.headers['content-type'], mediaType)
    assert.ok(list.headers['content-security-policy'])
    const preflight = await app.inject({
      method: 'OPTIONS',
      url: '/api/issues/1',
      headers: { origin: webOrigin, 'access-control-request-method': 'PATCH' },
    })
    assert.equal(preflight.statusCode, 204)
    assert.match(String(preflight.headers['access-control-allow-methods']), /PATCH/)
    const { paths } = (await app.inject('/openapi.json')).json()
    for (const path of ['/api/issues/', '/api/issues/{id}', '/api/issues/{id}/close'])
      assert.ok(path in paths || path.replace(/\/$/, '') in paths, path)
    await app.close()
  })

  it('leave bodies that are not bytes to the route, which rejects them', async () => {
    const app = await createApp({ database: ':memory:', secret, webOrigin, maxRequests: 10 })
    const headers = { authorization: `Bearer ${await signToken(users.ben)}` }
    const upload = { method: 'PUT', url: '/api/issues/1/attachments/a.json', headers } as const
    assert.equal((await app.inject(upload)).statusCode, 415)
    assert.equal((await app.inject({ ...upload, payload: { a: 1 } })).statusCode, 415)
    await app.close()
  })

  it('keep the token in a cookie that scripts cannot read', async () => {
    const app = await createApp({ database: ':memory:', secret, webOrigin, maxRequests: 10 })
    const token = await signToken(users.ben)
    const headers = { authorization: `Bearer ${token}` }
    assert.equal((await app.inject({ method: 'POST', url: '/session' })).statusCode, 401)
    const { statusCode, cookies } = await app.inject({ method: 'POST', url: '/session', headers })
    assert.equal(statusCode, 204)
    const [cookie] = cookies
    assert.deepEqual(
      [cookie?.value, cookie?.httpOnly, cookie?.secure, cookie?.sameSite],
      [token, true, true, 'Strict'],
    )
    const list = await app.inject({ url: '/api/issues', cookies: { token } })
    assert.equal(list.statusCode, 200)
    await app.close()
  })
})
