import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually, openSocket, request, statuses } from '../../raw-socket.ts'
import { noteBody, serveNotes } from '../notes.ts'

const garbage = '\x16\x03\x01 this is not HTTP\r\n\r\n'

/** The concatenated bodies of chunked responses. */
function unchunked(body: string): string {
  let text = ''
  for (let at = 0; ; ) {
    const end = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.slice(at, end), 16)
    if (!(size > 0)) return text
    text += body.slice(end + 2, end + 2 + size)
    at = end + 2 + size + 2
  }
}

describe('Bytes that are not HTTP', () => {
  const server = serveNotes({}, 5000)
  const { held } = server

  beforeEach(() => {
    held.length = 0
  })

  it('given nothing before them, when they arrive, then they are rejected and the connection closed', async () => {
    const client = await openSocket(server.origin)
    client.send(garbage)
    const received = await client.closed()
    assert.deepEqual(statuses(received), [400])
    assert.match(received, /^content-type: application\/vnd\.api\+json\r$/m)
    assert.match(received, /^x-content-type-options: nosniff\r$/m)
    assert.match(received, /^connection: close\r$/m)
    assert.match(received, /"code":"invalid_request"/)
  })

  it('given a valid write before them, when both arrive at once, then its response comes first', async () => {
    const client = await openSocket(server.origin)
    client.send(request('POST', '/notes', [], noteBody('written')) + garbage)
    const received = await client.closed()
    assert.deepEqual(statuses(received), [201, 400])
    assert.ok(received.indexOf('"written"') < received.indexOf('invalid_request'))
  })

  it('given a response that takes long, when they arrive, then they are rejected after it', async () => {
    const client = await openSocket(server.origin)
    client.send(request('POST', '/held') + garbage + garbage)
    await eventually('the request', () => held.length === 1)
    client.send(garbage)
    await pause(100)
    assert.equal(client.received(), '')
    held[0]?.()
    assert.deepEqual(statuses(await client.closed()), [200, 400])
  })

  it('given pipelined requests before them, when they arrive, then all of these are answered first', async () => {
    const client = await openSocket(server.origin)
    client.send(request('GET', '/held').repeat(3) + garbage)
    await eventually('all requests', () => {
      for (const release of held) release()
      return held.length === 3
    })
    assert.deepEqual(statuses(await client.closed()), [200, 200, 200, 400])
  })

  it('given a stream, when they arrive, then nothing is written into its body', async () => {
    const client = await openSocket(server.origin)
    client.send(request('GET', '/notes?page[size]=0') + garbage)
    const received = await client.closed()
    assert.deepEqual(statuses(received), [200, 400])
    const [, stream = ''] = received.split(/\r\n\r\n(.*\r\n0\r\n\r\n)/s)
    const { data, meta } = JSON.parse(unchunked(stream))
    assert.ok(meta.count >= 5000)
    assert.equal(data.length, meta.count)
  })

  it('given a body that is broken, when it arrives, then there is one response and nothing is written', async () => {
    const client = await openSocket(server.origin)
    const head = request('POST', '/notes', [
      'Content-Type: application/vnd.api+json',
      'Transfer-Encoding: chunked',
    ])
    client.send(head)
    await pause(50)
    client.send('zz\r\n')
    assert.deepEqual(statuses(await client.closed()), [400])
  })

  it('given a rejected request, when its body is broken, then there is one response', async () => {
    const client = await openSocket(server.origin)
    client.send(request('POST', '/nowhere', ['Transfer-Encoding: chunked']))
    await client.until(/route_not_found/)
    client.send('zz\r\n')
    assert.deepEqual(statuses(await client.closed()), [404])
  })

  it('given a request that waits, when its body is broken, then it does not begin', async () => {
    const client = await openSocket(server.origin)
    client.send(
      `${request('GET', '/held')}${request('POST', '/held', ['Transfer-Encoding: chunked'])}zz\r\n`,
    )
    await eventually('the first request', () => held.length === 1)
    held[0]?.()
    assert.deepEqual(statuses(await client.closed()), [200, 400])
    assert.equal(held.length, 1)
  })
})

describe('Requests that do not arrive', () => {
  const server = serveNotes({ requestTimeout: 300 })

  it('given half a head, when the time is over, then the client gets 408 and the connection is closed', async () => {
    const client = await openSocket(server.origin)
    client.send('GET /notes HTTP/1.1\r\nHost: local')
    const received = await client.closed()
    assert.deepEqual(statuses(received), [408])
    assert.match(received, /"code":"request_timeout"/)
    assert.match(received, /^x-content-type-options: nosniff\r$/m)
  })

  it('given half a body, when the time is over, then the client gets 408 and nothing is written', async () => {
    const client = await openSocket(server.origin)
    const complete = request('POST', '/notes', [], noteBody('late'))
    client.send(complete.slice(0, -5))
    assert.deepEqual(statuses(await client.closed()), [408])
    assert.equal((await server.app.inject('/notes/1')).statusCode, 404)
  })

  it('given a rejected request, when its body does not end, then there is one response', async () => {
    const client = await openSocket(server.origin)
    client.send(request('POST', '/nowhere', ['Content-Length: 100']))
    assert.deepEqual(statuses(await client.closed()), [404])
  })

  it('given a response that takes longer, when the time is over, then it is still sent', async () => {
    const client = await openSocket(server.origin)
    client.send(request('GET', '/held'))
    await pause(900)
    server.held[0]?.()
    await client.until(/held/)
    assert.deepEqual(statuses(client.received()), [200])
    client.socket.destroy()
  })
})
