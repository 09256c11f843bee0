import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { RequestError } from 'lapidary'
import { createPages } from 'lapidary/html'
import { openSqlite } from 'lapidary/sqlite'
import { type Host, hosts } from '../adapters/hosts.ts'
import { type Client, connect, type Exchange, mediaType } from '../client.ts'
import { inMemory } from '../databases.ts'
import { library, libraryTables } from '../engine/library.ts'

/** Values of `Accept`, and the media type of the response. */
// biome-ignore format: a table
const fields: readonly (readonly [accept: string | undefined, type: 'html' | 'json'])[] = [
  [undefined,                                                        'json'],
  ['*/*',                                                            'json'],
  ['text/*',                                                         'json'],
  ['application/*',                                                  'json'],
  [mediaType,                                                        'json'],
  ['application/json',                                               'json'],
  ['application/json, text/plain, */*',                              'json'],
  [`${mediaType}, text/html`,                                        'json'],
  [`text/html, ${mediaType}`,                                        'json'],
  ['text/html, application/json',                                    'json'],
  ['text/html, */*',                                                 'json'],
  ['text/html;q=0.8, */*;q=0.9',                                     'json'],
  ['text/html;q=0',                                                  'json'],
  ['text/html;q=0.9, application/*',                                 'json'],
  ['text/htmlx',                                                     'json'],
  ['text/html',                                                      'html'],
  ['TEXT/HTML',                                                      'html'],
  ['text/html;charset=utf-8',                                        'html'],
  [`text/html, ${mediaType};q=0.9`,                                  'html'],
  [`${mediaType};q=0.1, text/html;q=0.2`,                            'html'],
  ['text/html, */*;q=0.8',                                           'html'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'html'],
]

/** Requests of a browser, and what its page must say. */
const samples: readonly (readonly [title: string, path: string, status: number, words: string])[] =
  [
    ['the root', '/api', 200, 'Resources'],
    ['a list', '/api/authors?sort=-name', 200, 'author'],
    ['a resource', '/api/authors/2', 200, 'Bob'],
    ['related resources', '/api/authors/2/books', 200, 'books'],
    ['a relationship', '/api/authors/2/relationships/books', 200, 'Linkage of'],
    ['a list of all resources', '/api/authors?page[size]=0', 200, 'Cyd'],
    [
      'a missing resource',
      '/api/authors/99',
      404,
      'There is no resource of type author with id &quot;99&quot;.',
    ],
    ['an unknown path', '/api/nowhere', 404, 'There is no route &quot;/api/nowhere&quot;'],
    ['an invalid query', '/api/authors?colour=red', 400, 'no parameter &quot;colour&quot;'],
    ['a request without a token', '/api/books?token=none', 401, 'The token is missing.'],
  ]

const browserAccept =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

/** The header fields that every page must have, whatever the host. */
function pick({ status, headers, text }: Exchange) {
  const { vary, 'content-type': type, 'content-security-policy': policy } = headers
  return { status, vary, type, policy, sniffing: headers['x-content-type-options'], text }
}

async function startHost(host: Host) {
  const store = openSqlite(library, ':memory:')
  await store.migrate([{ version: 1, sql: libraryTables(inMemory.columnTypes) }])
  const running = await host.start({
    ...{ model: library, store, prefix: '/api', publicUrl: 'http://api.test' },
    ...{ html: createPages(), openapi: true },
    authenticateBy: (header) => {
      if (header('x-token') === 'none')
        throw new RequestError({ status: 401, detail: 'The token is missing.' })
      return undefined
    },
  })
  const client = connect(running.origin)
  const close = async () => {
    client.close()
    await running.close()
    await store.close()
  }
  return { client, close, origin: running.origin }
}

const send = (client: Client, path: string, accept: string | undefined, method = 'GET') => {
  const token = path.includes('token=none') ? 'none' : undefined
  return client.send(method, path, { headers: { Accept: accept, 'X-Token': token } })
}

const expected = new Map<string, unknown>()

