import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { http2Transports } from '../certificate.ts'
import { long } from '../long-tests.ts'
import { request as formatRequest, openSocket } from '../raw-socket.ts'
import { block } from './block.ts'
import { noteBody, serveNotes } from './notes.ts'

/** Status and text of a response; the error code of RFC 9113 when the server reset the stream. */
interface Received {
  readonly status: number | undefined
  readonly text: string
  readonly reset: number
}

async function receive(stream: ClientHttp2Stream): Promise<Received> {
  let status: number | undefined
  let text = ''
  stream.setEncoding('utf8')
  stream.on('response', (headers) => {
    status = headers[':status']
  })
  stream.on('data', (chunk: string) => {
    text += chunk
  })
  stream.on('error', () => {})
  await new Promise((resolve) => stream.once('close', resolve))
  return { status, text, reset: stream.rstCode ?? 0 }
}

const get = (session: ClientHttp2Session, path: string, headers: object = {}): Promise<Received> =>
  receive(session.request({ ':path': path, ...headers }))

const anyCertificate = { rejectUnauthorized: false }

/** A path whose response is streamed and larger than what is sent before a client must accept more. */
const allNotes = '/notes?page[size]=0'

const post = { ':path': '/notes', ':method': 'POST', 'content-type': 'application/vnd.api+json' }

/** Opens a connection before the tests of a suite and closes it after them. */
function useSession(getOrigin: () => string): () => ClientHttp2Session {
  let session: ClientHttp2Session | undefined
  before(() => {
    session = connect(getOrigin(), anyCertificate)
    session.on('error', () => {})
  })
  after(() => session?.destroy())
  return () => session ?? assert.fail('the session is opened before the tests')
}

for (const [transport, options, suite] of http2Transports) {
  describe(`HTTP/2 ${transport}`, suite, () => {
    const server = serveNotes(
      {
        ...options,
        sendTimeout: 300,
        requestTimeout: 400,
      },
      20_000,
    )
    const session = useSession(() => server.origin)
    /** Less than what is sent before a client must accept more, so one of them always waits. */
    const pieces = Array.from({ length: 24 }, () => 'x'.repeat(30_000))
    server.app.get('/pieces', () => Readable.from(pieces))

    it('given a stream, then all of it arrives', async () => {
      const { status, text } = await get(session(), allNotes)
      assert.equal(status, 200)
      assert.equal(JSON.parse(text).data.length, 20_000)
    })

    it('given a request with a body, then it is served', async () => {
      const stream = session().request(post)
      stream.end(noteBody('written over HTTP/2'))
      assert.equal((await receive(stream)).status, 201)
    })

    it('allows 100 requests of a connection at once', async () => {
      await get(session(), '/notes/1')
      assert.equal(session().remoteSettings.maxConcurrentStreams, 100)
    })

    it('given a client that stops reading a response, then its stream is reset, and others are served', async () => {
      const stalled = session().request({ ':path': allNotes })
      stalled.on('error', () => {})
      const closed = new Promise((resolve) => stalled.once('close', resolve))
      const began = performance.now()
      while (!stalled.closed && performance.now() - began < 10_000) {
        assert.equal((await get(session(), '/notes/1')).status, 200)
        await pause(50)
      }
      stalled.resume()
      await closed
      assert.equal(stalled.rstCode, constants.NGHTTP2_CANCEL)
    })

    it('given a client that reads slowly, then it gets the whole document', async () => {
      const whole = await get(session(), allNotes)
      const stream = session().request({ ':path': allNotes })
      const received = receive(stream)
      for (let times = 0; times < 6; times += 1) {
        stream.pause()
        await pause(100)
        stream.resume()
        await pause(10)
      }
      assert.deepEqual(await received, whole)
    })

    it(
      'given pieces of equal size, when a client accepts them slowly, then it gets all of them',
      long,
      async () => {
        const stream = session().request({ ':path': '/pieces' })
        stream.on('data', () => {
          stream.pause()
          setTimeout(() => stream.resume(), 20)
        })
        const { text, reset } = await receive(stream)
        assert.deepEqual([text.length, reset], [pieces.join('').length, constants.NGHTTP2_NO_ERROR])
      },
    )

    it(
      'given a server that is blocked for longer than the time, when a client reads on, then it gets the whole document',
      long,
      async () => {
        const whole = await get(session(), allNotes)
        const stream = session().request({ ':path': allNotes })
        const received = receive(stream)
        await once(stream, 'response')
        stream.pause()
        // The server checks the request at least once before it is blocked.
        await pause(100)
        block(600)
        stream.resume()
        assert.deepEqual(await received, whole)
      },
    )

    it('given a body that does not arrive, then the response is 408', async () => {
      const stream = session().request(post)
      stream.write('{')
      const { status, text } = await receive(stream)
      assert.equal(status, 408)
      assert.equal(JSON.parse(text).errors[0].code, 'request_timeout')
    })

    it('given a host that is not allowed, then the response is 421', async () => {
      const { status, text } = await get(session(), '/notes/1', { ':authority': 'evil.example' })
      assert.equal(status, 421)
      assert.equal(JSON.parse(text).errors[0].code, 'misdirected_request')
    })

    it('given a Host field that differs from :authority, then the response is 400', async () => {
      const { status, text } = await get(session(), '/notes/1', {
        ':authority': '127.0.0.1',
        host: 'localhost',
      })
      assert.equal(status, 400)
      assert.match(
        JSON.parse(text).errors[0].detail,
        /^The Host header is "localhost", but :authority/,
      )
    })

    it('given a client that resets each request, then its connection is closed, and others are served', async () => {
      const attacker = connect(server.origin, anyCertificate)
      attacker.on('error', () => {})
      const closed = new Promise((resolve) => attacker.once('close', resolve))
      for (let sent = 0; sent < 5_000 && !attacker.destroyed; sent += 1) {
        const stream = attacker.request({ ':path': allNotes })
        stream.on('error', () => {})
        stream.close(constants.NGHTTP2_CANCEL)
        if (sent % 100 === 0) await pause(1)
      }
      await closed
      assert.equal((await get(session(), '/notes/1')).status, 200)
    })
  })
}

