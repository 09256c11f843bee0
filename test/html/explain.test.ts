import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { attribute, createHandler, defineModel, RequestError, resource, sql, text } from 'lapidary'
import { createPages } from 'lapidary/html'
import { openSqlite } from 'lapidary/sqlite'
import { databases, inMemory } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { library, libraryTables } from '../engine/library.ts'
import { filled } from '../filled.ts'

describe('The page with the SQL of a read in a model with begin', () => {
  for (const database of databases)
    it(`runs begin in the transaction of the read, with the identity of the request · ${database.name}`, async (test) => {
      const url = await filled(
        test,
        database,
        'create table note (id integer primary key, line text)',
      )
      const seen: unknown[] = []
      const fields = { line: attribute(text) }
      const note = resource('note', { path: '/notes', table: 'note', fields })
      const model = defineModel([note], {
        hooks: {
          begin: async ({ auth, query }) => {
            const [row] = await query(sql`select 1 as one`)
            seen.push([auth, Number(row?.one)])
            if (auth !== 'ada') throw new RequestError({ status: 403, detail: 'Not you.' })
          },
        },
      })
      const store = await openStore(model, url)
      test.after(() => store.close())
      const handle = createHandler({
        ...{ model, store, html: createPages({ explain: true }) },
        authenticate: ({ headers }) => headers.get('user'),
      })
      const explain = (user: string) =>
        handle(
          new Request('http://x/html.explain?url=/notes', {
            headers: { accept: 'text/html', user },
          }),
        )
      const response = await explain('ada')
      assert.equal(response.status, 200)
      assert.match(await response.text(), /from &quot;note&quot; as &quot;t0&quot;/)
      assert.deepEqual(seen, [['ada', 1]])
      assert.equal((await explain('ben')).status, 403)
    })
})

describe('The page with the SQL of a read', () => {
  const store = openSqlite(library, ':memory:')
  const options = {
    ...{ model: library, store, prefix: '/api' },
    authenticate: ({ headers }: Request) => {
      if (headers.has('x-rejected')) throw new RequestError({ status: 401, detail: 'Who are you?' })
    },
  }
  const handle = createHandler({ ...options, html: createPages({ explain: true }) })
  const open = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const request = new Request(`http://library.test${path}`, {
      headers: { accept: 'text/html', ...headers },
    })
    const response = await handle(request)
    return { status: response.status, html: await response.text() }
  }
  /** Opens the explanation to which a page links. */
  const explain = async (path: string) => {
    const [, href = ''] = /href="(\/api\/html\.explain[^"]*)"/.exec((await open(path)).html) ?? []
    return open(href.replaceAll('&amp;', '&'))
  }

  before(() => store.migrate([{ version: 1, sql: libraryTables(inMemory.columnTypes) }]))
  after(() => store.close())

  it('given a list with a filter and an include, when its page is followed, then SQL, values, plan and rows are shown', async () => {
    const { status, html } = await explain('/api/books?filter[title]=B&include=author')
    assert.equal(status, 200)
    assert.match(html, /<h2>Statement 2<\/h2>/)
    assert.match(html, /from &quot;book&quot; as &quot;t0&quot;/)
    assert.match(html, /<li><code><bdi>&quot;B&quot;<\/bdi><\/code><\/li>/)
    assert.match(html, /<p>1 row in \d+\.\d ms<\/p>/)
    assert.match(html, /Query plan of Statement 1/)
  })

  it('given a filter without an index, when it is explained, then the page says which index it lacks', async () => {
    const { html } = await explain('/api/books?filter[title]=B')
    assert.match(html, /The filter by book\.title \(eq\) reads every row/)
    assert.match(html, /create index .* on &quot;book&quot; \(&quot;title&quot;\)/i)
    assert.match(
      html,
      /With it, only the rows that match this condition are read: 1 of the 4 rows\./,
    )
    assert.match(html, /with the indexes above.*SEARCH t0 USING INDEX book_title/)
  })

  for (const path of ['/api', '/api/books/99', '/api/books?colour=red'])
    it(`${path}: given an error or the root, when its page is opened, then it has no link to an explanation`, async () => {
      assert.doesNotMatch((await open(path)).html, /html\.explain/)
    })

  it('given the URL of another host, when it is explained, then the page links the path of this server', async () => {
    const url = 'http://other.test/api/books?sort=title'
    const { html: text } = await open(`/api/html.explain?${new URLSearchParams({ url })}`)
    assert.match(text, /GET <a href="\/api\/books\?sort=title">/)
    assert.match(text, /<a href="\/api\/books" aria-current="page">/)
    assert.doesNotMatch(text, /other\.test/)
  })

  for (const url of [
    '/api/books?colour=red',
    '/api/nowhere',
    '/elsewhere',
    'http://other.test/api/cars',
  ])
    it(`given the address ${url} with an error, when it is explained, then the error is that of the address`, async () => {
      const explained = await open(`/api/html.explain?${new URLSearchParams({ url })}`)
      const [, path = ''] = /^(?:http:\/\/other\.test)?(.*)$/.exec(url) ?? []
      const { status } = await open(path)
      assert.equal(explained.status, status, url)
      assert.ok(status >= 400)
    })

  it('given a request that is not authenticated, when it asks for an explanation, then it is rejected', async () => {
    const { status } = await open('/api/html.explain?url=/api/books', { 'x-rejected': 'yes' })
    assert.equal(status, 401)
  })

  it('given pages without the option, when an explanation is opened, then there is no such route', async () => {
    const plain = createHandler({ ...options, html: createPages() })
    const read = async (path: string) => {
      const request = new Request(`http://library.test${path}`, {
        headers: { accept: 'text/html' },
      })
      const response = await plain(request)
      return { status: response.status, html: await response.text() }
    }
    assert.doesNotMatch((await read('/api/books')).html, /html\.explain/)
    assert.equal((await read('/api/html.explain?url=/api/books')).status, 404)
  })
})
