import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { attribute, createHandler, declare, RequestError, text } from 'lapidary'
import { apiKeyAuth, bearerAuth, firstOf } from 'lapidary/auth'
import { createServer } from 'lapidary/fastify'
import { createPages } from 'lapidary/html'
import { openSqlite } from 'lapidary/sqlite'
import { mediaType } from '../client.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { hosts, type RunningHost } from './hosts.ts'

const { auth, defineModel, resource } = declare<{ auth: string | undefined }>()
const isOwn = { filter: [{ name: 'owner', op: 'eq', val: auth((user) => user) }] }
const model = defineModel(
  [
    resource('notes', {
      ...{ path: '/notes', table: 'note', access: { read: isOwn, create: true, update: false } },
      fields: { owner: attribute(text) },
    }),
  ],
  { maxPageSize: null },
)
const tables = `
  create table note (id integer primary key, owner text);
  insert into note values (1, 'ada'), (2, 'bob');
  with recursive n (id) as (select 3 union all select id + 1 from n where id < 3000)
  insert into note select id, 'ada' from n`

/** Responses of each kind. */
// biome-ignore format: a table, one request a row
const requests: readonly (readonly [title: string, path: string, status: number, init?: RequestInit])[] = [
  ['a list',                       '/api/notes',                          200],
  ['a streamed list',              '/api/notes?page[size]=0',             200],
  ['a resource',                   '/api/notes/1',                        200],
  ['HEAD',                         '/api/notes/1',                        200, { method: 'HEAD' }],
  ['a hidden resource',            '/api/notes/2',                        404],
  ['a path that does not exist',   '/api/nope',                           404],
  ['a request that is not valid',  '/api/notes?sort=nope',                400],
  ['a method that does not exist', '/api/notes',                          405, { method: 'PUT' }],
  ['a forbidden update',           '/api/notes/1',                        403, { method: 'PATCH', body: '{"data":{"type":"notes","id":"1","attributes":{"owner":"b"}}}', headers: { 'content-type': mediaType } }],
  ['a create',                     '/api/notes',                          201, { method: 'POST', body: '{"data":{"type":"notes","attributes":{"owner":"ada"}}}', headers: { 'content-type': mediaType } }],
  ['missing credentials',          '/api/notes',                          401, { headers: { 'x-user': '' } }],
  ['the root document',            '/api/',                               200],
  ['the description',              '/api/openapi.json',                   200],
  ['a JSON Schema',                '/api/notes.schema.json',              200],
  ['a page',                       '/api/notes',                          200, { headers: { accept: 'text/html' } }],
  ['a page of an error',           '/api/notes/2',                        404, { headers: { accept: 'text/html' } }],
  ['the public landing page',      '/api/',                               200, { headers: { accept: 'text/html', 'x-user': '' } }],
  ['the SQL of a page',            '/api/html.explain?request=%2Fapi%2Fnotes', 200, { headers: { accept: 'text/html' } }],
]

const read = ({ headers }: Response) => [headers.get('cache-control'), headers.get('vary')]

