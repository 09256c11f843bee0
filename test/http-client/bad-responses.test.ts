import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { createClient, ResponseError } from 'lapidary/client'
import type { shopModel } from '../in-process/shop.ts'

const json = { 'content-type': 'application/vnd.api+json' }
const root = {
  meta: { resources: { item: { path: '/items', relationships: { shop: 'shop' } } } },
  links: { self: '/' },
}

/** A response that is not that of an API. */
interface BadResponse {
  readonly title: string
  readonly respond: (response: ServerResponse) => void
  readonly status: number
  readonly problem: RegExp
}

// biome-ignore format: a table, one response a row
const badResponses: readonly BadResponse[] = [
  { title: 'a page of a proxy', status: 502, problem: /^502, the response has text\/html, not JSON:API: "<html><h1>Bad gateway<\/h1>"$/,
    respond: (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>Bad gateway</h1>') },
  { title: 'a page where the API is expected', status: 200, problem: /^200, the response has text\/html; charset=utf-8, not JSON:API: "<!doctype html>/,
    respond: (response) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(`<!doctype html>${'x'.repeat(10_000)}`) },
  { title: 'JSON that ends early', status: 200, problem: /^200, the response has application\/vnd\.api\+json, which is not valid JSON \(.+\): "\{\\"data\\":\[\{\\"ty"$/,
    respond: (response) => response.writeHead(200, json).end('{"data":[{"ty') },
  { title: 'a body that ends early', status: 200, problem: /^200, the response ended before it was complete$/,
    respond: (response) => void response.writeHead(200, { ...json, 'content-length': '100' }).write('{"data":', () => response.destroy()) },
  { title: 'another JSON value', status: 200, problem: /^200, the response is not a JSON:API document: "\[\]"$/,
    respond: (response) => response.writeHead(200, json).end('[]') },
  { title: 'an empty error', status: 500, problem: /^500, the response has no media type, not JSON:API: ""$/,
    respond: (response) => response.writeHead(500).end() },
  { title: 'an error of another format', status: 400, problem: /^400, without a description of the error$/,
    respond: (response) => response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"x"}') },
]

describe('The client over HTTP', () => {
  let server: Server
  let url: string
  let respond: (response: ServerResponse, request: IncomingMessage) => void
  let rootRespond: typeof respond

  before(async () => {
    server = createServer((request, response) =>
      (request.url === '/' ? rootRespond : respond)(response, request),
    ).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const goodRoot: typeof respond = (response) =>
    response.writeHead(200, json).end(JSON.stringify(root))
  const connect = (headers?: Parameters<typeof createClient>[0]['headers']) => {
    rootRespond = goodRoot
    return createClient<typeof shopModel>({ url: `${url}/`, headers })
  }
  const rejected = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => assert.fail('the call has not failed'),
      (thrown: unknown) => thrown,
    )
    assert.ok(error instanceof ResponseError, String(error))
    return error
  }

  for (const bad of badResponses)
    it(`says what is wrong with ${bad.title}`, async () => {
      const { item } = connect()
      respond = bad.respond
      const error = await rejected(item.list({ filter: { name: 'secret' } }))
      assert.equal(error.status, bad.status)
      const [request, problem = ''] = error.message.split(/: (?=\d{3},)/)
      assert.equal(request, `GET ${url}/items`)
      assert.match(problem, bad.problem)
      assert.deepEqual([error.errors, error.code, error.at('/data')], [[], undefined, []])
      assert.equal(error.url, `${url}/items?filter%5Bname%5D=secret`)
    })

  it('says when to try again', async () => {
    const { item } = connect()
    const busy = { errors: [{ status: '503', code: 'unavailable', detail: 'The queue is full.' }] }
    const answer = (retryAfter: string) => {
      respond = (response) =>
        response.writeHead(503, { ...json, 'retry-after': retryAfter }).end(JSON.stringify(busy))
    }
    answer('5')
    const error = await rejected(item.get('1'))
    assert.deepEqual([error.status, error.code, error.retryAfter], [503, 'unavailable', 5])
    assert.equal(error.message, `GET ${url}/items/1: 503, The queue is full.`)
    answer(new Date(Date.now() + 60_000).toUTCString())
    const { retryAfter = 0 } = await rejected(item.get('1'))
    assert.ok(retryAfter > 55 && retryAfter <= 60, String(retryAfter))
    answer(new Date(0).toUTCString())
    assert.equal((await rejected(item.get('1'))).retryAfter, 0)
    answer('soon')
    assert.equal((await rejected(item.get('1'))).retryAfter, undefined)
  })

  it('reads the root document again after a failure', async () => {
    const { item } = connect()
    respond = (response) =>
      response.writeHead(200, json).end('{"data":{"type":"item","id":"1","attributes":{}}}')
    rootRespond = (response) => response.writeHead(503).end()
    const error = await rejected(item.get('1'))
    assert.deepEqual([error.status, error.url], [503, `${url}/`])
    rootRespond = (response) => response.writeHead(200, json).end('{"data":[]}')
    await assert.rejects(item.get('1'), {
      message: `${url}/ is not the root document of an API of Lapidary; check the option url.`,
    })
    rootRespond = goodRoot
    assert.equal((await item.get('1')).id, '1')
  })

  it('reads the root document again for a type that it lacks, e.g. after a sign-in', async () => {
    let token = 'guest'
    const client = connect(async () => ({ authorization: token }))
    rootRespond = (response, { headers }) => {
      const resources = headers.authorization === 'guest' ? {} : root.meta.resources
      response.writeHead(200, json).end(JSON.stringify({ ...root, meta: { resources } }))
    }
    await assert.rejects(client.item.list(), /has no resource type "item"/)
    token = 'user'
    respond = (response, { headers }) =>
      response.writeHead(200, json).end(JSON.stringify({ data: [], meta: headers, links: {} }))
    const { meta } = await client.item.list({}, { headers: { 'x-trace': '7' } })
    assert.equal(Reflect.get(meta, 'authorization'), 'user')
    assert.equal(Reflect.get(meta, 'accept'), 'application/vnd.api+json')
    assert.equal(Reflect.get(meta, 'x-trace'), '7')
  })

  it('is cancelled by a signal, before and while it waits', async () => {
    const { item } = connect()
    const controller = new AbortController()
    respond = (response) => {
      response.writeHead(200, json).write('{"data":')
      controller.abort(new Error('the user has left'))
    }
    await assert.rejects(item.list({}, { signal: controller.signal }), /the user has left/)
    await assert.rejects(item.get('1', {}, { signal: controller.signal }), /the user has left/)
    await assert.rejects(item.remove('1', { signal: AbortSignal.timeout(1) }), {
      name: 'TimeoutError',
    })
  })

  it('leaves the errors of a connection to fetch', async () => {
    const client = createClient<typeof shopModel>({ url: 'http://127.0.0.1:9' })
    await assert.rejects(client.item.list(), { name: 'TypeError', message: 'fetch failed' })
  })

  it('takes any names from a response, without a change of a prototype', async () => {
    const { item } = connect()
    const text =
      '{"data":{"type":"item","id":"1","attributes":{"__proto__":{"admin":true},"name":"x"},"relationships":{"constructor":{"data":null}}}}'
    respond = (response) => response.writeHead(200, json).end(text)
    const read: object = await item.get('1')
    assert.equal(Object.getPrototypeOf(read), Object.prototype)
    assert.equal('admin' in read, false)
    assert.deepEqual(Object.keys(read), ['type', 'id', '__proto__', 'name', 'constructor'])
  })
})
