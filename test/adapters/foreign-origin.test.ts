import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { attribute, createHandler, declare, nullable, text } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { openSqlite } from 'lapidary/sqlite'
import { mediaType } from '../client.ts'
import { hosts, type RunningHost } from './hosts.ts'

const { action, defineModel, resource } = declare<{ auth: string }>()
const called: string[] = []
const model = defineModel([
  resource('issues', {
    path: '/issues',
    table: 'issue',
    fields: { state: attribute(text) },
    actions: {
      close: action({ run: () => void called.push('close') }),
      archive: action({
        ...{ on: 'collection', parameters: { reason: nullable(text) } },
        run: () => void called.push('archive'),
      }),
    },
  }),
])
const tables = `
  create table issue (id integer primary key, state text);
  insert into issue values (1, 'open'), (2, 'open')`

type Headers = Readonly<Record<string, string | undefined>>

/** Sends a request with exactly these header fields. A body of `fetch` has a type of its own only if it is a text. */
function send(url: string, method: string, headers: Headers, body?: string) {
  const sent = Object.entries(headers).filter((field): field is [string, string] => !!field[1])
  const content = body === undefined ? {} : { body: new TextEncoder().encode(body) }
  return fetch(url, { method, headers: sent, ...content })
}

/** What a browser sends with a form of another site, a beacon, or `fetch` with a `Blob` without a type. */
const formTypes = [
  'application/x-www-form-urlencoded',
  'text/plain',
  'multipart/form-data; boundary=x',
  undefined,
]
const elsewhere = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
const own = { origin: '{origin}', 'sec-fetch-site': 'same-origin' }