for (const [transport, options, suite] of http2Transports) {
  describe(`Overload over HTTP/2 ${transport}`, suite, () => {
    const server = serveNotes({ ...options, maxConnections: 3 })
    const session = useSession(() => server.origin)

    it('given more requests at once than connections are allowed, then the response is 503', async () => {
      const held = Array.from({ length: 3 }, () => get(session(), '/held'))
      while (server.held.length < 3) await pause(5)
      const { status, text } = await get(session(), '/notes')
      assert.equal(status, 503)
      assert.equal(JSON.parse(text).errors[0].code, 'overloaded')
      for (const release of server.held) release()
      assert.deepEqual(
        (await Promise.all(held)).map(({ text: body }) => body),
        ['held', 'held', 'held'],
      )
      assert.equal((await get(session(), '/notes')).status, 200)
    })

    it('given more connections than allowed, then the server closes them', async () => {
      const more = await Promise.all(
        Array.from({ length: 3 }, () => openSocket(server.origin, { reads: false })),
      )
      const last = more.at(-1) ?? assert.fail('there are three')
      last.send(formatRequest('GET', '/notes'))
      last.socket.resume()
      await last.closed()
      for (const { socket } of more) socket.destroy()
      assert.equal((await get(session(), '/notes')).status, 200)
    })

    it('given a stop during a request, then the request is answered first', async () => {
      const held = get(session(), '/held')
      while (server.held.length < 4) await pause(5)
      const closed = server.app.close()
      await pause(50)
      server.held.at(-1)?.()
      assert.equal((await held).text, 'held')
      await closed
    })
  })
}

