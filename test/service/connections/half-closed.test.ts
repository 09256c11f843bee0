import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { transports } from '../../certificate.ts'
import { eventually, openSocket, request, statuses } from '../../raw-socket.ts'
import { noteBody, serveNotes } from '../notes.ts'

// HTTP/2 has an end of each request instead.
for (const [name, options, tags] of transports.slice(0, 2))
  describe(`A client that closes its sending side ${name}`, tags, () => {
    const server = serveNotes(options, 2000)

    for (const [title, bytes, expected] of [
      ['a read', request('GET', '/notes/1'), [200]],
      ['a stream', request('GET', '/notes?page[size]=0'), [200]],
      ['a write', request('POST', '/notes', [], noteBody('half')), [201]],
      ['a request of HTTP/1.0', 'GET /notes/1 HTTP/1.0\r\n\r\n', [200]],
      ['pipelined requests', request('GET', '/notes/1').repeat(5), [200, 200, 200, 200, 200]],
      ['half a head', 'GET /notes HTTP/1.1\r\nHost: lo', [400]],
      ['half a body', request('POST', '/notes', [], noteBody('half')).slice(0, -5), [400]],
    ] as const) {
      it(`given ${title}, when it is sent before, then the client gets the whole response, and the connection closes`, async () => {
        const client = await openSocket(server.origin)
        client.socket.end(bytes)
        const received = await client.closed()
        assert.deepEqual(statuses(received), expected)
        if (title === 'a stream') assert.match(received, /"note 2000".*\r\n0\r\n\r\n$/s)
      })
    }

    it('given a response that takes long, when the client still reads, then it gets it after interim responses', async () => {
      server.held.length = 0
      const client = await openSocket(server.origin)
      client.socket.end(request('GET', '/held'))
      await client.until(/^HTTP\/1\.1 102 Processing\r\n\r\nHTTP\/1\.1 102/)
      server.held[0]?.()
      assert.match(await client.closed(), /HTTP\/1\.1 200 OK.*held$/s)
    })

    it('given a client of HTTP/1.0 that still reads, when the response takes long, then it gets no interim response', async () => {
      server.held.length = 0
      const client = await openSocket(server.origin)
      client.socket.end('GET /held HTTP/1.0\r\n\r\n')
      await eventually('the request', () => server.held.length === 1)
      await new Promise((resolve) => setTimeout(resolve, 600))
      server.held[0]?.()
      assert.deepEqual(statuses(await client.closed()), [200])
    })

    it('given no request, when it closes its sending side, then the connection closes', async () => {
      const client = await openSocket(server.origin)
      client.send(request('GET', '/notes/1'))
      await client.until(/"note 1"/)
      client.socket.end()
      assert.deepEqual(statuses(await client.closed()), [200])
    })

    it('given a client that is gone, when its response takes long, then the server notices it', async () => {
      server.held.length = 0
      const client = await openSocket(server.origin)
      let open = 0
      server.app.server.getConnections((_error, count) => {
        open = count
      })
      client.send(request('GET', '/held'))
      await eventually('the request', () => server.held.length === 1)
      client.socket.destroy()
      await eventually('the end of the connection', () => {
        server.app.server.getConnections((_error, count) => {
          open = count
        })
        return open === 0
      })
    })
  })
