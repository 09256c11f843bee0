import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import type { Store } from 'lapidary'
import { runSequentially, type Step } from '../../../src/sql/write/steps.ts'
import { long } from '../../long-tests.ts'
import { eventually, openSocket, request, statuses } from '../../raw-socket.ts'
import { block } from '../block.ts'
import { noteBody, serveNotes } from '../notes.ts'

/** More than the server processes in one iteration. */
const many = 40
const processedAtOnce = 4
const text = 'x'.repeat(100_000)
const large = request('POST', '/notes', [], noteBody(text))
/** White space that is larger than the socket buffers of a client that does not read. */
const padding = ' '.repeat(12_000_000)

describe('Large bodies', () => {
  /** The methods of the requests whose handlers have begun, in order. */
  let begun: string[] = []
  const watchStore = (store: Store): Store => ({
    ...store,
    read: (...parameters) => {
      begun.push('GET')
      return store.read(...parameters)
    },
    transaction: (...parameters) => {
      begun.push('POST')
      return store.transaction(...parameters)
    },
  })
  const server = serveNotes({}, 1, { watchStore })
  let accepted = 0
  server.app.server.on('connection', () => {
    accepted += 1
  })
  let padded = 0
  server.app.addHook('onSend', async ({ headers }, reply, payload) => {
    if (headers['x-padded'] === undefined) return payload
    padded += 1
    reply.removeHeader('content-length')
    return String(payload) + padding
  })

  beforeEach(() => {
    begun = []
    accepted = 0
  })

  /** Opens connections, and waits until the server has accepted them. */
  const openMany = async (count: number, reads = true) => {
    const before = accepted
    const clients = await Promise.all(
      Array.from({ length: count }, () => openSocket(server.origin, { reads })),
    )
    await eventually('all connections', () => accepted === before + count)
    return clients
  }

  it('given many that arrive at once, when a small request arrives after them, then it is served before them', async () => {
    const [small, ...clients] = await openMany(many + 1)
    assert.ok(small)
    // This process is client and server: all bytes are in the kernel before the server reads any.
    for (const { send } of clients) send(large)
    small.send(request('GET', '/notes/1'))
    const responses = await Promise.all(clients.map(({ until }) => until(/\r\n\r\n\{.*\}$/s)))
    assert.deepEqual(new Set(responses.flatMap(statuses)), new Set([201]))
    assert.deepEqual(statuses(await small.until(/\r\n\r\n\{.*\}$/s)), [200])
    assert.equal(begun.length, many + 1)
    assert.ok(begun.indexOf('GET') < many / 2, `it was number ${begun.indexOf('GET')}`)
    for (const { socket } of [...clients, small]) socket.destroy()
  })

  it('given clients that disconnect while theirs wait, when others arrive, then these are processed', async () => {
    for (const { send, socket } of await openMany(many)) {
      send(large)
      setImmediate(() => socket.destroy())
    }
    const clients = await openMany(many)
    for (const { send } of clients) send(large)
    await Promise.all(clients.map(({ until }) => until(/HTTP\/1\.1 201 /)))
    for (const { socket } of clients) socket.destroy()
  })

  it(
    'given clients that do not read the responses, when others arrive, then these are processed',
    long,
    async () => {
      const unread = await openMany(processedAtOnce, false)
      for (const { send } of unread)
        send(request('POST', '/notes', ['X-Padded: 1'], noteBody(text)))
      await eventually('the responses', () => padded === processedAtOnce)
      const [client] = await openMany(1)
      client?.send(large)
      await client?.until(/HTTP\/1\.1 201 /)
      for (const { socket } of unread) socket.destroy()
      client?.socket.destroy()
    },
  )

  it('given thousands of chunks of a byte, when they arrive, then they are rejected and the connection closed', async () => {
    const type = 'Content-Type: application/vnd.api+json'
    const head = request('POST', '/notes', [type, 'Transfer-Encoding: chunked'])
    const client = await openSocket(server.origin)
    client.send(head + '1\r\n \r\n'.repeat(5000))
    const received = await client.closed()
    assert.deepEqual(statuses(received), [400])
    assert.match(received, /"code":"invalid_request"/)
    assert.match(received, /The body has more than 1024 chunks of less than 64 bytes on average/)
    assert.deepEqual(begun, [])
  })

  it('given hundreds of chunks of a byte, when they arrive, then they are read', async () => {
    const type = 'Content-Type: application/vnd.api+json'
    const head = request('POST', '/notes', [type, 'Transfer-Encoding: chunked'])
    const chunks = [...noteBody('x'.repeat(500))].map((character) => `1\r\n${character}\r\n`)
    const client = await openSocket(server.origin)
    client.send(`${head}${chunks.join('')}0\r\n\r\n`)
    await client.until(/HTTP\/1\.1 201 /)
    client.socket.destroy()
  })
})

it('given a step of a write that takes long, then the requests that have arrived are served before the next one', async () => {
  let isServed = false
  const needs: readonly Step<string[]>[] = []
  const slow: Step<string[]> = {
    needs,
    run: (state) => {
      setImmediate(() => {
        isServed = true
      })
      block(30)
      state.push('slow')
    },
  }
  const next: Step<string[]> = { needs, run: (state) => state.push(isServed ? 'after' : 'before') }
  assert.deepEqual(await runSequentially([slow, next, next], []), ['slow', 'after', 'after'])
  await eventually('the end', () => isServed)
})
