import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { beforeEach, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { transports } from '../../certificate.ts'
import { eventually, openSocket, request, statuses } from '../../raw-socket.ts'
import { noteBody, serveNotes } from '../notes.ts'

/** A time in which a wrong server would have acted, in milliseconds. */
const aWhile = 200

for (const [transport, options, suite] of transports) {
  describe(`Pipelined requests ${transport}`, suite, () => {
    const server = serveNotes(options)
    const { held } = server
    let accepted: Socket[] = []
    server.app.server.on('connection', (socket) => accepted.push(socket))

    beforeEach(() => {
      held.length = 0
      accepted = []
    })

    it('given several in one segment, when they are processed, then one at a time and in order', async () => {
      const client = await openSocket(server.origin)
      const bodies = ['one', 'two', 'three'].map(noteBody)
      const writes = bodies.map((body) => request('POST', '/notes', [], body))
      const reads = [1, 2, 3, 4].map((id) => request('GET', `/notes/${id}`))
      client.send([...writes, ...reads].join(''))
      const received = await client.until(/route_not_found|not_found/)
      assert.deepEqual(statuses(received), [201, 201, 201, 200, 200, 200, 404])
      const texts = [...received.matchAll(/"text":"(\w+)"/g)].map(([, value]) => value)
      assert.deepEqual(texts, ['one', 'two', 'three', 'one', 'two', 'three'])
      client.socket.destroy()
    })

    it('given an unfinished response, when more requests arrive, then they do not begin', async () => {
      const client = await openSocket(server.origin)
      client.send(request('GET', '/held').repeat(50))
      await eventually('the first request', () => held.length === 1)
      for (let finished = 1; finished < 50; finished += 1) {
        held[finished - 1]?.()
        await eventually(`request ${finished + 1}`, () => held.length === finished + 1)
      }
      held.at(-1)?.()
      await eventually('all responses', () => statuses(client.received()).length === 50)
      client.socket.destroy()
    })

    it('given responses that nobody reads, when requests keep coming, then few begin and little is read', async () => {
      const clients = await Promise.all(
        Array.from({ length: 12 }, () => openSocket(server.origin, { reads: false })),
      )
      for (const { send } of clients) send(request('GET', '/held').repeat(100))
      await eventually('a request of each', () => held.length === 12)
      const padding = request('GET', '/notes', [`X-Padding: ${'x'.repeat(20_000)}`])
      for (const { send } of clients) send(padding.repeat(400))
      await pause(aWhile)
      assert.equal(held.length, 12)
      for (const { bytesRead } of accepted)
        assert.ok(bytesRead < 400_000, `${bytesRead} bytes read`)
      for (const { socket } of clients) socket.destroy()
      await eventually('the end of all connections', () => {
        for (const release of held.splice(0)) release()
        return accepted.every((each) => each.closed)
      })
    })

    it('given a body that waits, when its turn comes, then it is read whole', async () => {
      const client = await openSocket(server.origin)
      const long = noteBody('x'.repeat(900_000))
      const write = request('POST', '/notes', [], long)
      client.send(request('GET', '/held') + write.slice(0, 1000))
      await eventually('the first request', () => held.length === 1)
      client.send(write.slice(1000) + request('GET', '/held'))
      await pause(aWhile)
      assert.equal(held.length, 1)
      const [first] = accepted
      assert.ok(first && first.bytesRead < 500_000, `${first?.bytesRead} bytes read`)
      held[0]?.()
      await eventually('the last request', () => held.length === 2)
      held[1]?.()
      await eventually('all responses', () => statuses(client.received()).length === 3)
      assert.deepEqual(statuses(client.received()), [200, 201, 200])
      client.socket.destroy()
    })

    it('given more than 100 that wait for a read, when they arrive, then the connection is closed', async () => {
      const client = await openSocket(server.origin)
      client.send(request('GET', '/held').repeat(1000))
      assert.deepEqual(statuses(await client.closed()), [])
      assert.equal(held.length, 1)
    })

    it('given more than 100 that wait for a write, when it is done, then its client learns of it', async () => {
      const client = await openSocket(server.origin)
      client.send(request('POST', '/held') + request('GET', '/held').repeat(1000))
      await eventually('the first request', () => held.length === 1)
      await pause(aWhile)
      assert.ok(!client.socket.closed)
      held[0]?.()
      assert.deepEqual(statuses(await client.closed()), [200])
      assert.equal(held.length, 1)
    })

    it('given a client that leaves, when requests of it wait, then they are dropped', async () => {
      const client = await openSocket(server.origin)
      client.send(request('GET', '/held').repeat(10))
      await eventually('the first request', () => held.length === 1)
      client.socket.destroy()
      // The server learns of it when it sends.
      await eventually('the end of the connection', () => {
        held.at(-1)?.()
        return accepted.every((each) => each.closed)
      })
      assert.ok(held.length < 5, `${held.length} requests have begun`)
    })

    it('given a failing expectation among them, when it is its turn, then it is rejected in order', async () => {
      const client = await openSocket(server.origin)
      const odd = request('GET', '/notes', ['Expect: 200-ok'])
      client.send(request('GET', '/held') + odd + request('GET', '/notes/1'))
      await eventually('the first request', () => held.length === 1)
      assert.equal(client.received(), '')
      held[0]?.()
      await client.until(/"type":"note"/)
      assert.deepEqual(statuses(client.received()), [200, 417, 200])
      client.socket.destroy()
    })

    it('given no socket at all, when a request is injected, then it is answered', async () => {
      const answer = await server.app.inject({ method: 'GET', url: '/notes/1' })
      assert.equal(answer.statusCode, 200)
    })
  })
}