for (const { name, start } of hosts)
  describe(`Header fields for caches: ${name}`, () => {
    // A database in memory has no streams.
    const store = openSqlite(model, join(temporaryFolder(), 'notes.db'), { create: true })
    let host: RunningHost
    let open: RunningHost
    before(async () => {
      await store.migrate([{ version: 1, sql: tables }])
      const options = { model, store, prefix: '/api', openapi: true } as const
      const html = createPages({ explain: true })
      open = await start({ ...options, html })
      host = await start({
        ...{ ...options, html, credentialFields: ['x-user'] },
        authenticateBy: (header) => {
          if (header('x-user')) return header('x-user')
          throw new RequestError({ status: 401, detail: 'Sign in.' })
        },
      })
    })
    after(async () => {
      await host.close()
      await open.close()
      await store.close()
    })
    const send = (origin: string, path: string, init: RequestInit = {}) => {
      const headers = { accept: mediaType, 'x-user': 'ada', ...Object(init.headers) }
      return fetch(origin + path, { ...init, headers })
    }

    for (const [title, path, status, init] of requests)
      it(`keep the response from other identities: ${title}`, async () => {
        const response = await send(host.origin, path, init)
        await response.arrayBuffer()
        assert.equal(response.status, status)
        assert.deepEqual(read(response), [
          'private, no-cache',
          'Accept, Authorization, Cookie, x-user',
        ])
      })

    it('keep the model of the pages out of every cache', async () => {
      const response = await send(host.origin, '/api/html.model.json')
      assert.deepEqual(read(response), ['no-store', 'Accept, Authorization, Cookie, x-user'])
    })

    it('let every cache store the files of the pages', async () => {
      const page = await (
        await send(host.origin, '/api/notes', { headers: { accept: 'text/html' } })
      ).text()
      const [, asset = ''] = /href="([^"]+\.css)"/.exec(page) ?? []
      const response = await send(host.origin, asset)
      assert.deepEqual(read(response), [
        'public, max-age=31536000, immutable',
        'Accept, Accept-Encoding',
      ])
    })

    it('are those of a public API without authenticate', async () => {
      for (const path of ['/api/', '/api/notes', '/api/notes/1', '/api/openapi.json', '/api/nope'])
        assert.deepEqual(read(await send(open.origin, path)), ['no-cache', 'Accept'], path)
      const page = await send(open.origin, '/api/notes', { headers: { accept: 'text/html' } })
      assert.deepEqual(read(page), ['no-cache', 'Accept'])
    })
  })

describe('Header fields for caches', () => {
  const store = openSqlite(model, ':memory:')
  before(() => store.migrate([{ version: 1, sql: tables }]))
  after(() => store.close())
  const options = { model, store }
  const get = (handle: (request: Request) => Promise<Response>, headers = {}) =>
    handle(new Request('http://localhost/notes', { headers }))

  it('name the fields of the functions of lapidary/auth', async () => {
    const key = apiKeyAuth<string | undefined>({
      header: 'X-Key',
      keys: [],
      anonymous: () => 'ada',
    })
    const bearer = bearerAuth<string | undefined>({
      ...{ key: { secret: 'x'.repeat(40) }, algorithms: ['HS256'], issuer: 'i', audience: 'a' },
      toAuth: ({ sub }) => sub,
    })
    const vary = async (authenticate: (request: Request) => Promise<string | undefined>) =>
      (await get(createHandler({ ...options, authenticate }))).headers.get('vary')
    assert.equal(await vary(key), 'Accept, x-key')
    assert.equal(await vary(bearer), 'Accept, authorization')
    assert.equal(await vary(firstOf(bearer, key)), 'Accept, authorization, x-key')
    assert.equal(await vary(async () => 'ada'), 'Accept, Authorization, Cookie')
  })

  it('are those of an identity that only the host knows', async () => {
    const handle = createHandler(options)
    const known = await handle(new Request('http://localhost/notes'), { auth: 'ada' })
    assert.deepEqual(read(known), ['private, no-cache', 'Accept, Authorization, Cookie'])
    assert.deepEqual(read(await get(handle)), ['no-cache', 'Accept'])
  })

  it('do not replace what the application sets', async (test) => {
    const app = createServer({ ...options, logLevel: 'silent', authenticate: () => 'ada' })
    test.after(() => app.close())
    app.addHook('onRequest', async (_request, reply) => {
      reply.headers({ 'cache-control': 'private, max-age=5', vary: 'Origin, authorization' })
    })
    for (const url of ['/notes', '/notes/2']) {
      const { headers } = await app.inject({ url })
      assert.equal(headers['cache-control'], 'private, max-age=5')
      assert.equal(headers.vary, 'Origin, authorization, Accept, Cookie')
    }
  })

  for (const name of ['', 'x user', 'x:', 1])
    it(`cannot name ${JSON.stringify(name)}`, () => {
      // A program without types may pass anything.
      const credentialFields = [name] as string[]
      assert.throws(
        () => createHandler({ ...options, credentialFields }),
        /createHandler\.credentialFields: must be an array of header fields such as "x-user"/,
      )
    })
})
