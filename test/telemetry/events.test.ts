import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openSqlite } from 'lapidary/sqlite'
import { requestEnded } from '../../src/observe/events.ts'
import { hosts, type RunningHost } from '../adapters/hosts.ts'
import { inMemory } from '../databases.ts'
import { engine } from '../engine/engine.ts'
import { library, libraryTables } from '../engine/library.ts'
import { listen } from './listen.ts'

const tables = (columnTypes: Parameters<typeof libraryTables>[0]) => libraryTables(columnTypes)

engine('Events of requests and statements', { model: library, tables }, (api) => {
  it('of a read have its route, its status, and its statements with their rows', async () => {
    const { requests, statements } = await listen(() => api.get('/books', { sort: 'title' }))
    const [request, ...others] = requests
    assert.ok(request && others.length === 0)
    const { method, route, status, code, isStream } = request
    assert.deepEqual(
      { method, route: route?.path, status, code, isStream },
      { method: 'GET', route: '/books', status: 200, code: undefined, isStream: false },
    )
    assert.ok(statements.length > 0)
    for (const { request: of, duration, error, source } of statements) {
      assert.equal(of, request)
      assert.ok(duration >= 0)
      assert.equal(error, undefined)
      assert.equal(source.system, api.dialect === 'sqlite' ? 'sqlite' : 'postgresql')
    }
    const sum = statements.reduce((total, { duration }) => total + duration, 0)
    assert.ok(Math.abs(request.parts.db - sum) < 1e-6)
    assert.ok(request.parts.plan > 0)
    assert.ok(request.parts.serialize > 0)
  })

  it('of concurrent writes belong to the request that they are of', async () => {
    const post = (title: string) =>
      api.call('POST', '/books', { body: { data: { type: 'book', attributes: { title } } } })
    const { requests, statements } = await listen(() =>
      Promise.all(Array.from({ length: 20 }, (_, index) => post(`Book ${index}`))),
    )
    assert.equal(requests.length, 20)
    const inserts = statements.filter(({ statement }) => /^\s*(?:with|insert)/i.test(statement.sql))
    assert.equal(new Set(inserts.map(({ request }) => request)).size, 20)
    assert.ok(statements.every(({ request }) => request && requests.includes(request)))
  })

  it('of an error have its code', async () => {
    const { requests } = await listen(async () => {
      await api.get('/books/999999')
      await api.get('/nowhere')
      await api.get('/books', { sort: 'colour' })
    })
    assert.deepEqual(
      requests.map(({ route, status, code }) => [route?.path, status, code]),
      [
        ['/books/:id', 404, 'not_found'],
        [undefined, 404, 'route_not_found'],
        ['/books', 400, 'invalid_sort'],
      ],
    )
  })

  it('find the indexes that a read lacks', async () => {
    const { requests } = await listen(() => api.get('/books', { sort: 'title' }))
    const indexes = (await requests[0]?.findIndexes?.()) ?? []
    assert.ok(
      indexes.some((each) => /create index .*title/is.test(each)),
      indexes.join('\n'),
    )
  })

  it('are not made while nobody listens', async () => {
    assert.equal(requestEnded.hasSubscribers, false)
    assert.equal((await api.get('/books')).status, 200)
  })
})

const rows = `insert into book (id, title)
  with recursive n (n) as (select 100 union all select n + 1 from n where n < 2000) select n, 'Book' from n`

for (const host of hosts) {
  describe(`Events of requests: ${host.name}`, () => {
    const store = openSqlite(library, ':memory:')
    let running: RunningHost
    before(async () => {
      await store.migrate([{ version: 1, sql: `${libraryTables(inMemory.columnTypes)};${rows}` }])
      running = await host.start({ model: library, store, prefix: '/api' })
    })
    after(async () => {
      await running.close()
      await store.close()
    })

    it('are published once for each request, with the prefix in the route', async () => {
      const { requests } = await listen(async () => {
        for (const path of ['/books/100', '/books/none', '/none'])
          await (await fetch(`${running.origin}/api${path}`)).text()
        await (await fetch(`${running.origin}/api/books`, { method: 'PUT' })).text()
      })
      assert.deepEqual(
        requests.map(({ method, route, status }) => [method, route?.path, status]),
        [
          ['GET', '/api/books/:id', 200],
          ['GET', '/api/books/:id', 404],
          ['GET', undefined, 404],
          ['PUT', '/api/books', 405],
        ],
      )
    })

    it('of a stream end with it, and its statements belong to it', async () => {
      const { requests, statements } = await listen(async () => {
        const response = await fetch(`${running.origin}/api/books?page[size]=0`)
        assert.equal((await response.text()).length > 10_000, true)
      })
      const [request] = requests
      assert.equal(request?.isStream, true)
      assert.equal(request.responseSize, undefined)
      const streamed = statements.filter(({ rows: count }) => count > 1000)
      assert.ok(streamed.length > 0)
      assert.ok(statements.every((each) => each.request === request))
    })
  })
}
