import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import fastify from 'fastify'
import { createHandler, DeclarationError, defineModel, RequestError } from 'lapidary'
import { createServer, jsonApi } from 'lapidary/fastify'
import { createPages } from 'lapidary/html'
import { createNodeHandler } from 'lapidary/node'
import { openSqlite } from 'lapidary/sqlite'
import { type Client, connect } from '../client.ts'
import { inMemory } from '../databases.ts'
import { library, libraryTables } from '../engine/library.ts'
import { type HostOptions, hosts, type RunningHost } from './hosts.ts'

const manyBooks = `
  with recursive n (n) as (select 5 union all select n + 1 from n where n < 20000)
  insert into book (id, title) select n, 'A long title of a book, number ' || n from n;`

/** A rejected promise of another library. */
function foreignRejection(error: Error): object {
  const settle = (_resolve: unknown, reject: (error: Error) => void) => reject(error)
  return Object.fromEntries([['then', settle]])
}

async function openLibrary() {
  const store = openSqlite(library, ':memory:')
  await store.migrate([{ version: 1, sql: `${libraryTables(inMemory.columnTypes)};${manyBooks}` }])
  return store
}

/** Starts a host on a database of its own. */
async function startHost(name: string, options: Partial<HostOptions> = {}) {
  const host = hosts.find((each) => each.name === name)
  assert.ok(host)
  const store = await openLibrary()
  const running: RunningHost = await host.start({
    ...{ model: library, store, prefix: '/api', publicUrl: 'http://api.test', maxBody: 2000 },
    ...options,
  })
  const client = connect(running.origin)
  const close = async () => {
    client.close()
    await running.close()
    await store.close()
  }
  return { client, origin: running.origin, store, close }
}

for (const { name } of hosts) {
  describe(`Mounting: ${name}`, () => {
    let running: Awaited<ReturnType<typeof startHost>>
    let client: Client
    before(async () => {
      // Pages for browsers change no response to a client of the API.
      running = await startHost(name, { html: createPages() })
      ;({ client } = running)
    })
    after(() => running.close())

    it("leaves the host's own routes alone", async () => {
      const { status, text } = await client.send('GET', '/own')
      assert.deepEqual([status, JSON.parse(text)], [200, { own: true }])
      assert.equal((await client.send('GET', '/apiary')).status, 404)
    })

    it('takes a query as the body of a QUERY', async () => {
      const expected = await client.send('GET', '/api/books?sort=-id&page[size]=2')
      const headers = { 'content-type': 'application/json' }
      const body = { sort: ['-id'], page: { size: 2 } }
      const asJson = await client.send('QUERY', '/api/books', { headers, body })
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      const raw = 'sort=-id&page%5Bsize%5D=2'
      const asForm = await client.send('QUERY', '/api/books', { headers: form, raw })
      for (const { status, text, headers } of [asJson, asForm]) {
        assert.deepEqual([status, text], [200, expected.text])
        assert.equal(headers.location, '/api/books?sort=-id&page%5Bsize%5D=2')
      }
    })

    it('streams a long list as fast as the client reads', async () => {
      const outgoing = request(`${running.origin}/api/books?page[size]=0`)
      outgoing.end()
      const [incoming] = await once(outgoing, 'response')
      incoming.setEncoding('utf8')
      let text = ''
      for await (const chunk of incoming) text += chunk
      const { data, meta } = JSON.parse(text)
      assert.equal(data.length, meta.count)
      assert.ok(data.length > 19_000)
    })

    it('releases the stream of a client that disconnects', async () => {
      for (let each = 0; each < 20; each += 1) {
        const outgoing = request(`${running.origin}/api/books?page[size]=0`)
        outgoing.on('error', () => {})
        outgoing.end()
        const [incoming] = await once(outgoing, 'response')
        incoming.on('error', () => {})
        await once(incoming, 'readable')
        incoming.destroy()
      }
      await pause(50)
      assert.equal((await client.send('GET', '/api/books?page[size]=1')).status, 200)
    })

    it('sends a stream that has begun to its end when the host is closed, and the store after it', async () => {
      const stopped = await startHost(name)
      const outgoing = request(`${stopped.origin}/api/books?page[size]=0`, { agent: false })
      outgoing.end()
      const [incoming] = await once(outgoing, 'response')
      incoming.setEncoding('utf8')
      await once(incoming, 'readable')
      const closed = stopped.close()
      let text = ''
      for await (const chunk of incoming) text += chunk
      const { data, meta } = JSON.parse(text)
      assert.equal(data.length, meta.count)
      await closed
    })

    it('authenticates before it reads the body, and after the route is found', async () => {
      const calls: string[] = []
      const rejection = new RequestError({
        status: 401,
        code: 'unauthenticated',
        title: 'The request is not authenticated',
        detail: 'Send a token.',
        headers: { 'www-authenticate': 'Bearer' },
      })
      const guarded = await startHost(name, {
        authenticateBy: (header) => {
          const token = header('authorization') ?? ''
          calls.push(token)
          if (token === 'broken') throw undefined
          if (token === 'thenable') return foreignRejection(rejection)
          if (token !== 'secret') throw rejection
          return Promise.resolve({ id: 1 })
        },
      })
      const send = async (path: string, authorization: string) => {
        const headers = { Authorization: authorization }
        // The body is too large: a server that read it first would answer 413.
        const raw = JSON.stringify({ data: 'x'.repeat(3000) })
        const { status, headers: fields } = await guarded.client.send('POST', path, {
          headers,
          raw,
        })
        return [status, fields['www-authenticate']]
      }
      try {
        assert.deepEqual(await send('/api/authors', 'wrong'), [401, 'Bearer'])
        assert.deepEqual(await send('/api/authors', 'broken'), [500, undefined])
        assert.deepEqual(await send('/api/authors', 'thenable'), [401, 'Bearer'])
        assert.deepEqual(await send('/api/authors', 'secret'), [413, undefined])
        assert.deepEqual(await send('/api/nowhere', 'wrong'), [404, undefined])
        assert.deepEqual(calls, ['wrong', 'broken', 'thenable', 'secret'])
      } finally {
        await guarded.close()
      }
    })
  })
}

describe('The options of the adapters', () => {
  const store = openSqlite(library, ':memory:')
  after(() => store.close())
  const functions = {
    createServer: (options: object) => createServer(Object(options)),
    createHandler: (options: object) => createHandler(Object(options)),
    createNodeHandler: (options: object) => createNodeHandler(Object(options)),
    jsonApi: async (options: object) => {
      const app = fastify()
      app.register(jsonApi, Object(options))
      await app.ready()
    },
  }
  for (const [name, create] of Object.entries(functions)) {
    it(`of ${name} are checked`, async () => {
      const rejects = (options: object, message: RegExp) =>
        assert.rejects(
          async () => create({ model: library, store, ...options }),
          (error) => error instanceof DeclarationError && message.test(error.message),
        )
      await rejects(
        { authentcate: () => {} },
        new RegExp(`^${name}\\.authentcate: there is no such option; did you mean "authenticate"`),
      )
      await rejects(
        { prefix: 'api' },
        new RegExp(`^${name}\\.prefix: must be a path such as "/api"`),
      )
      await rejects({ prefix: '/:tenant' }, /prefix: must be a path .* without parameters/)
      await rejects({ publicUrl: 'api.example.org' }, /publicUrl: must be an origin/)
      await rejects({ html: true }, /html: must be the result of createPages; it is true/)
      await rejects({ store: undefined }, /store: must be an open store/)
      await rejects({ model: defineModel([]) }, /store: was opened for another model/)
    })
  }
})
