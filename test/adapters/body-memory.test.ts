import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { createGunzip, gzipSync } from 'node:zlib'
import { createServer } from 'lapidary/fastify'
import { openSqlite } from 'lapidary/sqlite'
import { inMemory } from '../databases.ts'
import { library, libraryTables } from '../engine/library.ts'
import { long } from '../long-tests.ts'
import { eventually, openSocket, type RawSocket, request, statuses } from '../raw-socket.ts'
import { noTimeInCi } from '../read-count.ts'
import { hosts, type RunningHost } from './hosts.ts'

const megabyte = 2 ** 20
/** More bodies of a megabyte than the server holds before it processes them, which are 128. */
const many = 150

const document = JSON.stringify({ data: { type: 'author', attributes: { name: 'Eve' } } })
const whole = request('POST', '/api/authors', [], document.padStart(megabyte))
const incomplete = whole.slice(0, -10)
const rest = whole.slice(-10)

for (const [index, host] of hosts.entries()) {
  describe(`Large bodies that do not arrive completely: ${host.name}`, () => {
    const store = openSqlite(library, ':memory:')
    const sockets: RawSocket[] = []
    let running: RunningHost | undefined
    after(async () => {
      for (const { socket } of sockets) socket.destroy()
      await running?.close()
      await store.close()
    })

    it(
      'given more than the memory for them, when others arrive, then those that have waited longest get 503',
      index === 0 ? {} : { ...long, skip: noTimeInCi },
      async () => {
        await store.migrate([{ version: 1, sql: libraryTables(inMemory.columnTypes) }])
        running = await host.start({ model: library, store, prefix: '/api' })
        const { origin } = running
        const send = async (bytes: string) => {
          const client = await openSocket(origin)
          sockets.push(client)
          client.send(bytes)
          return client
        }
        const isServed = async () => (await send(whole)).until(/HTTP\/1\.1 201 /)

        const first = await send(incomplete)
        await isServed()
        const stalled = await Promise.all(Array.from({ length: many }, () => send(incomplete)))
        // A byte does not count as progress.
        first.send(rest.slice(0, 1))
        await eventually('503', () => statuses(first.received())[0] === 503)
        assert.match(await first.closed(), /^retry-after: 1\r$/im)
        assert.match(first.received(), /"code":"overloaded"/)
        const last = await send(incomplete)
        for (let times = 0; times < 5; times += 1) await isServed()
        assert.equal(last.received(), '')
        last.send(rest)
        await last.until(/HTTP\/1\.1 201 /)
        const rejected = stalled.filter(({ received }) => received() !== '')
        assert.deepEqual(
          new Set(rejected.flatMap(({ received }) => statuses(received()))),
          new Set([503]),
        )
        assert.ok(
          rejected.length > many - 140 && rejected.length < many - 100,
          `${rejected.length}`,
        )
      },
    )
  })
}

describe('A small body', () => {
  const store = openSqlite(library, ':memory:')
  const app = createServer({ model: library, store, logLevel: 'silent' })
  const headers = { 'content-type': 'application/vnd.api+json' }
  const post = (fields: Record<string, string>) =>
    app.inject({
      method: 'POST',
      url: '/authors',
      headers: { ...headers, ...fields },
      payload: document,
    })
  before(() => store.migrate([{ version: 1, sql: libraryTables(inMemory.columnTypes) }]))
  after(async () => {
    await app.close()
    await store.close()
  })

  it('given a client in the process, when it has another length than announced, then it is rejected', async () => {
    for (const length of [1, document.length - 1, document.length + 1, 60_000]) {
      const { statusCode, body } = await post({ 'content-length': String(length) })
      assert.equal(statusCode, 400, `${length}`)
      assert.match(body, /The body does not have the length in Content-Length/)
    }
    assert.equal((await post({})).statusCode, 201)
  })

  it('given pieces of a byte, when they arrive, then it is read', async () => {
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    const client = await openSocket(origin)
    client.socket.setNoDelay(true)
    for (const piece of request('POST', '/authors', [], document)) {
      client.send(piece)
      await nextIteration()
    }
    await client.until(/HTTP\/1\.1 201 /)
    client.socket.destroy()
  })
})

it('given a plugin that decodes bodies, when one is malformed, then it is 400, and others are read', async (test) => {
  const store = openSqlite(library, ':memory:')
  await store.migrate([{ version: 1, sql: libraryTables(inMemory.columnTypes) }])
  const app = createServer({ model: library, store, logLevel: 'silent' })
  test.after(async () => {
    await app.close()
    await store.close()
  })
  app.addHook('preParsing', async (_request, _reply, payload) => payload.pipe(createGunzip()))
  const headers = { 'content-type': 'application/vnd.api+json' }
  const post = async (payload: Buffer) =>
    (await app.inject({ method: 'POST', url: '/authors', headers, payload })).statusCode
  assert.equal(await post(gzipSync(document)), 201)
  assert.equal(await post(Buffer.from(document)), 400)
  assert.equal(await post(gzipSync(' '.repeat(megabyte + 1))), 413)
})
