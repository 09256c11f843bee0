import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectSocket, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, connect, mediaType } from '../client.ts'
import { isExhaustive, takePart } from '../property/seed.ts'
import { type Child, folder, start } from '../service/child.ts'
import { socketsOf, until } from '../service/processes.ts'

/** The number of concurrent connections that misbehave; `npm run test:long` opens more. */
const connections = isExhaustive ? 100 : 20

const body = JSON.stringify({ data: { type: 'person', attributes: { name: 'Ada' } } })
const postHead = `POST /persons HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${mediaType}\r\nContent-Length: ${body.length}\r\n\r\n`
const get = 'GET /persons HTTP/1.1\r\nHost: localhost\r\n\r\n'
const getAll = 'GET /persons?page[size]=0&include=computers HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** The bytes that a client sends before it disconnects, and whether it waits for the beginning of the response. */
const stages: readonly (readonly [stage: string, sent: string, waits?: 'waits'])[] = [
  ['before it sends anything', ''],
  ['in the request line', 'GET /per'],
  ['in the header fields', 'GET /persons HTTP/1.1\r\nHost: localhost\r\nAcc'],
  ['before the body', postHead],
  ['in the body', postHead + body.slice(0, 20)],
  [
    'in a chunk',
    `${postHead.replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked')}fff\r\nxx`,
  ],
  ['before the response to a write', postHead + body],
  ['before the response to a read', get],
  ['before a long response', getAll],
  ['in a long response', getAll, 'waits'],
  ['between two requests', get, 'waits'],
  ['in the second of two requests', `${get}POST /persons HT`],
]

/** Bytes that are not HTTP, after a valid request. */
const malformed: readonly (readonly [name: string, bytes: string])[] = [
  ['text', 'garbage\r\n\r\n'],
  ['zero bytes', '\0'.repeat(64)],
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['a header without a name', 'GET / HTTP/1.1\r\n: x\r\n\r\n'],
  ['two lengths', 'POST /persons HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'],
  ['a chunk without a size', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ['another version', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a long line', `GET /${'x'.repeat(100_000)}`],
]

describe('The service keeps serving while clients misbehave', () => {
  let child: Child
  let client: Client
  let idle: number | undefined

  const cleanups: (() => unknown)[] = []
  const suite = { after: (work: () => unknown) => void cleanups.push(work) }

  before(async () => {
    child = await start(suite, await folder(suite), ['--demo', '--log-level', 'warn'])
    client = connect(child.url)
    await serves()
    idle = await socketsOf(child.process.pid ?? 0)
  })
  after(async () => {
    client.close()
    for (const cleanup of cleanups.reverse()) await cleanup()
  })

  /** Asserts that a valid request is served and that the process runs. */
  async function serves(): Promise<void> {
    const { status } = await client.send('GET', '/persons/1')
    assert.equal(status, 200)
    assert.equal(child.process.exitCode, null)
  }

  /** Whether the service has closed every connection but that of this request. */
  async function isAtRest(): Promise<void> {
    await serves()
    const now = async () => socketsOf(child.process.pid ?? 0)
    await until(async () => ((await now()) ?? 0) <= (idle ?? 0), 'connections are left')
  }

  it('given clients that send a header field byte by byte', async () => {
    const sockets = await openMany(child.url)
    for (const byte of 'GET /persons HTTP/1.1\r\nHost: localhost\r\nX: ') {
      for (const socket of sockets) socket.write(byte)
      await pause(10)
    }
    await serves()
    for (const socket of sockets) socket.destroy()
    await isAtRest()
  })

  it('given clients that send a body byte by byte, which are answered in the end', async () => {
    const sockets = await openMany(child.url)
    for (const socket of sockets) socket.write(postHead)
    for (const byte of body.slice(0, -1)) {
      for (const socket of sockets) socket.write(byte)
      await pause(5)
    }
    await serves()
    const answers = sockets.map(firstBytes)
    for (const socket of sockets) socket.write(body.slice(-1))
    for (const response of await Promise.all(answers)) assert.match(response, /^HTTP\/1\.1 201 /)
    for (const socket of sockets) socket.destroy()
    await isAtRest()
  })

  it('given clients that connect and are silent', async () => {
    const sockets = await openMany(child.url)
    await pause(200)
    await serves()
    for (const socket of sockets) socket.destroy()
    await isAtRest()
  })

  for (const [index, [stage, sent, waits]] of stages.entries()) {
    for (const ending of takePart(['closes', 'resets'] as const, 2, index)) {
      it(`given clients each of which ${ending} its connection ${stage}`, async () => {
        const sockets = await openMany(child.url)
        const begun = waits === undefined ? [] : sockets.map(firstBytes)
        for (const socket of sockets) socket.write(sent)
        await Promise.all(begun)
        await serves()
        for (const socket of sockets) {
          if (ending === 'closes') socket.destroy()
          else socket.resetAndDestroy()
        }
        await isAtRest()
      })
    }
  }

  for (const [name, bytes] of takePart(malformed, 2)) {
    it(`given clients that send ${name} behind a valid request`, async () => {
      const sockets = await openMany(child.url)
      const ends = sockets.map((socket) => once(socket, 'close'))
      for (const socket of sockets) {
        socket.resume()
        socket.write(Buffer.from(get + bytes, 'latin1'))
      }
      await serves()
      // The client ends connections whose request may be incomplete.
      for (const socket of sockets) socket.end()
      await Promise.all(ends)
      await isAtRest()
    })
  }

  it('and then stops with exit code 0 and an empty log', async () => {
    client.close()
    const { code, stdout } = await child.end('SIGTERM')
    assert.equal(code, 0, stdout)
    const errors = stdout.split('\n').filter((line) => /"level":(50|60)/.test(line))
    assert.equal(errors.length, 0, errors.slice(0, 3).join('\n'))
  })
})

function openMany(url: string): Promise<Socket[]> {
  const { hostname, port } = new URL(url)
  const opened = async () => {
    const socket = connectSocket({ host: hostname, port: Number(port) })
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }
  return Promise.all(Array.from({ length: connections }, opened))
}

/** The first bytes that arrive; empty if the connection ends without any. */
function firstBytes(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('data', (piece) => resolve(String(piece)))
    socket.once('close', () => resolve(''))
  })
}
