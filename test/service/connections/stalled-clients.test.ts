import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { transports } from '../../certificate.ts'
import { long } from '../../long-tests.ts'
import { eventually, openSocket, request, statuses } from '../../raw-socket.ts'
import { describeService } from '../../service-suite.ts'
import { block } from '../block.ts'
import { insertMany, isShared } from '../direct-database.ts'
import { serveNotes } from '../notes.ts'

const sendTimeout = 500

const hasPerl = spawnSync('perl', ['-v']).status === 0

/** Reads 20 KB of `/large` a second. Node.js cannot set the buffer of a socket, which by default hides such steps from the server. */
const slowReader = `
  use Socket qw(:all);
  socket(my $socket, PF_INET, SOCK_STREAM, 0);
  setsockopt($socket, SOL_SOCKET, SO_RCVBUF, 2048);
  setsockopt($socket, IPPROTO_TCP, TCP_MAXSEG, 536);
  connect($socket, pack_sockaddr_in($ARGV[0], INADDR_LOOPBACK));
  syswrite($socket, "GET /large HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n");
  select(undef, undef, undef, 0.05) while sysread($socket, my $bytes, 1000);`

describeService(
  'Clients that stop reading a stream',
  (fixture) => {
    if (!isShared(fixture)) return

    it('given as many as there are database connections, when the time is over, then others are served', async () => {
      await insertMany(fixture.databaseUrl, { persons: 10_000, computers: 0, nameLength: 1_000 })
      const stalled = await Promise.all(
        Array.from({ length: 4 }, () => openSocket(fixture.url, { reads: false })),
      )
      for (const { send } of stalled) send(request('GET', '/persons?page[size]=0'))
      // Each of them has begun, or waits for a database connection.
      await pause(200)
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => fixture.get('/persons/1', { include: 'computers' })),
      )
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
      const complete = await fixture.get('/persons', { 'page[size]': '0' })
      assert.equal(complete.many.length, 10_000)
      for (const { socket } of stalled) socket.destroy()
    })

    it('given a client that reads slowly, when it reads on, then it gets the whole document', async () => {
      await insertMany(fixture.databaseUrl, { persons: 10_000, computers: 0, nameLength: 1_000 })
      const slow = await openSocket(fixture.url)
      slow.send(request('GET', '/persons?page[size]=0', ['Connection: close']))
      for (let times = 0; times < 8; times += 1) {
        slow.socket.resume()
        await pause(30)
        slow.socket.pause()
        await pause(sendTimeout / 3)
      }
      slow.socket.resume()
      assert.match(await slow.closed(), /\r\n0\r\n\r\n$/)
    })
  },
  { settings: { sendTimeout, databasePool: 2 } },
)

for (const [transport, options, suite] of transports) {
  describe(`Clients that stop reading ${transport}`, suite, () => {
    const server = serveNotes({ ...options, sendTimeout: 300 }, 100_000)
    const large = 'x'.repeat(32 * 1024 * 1024)
    const accepted = new Set<Socket>()
    server.app.get('/large', async () => large)
    const event = 'https' in options ? 'secureConnection' : 'connection'
    server.app.server.on(event, (socket: Socket) => {
      accepted.add(socket)
      socket.on('close', () => accepted.delete(socket))
    })

    for (const [what, path] of [
      ['a large document', '/large'],
      ['a stream', '/notes?page[size]=0'],
    ] as const) {
      it(`given ${what}, when nothing of it is read, then the connection is closed`, async () => {
        const client = await openSocket(server.origin, { reads: false })
        client.send(request('GET', path))
        await eventually('the connection', () => accepted.size === 1)
        await eventually('its end', () => accepted.size === 0)
        client.socket.destroy()
      })
    }

    it('given a large document, when it is read slowly, then it arrives whole', async () => {
      const client = await openSocket(server.origin)
      client.send(request('GET', '/large', ['Connection: close']))
      for (let times = 0; times < 10; times += 1) {
        client.socket.pause()
        await pause(100)
        client.socket.resume()
        await pause(5)
      }
      const received = await client.closed()
      assert.deepEqual(statuses(received), [200])
      assert.ok(received.endsWith(large.slice(-1000)) && received.length > large.length)
    })

    it(
      'given a server that is blocked for longer than the time, when a client reads on, then it gets the whole document',
      long,
      async () => {
        const client = await openSocket(server.origin, { reads: false })
        client.send(request('GET', '/large', ['Connection: close']))
        await eventually('unsent data', () => [...accepted].some((each) => each.writableLength > 0))
        // The server checks the connection at least once before it is blocked.
        await pause(100)
        block(600)
        const received = await text(client.socket)
        assert.ok(received.endsWith(large.slice(-1000)) && received.length > large.length)
      },
    )

    it('given a connection without a request, when nothing is sent, then it stays open', async () => {
      const client = await openSocket(server.origin)
      await pause(1000)
      client.send(request('GET', '/notes/1'))
      await client.until(/"type":"note"/)
      client.socket.destroy()
    })
  })
}

describe('Clients that read little', { skip: !hasPerl && 'Perl is not installed' }, () => {
  const server = serveNotes({ sendTimeout: 2000 })
  server.app.get('/large', async () => 'x'.repeat(32 * 1024 * 1024))

  it('given a large document, when less than 64 KiB of it are read in the time, then the connection is closed', async (test) => {
    let isClosed = false
    server.app.server.on('connection', (socket) =>
      socket.on('close', () => {
        isClosed = true
      }),
    )
    const client = spawn('perl', ['-e', slowReader, new URL(server.origin).port])
    test.after(() => client.kill())
    await eventually('the end of the connection', () => isClosed)
    assert.equal(client.exitCode, null)
  })
})
