import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { createHandler } from 'lapidary'
import { createClient } from 'lapidary/client'
import { createServer } from 'lapidary/fastify'
import { createPages } from 'lapidary/html'
import { openSqlite } from 'lapidary/sqlite'
import { inMemory } from '../databases.ts'
import { library, libraryTables } from '../engine/library.ts'

/** Addresses with a call of the typed client, and the call. */
const calls: readonly (readonly [path: string, call: string])[] = [
  ['/authors', 'await client.author.list()'],
  ['/authors/2', "await client.author.get('2')"],
  [
    '/authors/2?include=books.author&fields[book]=title,author',
    "await client.author.get('2', { include: ['books.author'], fields: { book: ['title', 'author'] } })",
  ],
  [
    '/authors/1/books?sort=-title,id',
    "await client.author.related('1', 'books', { sort: ['-title', 'id'] })",
  ],
  ['/authors/2/teacher', "await client.author.related('2', 'teacher')"],
  [
    '/books?page[size]=2&page[number]=2',
    'await client.book.list({ page: { size: 2, number: 2 } })',
  ],
  [
    '/books?page[total]=none&page[size]=2&page[cursors]=true',
    "await client.book.list({ page: { total: 'none', size: 2, cursors: true } })",
  ],
  [
    '/authors?include=books&includePage[books][size]=1&includeSort[books]=-title&includeFilter[books]=[{"name":"title","op":"ne","val":"A"}]',
    "await client.author.list({ include: ['books'], includePage: { books: { size: 1 } }, includeSort: { books: ['-title'] }, includeFilter: { books: [{ name: 'title', op: 'ne', val: 'A' }] } })",
  ],
  [
    `/books?filter=${encodeURIComponent('[{"name":"author","op":"has","val":{"name":"name","op":"like","val":"\'B\\"%"}},{"not":{"name":"pages","op":"in_","val":[1,2]}}]')}&filter[title]=A`,
    `await client.book.list({ filter: [{ name: 'author', op: 'has', val: { name: 'name', op: 'like', val: '\\'B"%' } }, { not: { name: 'pages', op: 'in_', val: [1, 2] } }, { name: 'title', op: 'eq', val: 'A' }] })`,
  ],
]

const run = promisify(execFile)

/** Reads the code that a page shows, without its elements. */
function readCode(page: string): string[] {
  const [, code = ''] = page.split('This request as code')
  return [...code.matchAll(/<code>(.*?)<\/code>/gs)].map(([, html = '']) =>
    html
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&amp;', '&'),
  )
}

describe('The code of a request on a page', () => {
  const store = openSqlite(library, ':memory:')
  const handle = createHandler({ model: library, store, html: createPages() })
  const requests: string[] = []
  const client = createClient({
    url: 'http://library.test',
    fetch: (input, init) => {
      const request = new Request(input, init)
      requests.push(request.url)
      return handle(request)
    },
  })

  before(() => store.migrate([{ version: 1, sql: libraryTables(inMemory.columnTypes) }]))
  after(() => store.close())

  /** Reads the data of an address by HTTP. */
  const read = async (url: string) => {
    const response = await handle(new Request(new URL(url, 'http://library.test')))
    assert.equal(response.status, 200, url)
    return (await response.json()).data
  }

  for (const [path, call] of calls) {
    it(`given ${decodeURIComponent(path)}, when its call runs, then it requests the resources of the page`, async () => {
      const headers = { accept: 'text/html' }
      const page = await handle(new Request(`http://library.test${path}`, { headers }))
      const text = (await page.text())
        .replaceAll('&quot;', '"')
        .replaceAll('&lt;', '<')
        .replaceAll('&amp;', '&')
      assert.ok(text.includes(`<bdi>${call}</bdi>`), text.slice(text.indexOf('Typed client')))
      requests.length = 0
      await new Function('client', `return (async () => { ${call} })()`)(client)
      assert.deepEqual(await read(requests.at(-1) ?? ''), await read(path))
    })
  }

  it('given a page, when its curl command and its call of fetch are pasted, then they get its document', async (test) => {
    const server = createServer({ model: library, store, html: createPages(), logLevel: 'silent' })
    const origin = await server.listen({ host: '127.0.0.1', port: 0 })
    test.after(() => server.close())
    const hostile = JSON.stringify([{ name: 'name', op: 'ne', val: `'$(id)"\`\\ü[1-2]{a}` }])
    for (const search of ['?page[size]=1&sort=-name', `?filter=${encodeURIComponent(hostile)}`]) {
      const url = `${origin}/authors${search}`
      const document = await (await fetch(url)).json()
      assert.ok(document.data.length > 0)
      const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text()
      const [curl = '', call = ''] = readCode(page)
      const { stdout } = await run('sh', ['-c', `${curl} --silent`])
      assert.deepEqual(JSON.parse(stdout), document)
      assert.deepEqual(
        await new Function(`return (async () => { ${call}; return document })()`)(),
        document,
      )
    }
  })

  for (const path of [
    '/',
    '/authors/1/relationships/books',
    '/authors/99',
    '/books?filter[id]=1,2',
    '/books?filter[title][like]=a',
  ]) {
    it(`given ${path}, when its page is read, then it has no call`, async () => {
      const headers = { accept: 'text/html' }
      const page = await handle(new Request(`http://library.test${path}`, { headers }))
      assert.doesNotMatch(await page.text(), /Typed client/)
    })
  }
})