/** Header fields of a write with the right media type; `{origin}` is that of the server. */
// biome-ignore format: a table, one request a row
const sources: readonly (readonly [title: string, headers: Headers, isServed: boolean])[] = [
  ['no browser',                               {},                                                                    true],
  ['the origin of the server',                 own,                                                                   true],
  ['an old browser with the same origin',      { origin: '{origin}' },                                                true],
  ['the user, by the address bar',             { 'sec-fetch-site': 'none' },                                          true],
  ['the origin behind a proxy that ends TLS',  { origin: '{https}', 'sec-fetch-site': 'same-origin' },                true],
  ['an origin that the option names',          { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' },     true],
  ['an extension that the option names',       { origin: 'moz-extension://a-1', 'sec-fetch-site': 'cross-site' },     true],
  ['another site',                             elsewhere,                                                             false],
  ['another site, in an old browser',          { origin: 'https://elsewhere.example' },                               false],
  ['another site, without Origin',             { 'sec-fetch-site': 'cross-site' },                                    false],
  ['another port of the host',                 { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' },       false],
  ['another port of the host, without Origin', { 'sec-fetch-site': 'same-site' },                                     false],
  ['a sandboxed frame',                        { origin: 'null', 'sec-fetch-site': 'cross-site' },                    false],
  ['a sandboxed frame, in an old browser',     { origin: 'null' },                                                    false],
  ['the scheme that the option does not name', { origin: 'http://app.example' },                                      false],
  ['a host that begins like an allowed one',   { origin: 'https://app.example.elsewhere.example' },                   false],
  ['a host that begins like the server',       { origin: '{origin}.elsewhere.example' },                              false],
  ['an extension of another name',             { origin: 'moz-extension://b-2' },                                     false],
  ['two origins',                              { origin: '{origin}, https://elsewhere.example' },                     false],
  ['a site that the field does not know',      { 'sec-fetch-site': 'same-origin, cross-site' },                       false],
  ['a file',                                   { origin: 'file://' },                                                 false],
  ['an origin that is no URL',                 { origin: 'elsewhere' },                                               false],
]

for (const { name, start } of hosts)
  describe(`Writes that pages of other origins cause: ${name}`, () => {
    const store = openSqlite(model, ':memory:')
    let host: RunningHost
    before(async () => {
      await store.migrate([{ version: 1, sql: tables }])
      const allowedOrigins = ['https://app.example', 'moz-extension://a-1']
      host = await start({
        model,
        store,
        prefix: '/api',
        allowedOrigins,
        authenticateBy: () => 'ada',
      })
    })
    after(async () => {
      await host.close()
      await store.close()
    })
    const post = (path: string, headers: Headers, body?: string) =>
      send(`${host.origin}/api${path}`, 'POST', headers, body)
    const codeOf = async (response: Response) => [
      response.status,
      Object(await response.json()).errors[0].code,
    ]

    for (const type of formTypes)
      for (const path of ['/issues/1/actions/close', '/issues/actions/archive']) {
        it(`a form of another site with ${type} cannot call ${path}`, async () => {
          called.length = 0
          const response = await post(path, { ...elsewhere, 'content-type': type })
          assert.deepEqual(await codeOf(response), [403, 'foreign_origin'])
          assert.deepEqual(called, [])
        })

        it(`a browser that sends neither field cannot call ${path} with ${type}`, async () => {
          called.length = 0
          for (const body of [undefined, '', 'a=1']) {
            const response = await post(path, { 'content-type': type }, body)
            assert.deepEqual(await codeOf(response), [415, 'unsupported_media_type'])
          }
          assert.deepEqual(called, [])
        })
      }

    for (const [title, headers, isServed] of sources)
      it(`a request by ${title} ${isServed ? 'may' : 'may not'} write`, async () => {
        called.length = 0
        const sent = Object.entries(headers).map(([field, value]) => [
          field,
          value
            ?.replace('{origin}', host.origin)
            .replace('{https}', `https${host.origin.slice(4)}`),
        ])
        const fields = { ...Object.fromEntries(sent), 'content-type': mediaType }
        const response = await post('/issues/1/actions/close', fields)
        assert.equal(response.status, isServed ? 200 : 403)
        assert.deepEqual(called, isServed ? ['close'] : [])
        if (!isServed) assert.deepEqual(await codeOf(response), [403, 'foreign_origin'])
      })

    it('every method that writes is checked, and none that reads', async () => {
      const url = `${host.origin}/api/issues/2`
      const body = JSON.stringify({ data: { type: 'issues', id: '2', attributes: { state: 'x' } } })
      const fields = { ...elsewhere, 'content-type': mediaType }
      assert.equal((await send(url, 'PATCH', fields, body)).status, 403)
      assert.equal((await send(url, 'DELETE', elsewhere)).status, 403)
      for (const method of ['GET', 'HEAD', 'OPTIONS'])
        assert.ok((await send(url, method, elsewhere)).ok, method)
      const { data } = Object(await (await fetch(url)).json())
      assert.equal(data.attributes.state, 'open')
    })

    it('a deletion without a body needs no media type', async () => {
      assert.equal((await send(`${host.origin}/api/issues/2`, 'DELETE', {})).status, 200)
    })

    it('a PATCH with an empty body needs the media type', async () => {
      const url = `${host.origin}/api/issues/1`
      for (const type of formTypes) {
        const response = await send(url, 'PATCH', { 'content-type': type }, '')
        assert.deepEqual(await codeOf(response), [415, 'unsupported_media_type'])
      }
      const response = await send(url, 'PATCH', { 'content-type': mediaType }, '')
      assert.equal(response.status, 400)
    })
  })

describe('The own origin of a server', () => {
  const store = openSqlite(model, ':memory:')
  before(() => store.migrate([{ version: 1, sql: tables }]))
  after(() => store.close())
  const statusOf = async (publicUrl: string | undefined, url: string, headers: Headers) => {
    const handle = createHandler({ model, store, publicUrl, authenticate: () => 'ada' })
    const fields = { ...headers, 'content-type': mediaType } as Record<string, string>
    const request = new Request(`${url}/issues/1/actions/close`, {
      method: 'POST',
      headers: fields,
    })
    return (await handle(request)).status
  }
  const https = 'https://api.example'

  // biome-ignore format: a table, one request a row
  const rows: readonly (readonly [title: string, publicUrl: string | undefined, url: string, headers: Headers, status: number])[] = [
    ['is publicUrl, whatever the host is',           https,     'http://backend:3000', { origin: https },                                    200],
    ['is the host that a client has used instead',   https,     'http://10.0.0.5',     { origin: 'http://10.0.0.5' },                        200],
    ['has the scheme of publicUrl',                  https,     'http://api.example',  { origin: 'http://api.example' },                     403],
    ['has no other host than publicUrl and its own', https,     'http://backend:3000', { origin: 'http://other.example' },                   403],
    ['is secure if the connection is',               undefined, https,                 { origin: 'http://api.example' },                     403],
    ['has any scheme if the connection is not',      undefined, 'http://api.example',  { origin: https },                                    200],
    ['has the default port of its scheme',           undefined, 'http://api.example',  { origin: https, host: 'api.example:443' },           200],
    ['may be that of the field Host',                undefined, 'http://localhost',    { origin: https, host: 'API.example' },               200],
  ]
  for (const [title, publicUrl, url, headers, status] of rows)
    it(title, async () => assert.equal(await statusOf(publicUrl, url, headers), status))

  it('is named by the error of a request that a page of another origin has sent', async () => {
    const handle = createHandler({ model, store, authenticate: () => 'ada' })
    const headers = { origin: 'https://elsewhere.example', 'content-type': mediaType }
    const request = new Request('http://a/issues', { method: 'POST', headers })
    const { errors } = Object(await (await handle(request)).json())
    assert.equal(
      errors[0].detail,
      'The request was sent by a page of "https://elsewhere.example", which may not write here; allowedOrigins (ALLOWED_ORIGINS) names the origins that may, and publicUrl (PUBLIC_URL) the one of this server.',
    )
  })

  for (const origin of [
    'https://app.example/',
    'https://app.example/path',
    'https://App.example',
    'https://app.example:443',
    'app.example',
    '*',
    'null',
    '',
    1,
  ])
    it(`cannot be ${JSON.stringify(origin)}`, () => {
      // A program without types may pass anything.
      const options = { model, store, allowedOrigins: [origin] as string[] }
      for (const create of [createHandler, createServer])
        assert.throws(
          () => create({ ...options, authenticate: () => 'ada' }),
          /allowedOrigins: must be an array of origins such as "https:\/\/app.example", without a path/,
        )
    })
})
