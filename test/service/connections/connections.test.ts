import assert from 'node:assert/strict'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, it } from 'node:test'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { tls, transports } from '../../certificate.ts'
import { eventually, openSocket, type RawSocket, request, statuses } from '../../raw-socket.ts'
import { block } from '../block.ts'
import { noteBody, serveNotes } from '../notes.ts'

/** Asserts that bytes are one response of an overloaded server, and a JSON:API document. */
function assertOverloaded(received: string): void {
  assert.deepEqual(statuses(received), [503])
  const [head = '', body = ''] = received.split('\r\n\r\n')
  for (const line of [
    'content-type: application/vnd.api+json',
    'vary: Accept',
    'x-content-type-options: nosniff',
    'retry-after: 1',
    `content-length: ${Buffer.byteLength(body)}`,
  ]) {
    assert.ok(head.split('\r\n').includes(line), `${line} is missing in ${head}`)
  }
  assert.deepEqual(
    JSON.parse(body).errors.map(({ status, code }: Record<string, unknown>) => [status, code]),
    [['503', 'overloaded']],
  )
}

/** The number of open connections of a server, as the operating system counts them. */
async function openOf({ app }: ReturnType<typeof serveNotes>): Promise<number> {
  return await new Promise((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
}

/** Waits until the server has closed all its connections. */
async function allClosed(server: ReturnType<typeof serveNotes>): Promise<void> {
  let open = 1
  const count = async () => {
    open = await openOf(server)
  }
  await eventually('the end of all connections', () => {
    void count()
    return open === 0
  })
}

async function isServed(client: RawSocket): Promise<boolean> {
  client.send(request('GET', '/notes'))
  const received = await client.until(/HTTP\/1\.1 \d{3} /)
  return statuses(received)[0] === 200
}

for (const [scheme, options, suite] of transports) {
  describe(`More connections than allowed ${scheme}`, suite, () => {
    const server = serveNotes({ maxConnections: 3, ...options })
    const clients: RawSocket[] = []
    const open = async () => {
      const client = await openSocket(server.origin)
      clients.push(client)
      return client
    }

    afterEach(async () => {
      for (const { socket } of clients.splice(0)) socket.destroy()
      await allClosed(server)
    })

    it('given all that are allowed, when one more opens, then it gets 503 and is closed', async () => {
      for (let each = 0; each < 3; each += 1) assert.ok(await isServed(await open()))
      const more = await open()
      assertOverloaded(await more.closed())
      for (const client of clients.slice(0, 3)) assert.ok(await isServed(client))
    })

    it('given one that is rejected, when it sends a request, then the request is not processed', async () => {
      for (let each = 0; each < 3; each += 1) assert.ok(await isServed(await open()))
      const more = await open()
      more.send(request('POST', '/held', [], 'x'.repeat(100_000)))
      await more.closed()
      assert.equal(server.held.length, 0)
    })

    it('given connections that were closed or reset, when others open, then these are served', async () => {
      for (let round = 0; round < 10; round += 1) {
        const three = await Promise.all([open(), open(), open()])
        for (const client of three) assert.ok(await isServed(client))
        for (const [at, { socket, reset }] of three.entries()) {
          if ((round + at) % 3 === 0) reset()
          else if ((round + at) % 3 === 1) socket.destroy()
          else socket.end()
        }
        await allClosed(server)
      }
      assert.ok(await isServed(await open()))
    })

    it('given many that are reset at once, when all are gone, then as many as before are served', async () => {
      const many = await Promise.all(Array.from({ length: 50 }, open))
      for (const { reset } of many) reset()
      await allClosed(server)
      for (let each = 0; each < 3; each += 1) assert.ok(await isServed(await open()))
      assertOverloaded(await (await open()).closed())
    })
  })
}

describe('Connections over TLS', () => {
  const server = serveNotes({ maxConnections: 3, https: { ...tls, handshakeTimeout: 200 } })

  it('given as many as are allowed without a handshake, when one more opens, then it gets 503', async () => {
    const silent = Array.from({ length: 3 }, () => connect(Number(new URL(server.origin).port)))
    try {
      while ((await openOf(server)) < 3) await nextIteration()
      assertOverloaded(await (await openSocket(server.origin)).closed())
    } finally {
      for (const socket of silent) socket.destroy()
    }
    await allClosed(server)
  })

  it('given a client that does not begin the handshake, then the connection is closed', async () => {
    const silent = connect(Number(new URL(server.origin).port))
    await once(silent.resume(), 'close')
    await allClosed(server)
    const client = await openSocket(server.origin)
    assert.ok(await isServed(client))
    client.socket.destroy()
  })
})

describe('Connections without a request', () => {
  const server = serveNotes({}, 1)

  it('are closed after 72 seconds: the client learns it from the response', async () => {
    const client = await openSocket(server.origin)
    client.send(request('GET', '/notes/1'))
    assert.match(await client.until(/"type":"note"/), /^keep-alive: timeout=72\r$/im)
    assert.equal(server.app.server.keepAliveTimeout, 72_000)
    client.socket.destroy()
  })
})

describe('Requests that wait too long', () => {
  const server = serveNotes({ queueTimeout: 50 }, 3)
  const clients: RawSocket[] = []
  let isBusy = false
  server.app.get('/slow', async () => {
    isBusy = true
    block(300)
    return 'slow'
  })

  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.destroy()
    await allClosed(server)
  })

  const openMany = async (count: number) => {
    while (clients.length < count) clients.push(await openSocket(server.origin))
    return clients
  }

  /** The status of the response to the request of a round. */
  const statusOf = async ({ received }: RawSocket, round: number) => {
    await eventually('a response', () => statuses(received()).length === round)
    return statuses(received())[round - 1]
  }

  /** Sends a slow request, and others that arrive while the server is busy with it. */
  const overload = async (count: number, other: string) => {
    const [first, ...others] = await openMany(count)
    assert.ok(first)
    // This process is client and server: all bytes are in the kernel before the server reads any.
    isBusy = false
    first.send(request('GET', '/slow'))
    for (const { send } of others) send(other)
    const received = await Promise.all(others.map((each) => each.until(/\r\n\r\n\{.*\}$/s)))
    assert.ok(isBusy)
    await first.until(/slow$/)
    return received
  }

  it('given many connections, when requests have waited longer, then they get 503', async () => {
    const received = await overload(40, request('GET', '/notes/1'))
    const rejected = received.filter((each) => statuses(each)[0] === 503)
    assert.ok(rejected.length > 0, 'none was rejected')
    for (const each of rejected) assertOverloaded(each)
    // The connection can be used again.
    await nextIteration()
    const [, second] = clients
    assert.ok(second)
    second.send(request('GET', '/notes/2'))
    await second.until(/"id":"2"/)
  })

  it('given a write that has waited longer, when it is rejected, then it is not executed', async () => {
    const received = await overload(40, request('POST', '/notes', [], noteBody('new')))
    const written = received.filter((each) => statuses(each)[0] === 201).length
    const answer = await server.app.inject('/notes')
    assert.equal(answer.json().meta.count, 3 + written)
    assert.ok(written < received.length, 'none was rejected')
  })

  it('given few connections, when requests have waited longer, then all are served', async () => {
    const received = await overload(20, request('GET', '/notes/1'))
    assert.deepEqual([...new Set(received.flatMap(statuses))], [200])
  })

  it('given many connections, when no request is slow, then all are served', async () => {
    const many = await openMany(64)
    // On a busy machine even quick requests may wait, but not in every round.
    for (let round = 1; ; round += 1) {
      for (const { send } of many) send(request('GET', '/notes/1'))
      const received = await Promise.all(many.map((each) => statusOf(each, round)))
      if (received.every((status) => status === 200)) return
      assert.ok(round < 50, `statuses of round ${round}: ${received}`)
    }
  })
})

describe('A server that listens on localhost', () => {
  const server = serveNotes({}, 0, { host: 'localhost' })

  it('given the addresses of that name, when a client connects to any, then it is served', async () => {
    const { port } = new URL(server.origin)
    for (const { address, family } of await lookup('localhost', { all: true })) {
      const origin = `http://${family === 6 ? `[${address}]` : address}:${port}`
      assert.ok(await isServed(await openSocket(origin)), origin)
    }
  })
})