for (const host of hosts) {
  describe(`Content negotiation: ${host.name}`, () => {
    let running: Awaited<ReturnType<typeof startHost>>
    before(async () => {
      running = await startHost(host)
    })
    after(() => running.close())

    for (const [accept, type] of fields)
      it(`given Accept: ${accept}, then the response is ${type === 'json' ? 'JSON' : 'a page'}`, async () => {
        const { status, headers } = await send(running.client, '/api/authors/1', accept)
        const expectedType = type === 'json' ? mediaType : 'text/html; charset=utf-8'
        assert.deepEqual([status, headers['content-type']], [200, expectedType], String(accept))
        assert.equal(headers.vary, 'Accept, Authorization, Cookie')
      })

    for (const [title, path, status, words] of samples) {
      it(`given ${title}, when a browser opens it, then its page has the status and the words of the JSON`, async () => {
        const page = await send(running.client, path, browserAccept)
        assert.equal(page.status, status)
        assert.ok(page.text.includes(words), page.text)
        const json = await send(running.client, path, mediaType)
        assert.deepEqual([json.status, json.headers['content-type']], [status, mediaType])
        const shown = pick(page)
        assert.equal(shown.type, 'text/html; charset=utf-8')
        assert.deepEqual([shown.vary, shown.sniffing], ['Accept, Authorization, Cookie', 'nosniff'])
        assert.match(
          shown.policy ?? '',
          /^default-src 'none'; script-src 'self'; style-src 'self';/,
        )
        if (!expected.has(path)) expected.set(path, shown)
        assert.deepEqual(shown, expected.get(path), 'the page is that of the other hosts')
      })
    }

    it('given a response with links to descriptions, when a browser opens it, then its page has them', async () => {
      const links = [
        ['/api', '/api/openapi.json'],
        ['/api/authors', '/api/authors.schema.json'],
        ['/api/authors/2/books', '/api/books.schema.json'],
      ] as const
      for (const [path, href] of links) {
        const { text, headers } = await send(running.client, path, browserAccept)
        assert.ok(headers.link?.includes(`<${href}>`), path)
        assert.ok(text.includes(`<a href="${href}">`), path)
      }
      const { text } = await send(running.client, '/api/authors/99', browserAccept)
      assert.doesNotMatch(text, /descriptions/)
    })

    it('given a document with a version, when a browser opens it, then its page has the version for its forms', async () => {
      for (const path of ['/api/authors/2', '/api/authors/2/relationships/books']) {
        const { headers } = await send(running.client, path, mediaType)
        const version = headers.etag?.slice(1, headers.etag.indexOf('.'))
        const { text } = await send(running.client, path, browserAccept)
        assert.ok(text.includes(` data-version="${version}"`), path)
      }
      for (const path of ['/api/authors', '/api/authors/2/relationships/books?page[size]=1'])
        assert.doesNotMatch((await send(running.client, path, browserAccept)).text, /data-version/)
    })

    it('given HEAD, when a browser sends it, then the header fields are those of the page', async () => {
      const page = await send(running.client, '/api/authors', browserAccept)
      const head = await send(running.client, '/api/authors', browserAccept, 'HEAD')
      assert.deepEqual(pick(head), { ...pick(page), text: '' })
    })

    it('given a write, when its client prefers HTML, then the response is JSON', async () => {
      const { status, headers } = await send(
        running.client,
        '/api/authors/99',
        'text/html',
        'DELETE',
      )
      assert.deepEqual([status, headers['content-type']], [404, mediaType])
    })

    it('given media types with parameters only, when one is of JSON:API, then the page is a 406', async () => {
      const accept = `text/html, ${mediaType};q=0.1;ext="x"`
      const { status } = await send(
        running.client,
        '/api/authors',
        `${mediaType};v=1;q=0.1, text/html`,
      )
      assert.equal(status, 406)
      assert.equal((await send(running.client, '/api/authors', accept)).status, 200)
    })

    it('given the OpenAPI document, when a browser opens it, then the response is the document', async () => {
      const { status, headers, text } = await send(
        running.client,
        '/api/openapi.json',
        browserAccept,
      )
      assert.deepEqual([status, headers['content-type']], [200, 'application/json'])
      assert.equal(JSON.parse(text).openapi.slice(0, 3), '3.1')
    })

    it('given a file, when a client accepts codings or has it, then it is compressed or not sent', async () => {
      const { text } = await send(running.client, '/api', browserAccept)
      const [, address = ''] = /src="([^"]+)"/.exec(text) ?? []
      const get = async (headers: Record<string, string>, method = 'GET') => {
        const response = await fetch(running.origin + address, { method, headers })
        const fields = ['content-encoding', 'etag', 'vary', 'content-length'] as const
        const [coding, etag, vary, length] = fields.map((name) => response.headers.get(name))
        return { status: response.status, coding, etag, vary, length, text: await response.text() }
      }
      const plain = await get({ 'accept-encoding': 'identity' })
      assert.deepEqual(
        [plain.status, plain.coding, plain.vary],
        [200, null, 'Accept, Accept-Encoding'],
      )
      const accepted = [
        ['gzip, deflate, br, zstd', 'br'],
        ['gzip;q=1.0, br;q=0, *;q=0.5', 'gzip'],
        ['*', 'br'],
        ['GZIP', 'gzip'],
        ['deflate', null],
        ['br;q=0', null],
      ] as const
      const etags = new Set([plain.etag])
      for (const [value, coding] of accepted) {
        const response = await get({ 'accept-encoding': value })
        assert.deepEqual([response.status, response.coding], [200, coding], value)
        assert.equal(response.text, plain.text)
        etags.add(response.etag)
        if (coding !== null) assert.ok(Number(response.length) < plain.text.length / 2)
        for (const tag of [`${response.etag}`, `"x", W/${response.etag}`, '*']) {
          const again = await get({ 'accept-encoding': value, 'if-none-match': tag })
          assert.deepEqual([again.status, again.text, again.etag], [304, '', response.etag])
        }
        const changed = await get({ 'accept-encoding': value, 'if-none-match': '"x"' })
        assert.equal(changed.status, 200)
      }
      assert.equal(etags.size, 3)
      const head = await get({ 'accept-encoding': 'identity' }, 'HEAD')
      assert.deepEqual(head, { ...plain, text: '' })
    })

    it('given the files of a page, when they are requested, then they need no authentication and are kept', async () => {
      const { text } = await send(running.client, '/api', browserAccept)
      const addresses = [...text.matchAll(/(?:href|src)="(\/api\/html\.[^"]+)"/g)]
      assert.ok(addresses.length > 10)
      for (const [, address = ''] of addresses) {
        const file = await running.client.send('GET', address, {
          headers: { Accept: browserAccept, 'X-Token': 'none' },
        })
        assert.equal(file.status, 200)
        assert.match(file.headers['content-type'] ?? '', /^text\/(css|javascript); charset=utf-8$/)
        assert.equal(file.headers['cache-control'], 'public, max-age=31536000, immutable')
        assert.equal((await running.client.send('POST', address)).status, 405)
      }
      const model = await running.client.send('GET', '/api/html.model.json', {
        headers: { 'X-Token': 'none' },
      })
      assert.equal(model.status, 401)
    })
  })
}