for (const [transport, options, suite] of http2Transports) {
  describe(`Large bodies over HTTP/2 ${transport} that do not arrive completely`, suite, () => {
    const server = serveNotes({ ...options })
    const session = useSession(() => server.origin)
    const connections = Array.from({ length: 5 }, () => useSession(() => server.origin))
    const other = useSession(() => server.origin)
    const whole = noteBody('large').padStart(2 ** 20)
    const warnings: Error[] = []
    const onWarning = (warning: Error) => void warnings.push(warning)
    before(() => process.on('warning', onWarning))
    after(() => process.off('warning', onWarning))

    /** Begins a body of a megabyte and keeps back its last ten bytes. */
    const begin = (connection: ClientHttp2Session) => {
      const stream = connection.request(post)
      const received = receive(stream)
      stream.write(whole.slice(0, -10))
      return { stream, received }
    }
    const isServed = async () => {
      const stream = other().request(post)
      stream.end(whole)
      assert.equal((await receive(stream)).status, 201)
    }

    it('given more than the memory for them, when others arrive, then those that have waited longest get 503', async () => {
      const first = begin(session())
      await isServed()
      const stalled: ReturnType<typeof begin>[] = []
      for (let group = 0; group < 6; group += 1) {
        // Node.js limits the memory of a connection, so each has few of them.
        for (const connection of connections)
          stalled.push(...Array.from({ length: 5 }, () => begin(connection())))
        // A byte does not count as progress.
        if (!first.stream.closed) first.stream.write('x')
        await pause(100)
      }
      const { status, text, reset } = await first.received
      assert.deepEqual([status, reset], [503, constants.NGHTTP2_NO_ERROR])
      assert.equal(JSON.parse(text).errors[0].code, 'overloaded')
      const last = begin(session())
      for (let times = 0; times < 5; times += 1) await isServed()
      assert.equal(last.stream.closed, false)
      last.stream.end(whole.slice(-10))
      assert.equal((await last.received).status, 201)
      // The server ends the rejected requests, whose clients send nothing more.
      const rejected = stalled.filter(({ stream }) => stream.closed)
      assert.ok(rejected.length > 150 - 140 && rejected.length < 150 - 100, `${rejected.length}`)
      assert.deepEqual(warnings, [])
      // A stop would wait for the incomplete bodies.
      for (const connection of [session, other, ...connections]) connection().destroy()
    })
  })
}

for (const [transport, options, suite] of http2Transports) {
  describe(`Responses over HTTP/2 ${transport} that are not read`, suite, () => {
    const server = serveNotes({ ...options, queueTimeout: 60_000 })
    const session = useSession(() => server.origin)
    const megabyte = 'x'.repeat(2 ** 20)
    server.app.get('/large', async () => megabyte)

    it('given more than the memory for them, then the oldest ones are reset, and others are served', async () => {
      const attackers = Array.from({ length: 2 }, () => {
        const attacker = connect(server.origin, {
          ...anyCertificate,
          settings: { initialWindowSize: 0 },
        })
        attacker.on('error', () => {})
        return attacker
      })
      const streams = attackers.flatMap((attacker) =>
        Array.from({ length: 100 }, () => attacker.request({ ':path': '/large' })),
      )
      const closed = () => streams.filter((stream) => stream.closed)
      const began = performance.now()
      while (closed().length < 200 - 128 && performance.now() - began < 20_000) await pause(20)
      assert.equal(closed().length, 200 - 128)
      assert.deepEqual(
        new Set(closed().map(({ rstCode }) => rstCode)),
        new Set([constants.NGHTTP2_CANCEL]),
      )
      const { status, text } = await get(session(), '/large')
      assert.deepEqual([status, text.length], [200, megabyte.length])
      const disconnected = attackers.map((attacker) => once(attacker, 'close'))
      for (const attacker of attackers) attacker.destroy()
      await Promise.all(disconnected)
      await pause(200)
      // Closed streams do not count any more.
      const all = await Promise.all(Array.from({ length: 90 }, () => get(session(), '/large')))
      for (const { text: body, reset } of all)
        assert.deepEqual([body.length, reset], [megabyte.length, constants.NGHTTP2_NO_ERROR])
    })
  })
}

describe('Requests over HTTP/2 that wait too long', () => {
  const server = serveNotes({ http2: true, queueTimeout: 50 })
  const session = useSession(() => server.origin)
  server.app.get('/slow', async () => {
    block(20)
    return 'slow'
  })

  it('given many requests of one connection, then the response to the last ones is 503', async () => {
    const all = await Promise.all(Array.from({ length: 90 }, () => get(session(), '/slow')))
    assert.equal(all[0]?.status, 200)
    const { status, text } = all.at(-1) ?? assert.fail('there are 90')
    assert.equal(status, 503)
    assert.equal(JSON.parse(text).errors[0].code, 'overloaded')
  })
})
