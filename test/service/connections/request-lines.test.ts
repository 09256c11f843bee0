import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { describe, it } from 'node:test'
import { logOf } from '../../log.ts'
import { openSocket, request, statuses } from '../../raw-socket.ts'
import { serveNotes } from '../notes.ts'

/** Methods that a parser of Node accepts in some form, and that are none of HTTP. */
const otherMethods = ['PRI', 'DESCRIBE', 'FLUSH', 'ANNOUNCE', 'PLAY', 'SETUP', 'TEARDOWN', 'FOO']
const served = ['GET', 'HEAD', 'POST', 'OPTIONS']
const versions = [' HTTP/1.1', ' HTTP/1.0', ' HTTP/0.9', ' HTTP/2.0', ' HTTP/1.2', '']

/** The status of a request to /notes without a body. */
function expectStatus(method: string, version: string): number {
  const isKnown = METHODS.includes(method) && method !== 'CONNECT'
  if (version !== ' HTTP/1.1' && version !== ' HTTP/1.0') return 400
  if (!isKnown) return 501
  if (method === 'OPTIONS') return 204
  if (method === 'POST') return 415
  // It needs a Content-Type.
  if (method === 'QUERY') return 400
  return served.includes(method) ? 200 : 405
}

describe('The request line', () => {
  const server = serveNotes({ logLevel: 'info', accessLog: false }, 1)

  /** Sends bytes on a connection of its own. */
  const send = async (bytes: string): Promise<string> => {
    const client = await openSocket(server.origin)
    client.socket.end(bytes)
    return await client.closed()
  }

  for (const method of [...METHODS, ...otherMethods]) {
    it(`given ${method}, in both cases and with each version, when it is sent to known and unknown paths, then its status is right and nothing is logged`, async () => {
      const lines = await logOf(async () => {
        for (const each of new Set([method, method.toLowerCase()]))
          for (const version of versions) {
            // CONNECT has an authority instead of a path.
            const target = method === 'CONNECT' ? 'localhost:443' : '/notes'
            const line = `${each} ${target}${version}`
            const received = await send(`${line}\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
            const [status] = statuses(received)
            if (method !== 'CONNECT') assert.equal(status, expectStatus(each, version), line)
            else assert.ok(status === 400 || status === 501, line)
            if (received.includes(' 405 ')) assert.match(received, /^allow: .*GET.*\r$/im)
            const unknown = await send(
              `${each} /x${version}\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
            )
            assert.match(unknown, /^HTTP\/1\.1 (400|404|501) /, line)
          }
      })
      assert.deepEqual(lines, [])
    })
  }

  for (const method of ['GET', 'HEAD', 'POST', 'PROPFIND']) {
    it(`given ${method} with the target *, when it is sent, then it is 400`, async () => {
      const received = await send(request(method, '*', ['Connection: close']))
      assert.deepEqual(statuses(received), [400])
    })
  }

  it('given OPTIONS with the target *, when it is sent, then it is 204', async () => {
    assert.deepEqual(statuses(await send(request('OPTIONS', '*', ['Connection: close']))), [204])
  })

  it('given CONNECT after another request, when both arrive at once, then the responses come in order', async () => {
    const received = await send(
      `${request('GET', '/notes/1')}CONNECT localhost:443 HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    )
    assert.deepEqual(statuses(received), [200, 501])
  })
})

describe('A response to HEAD that is made before the request is parsed', () => {
  const server = serveNotes({ requestTimeout: 500, allowedHosts: ['localhost'] }, 1)
  const full = serveNotes({ maxConnections: 1 }, 1)

  const respond = async (origin: string, bytes: string): Promise<string> => {
    const client = await openSocket(origin)
    client.send(bytes)
    await client.until(/\r\n\r\n/)
    const [, body] = (await client.closed()).split(/\r\n\r\n(.*)/s)
    return `${statuses(client.received())} ${body}`
  }

  const end = ['Connection: close']
  for (const [status, bytes] of [
    [400, 'HEAD /notes HTTP/1.1\r\nHost: localhost\r\nbad field\r\n\r\n'],
    [400, 'HEAD /notes HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n'],
    [400, 'HEAD /notes HTTP/1.2\r\nHost: localhost\r\n\r\n'],
    [414, request('HEAD', `/notes?${'a'.repeat(40_000)}`, end)],
    [417, request('HEAD', '/notes', ['Expect: 200-ok', ...end])],
    [421, 'HEAD /notes HTTP/1.1\r\nHost: other\r\nConnection: close\r\n\r\n'],
    [431, request('HEAD', '/notes', [`X: ${'a'.repeat(70_000)}`, ...end])],
    [501, 'HEAD /notes HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n'],
  ] as const) {
    it(`given ${JSON.stringify(bytes.slice(0, 60))}, when it is ${status}, then it has no body`, async () => {
      assert.equal(await respond(server.origin, bytes), `${status} `)
      // The same response to GET has one.
      assert.match(await respond(server.origin, bytes.replace('HEAD', 'GET')), /"errors"/)
    })
  }

  it('given too many connections, when HEAD is rejected, then the 503 has no body, and that of a silent client has one', async () => {
    const first = await openSocket(full.origin)
    first.send(request('GET', '/notes/1'))
    await first.until(/"note 1"/)
    assert.equal(await respond(full.origin, request('HEAD', '/notes/1')), '503 ')
    assert.match(await respond(full.origin, request('GET', '/notes/1')), /^503 .*overloaded/)
    assert.match(await respond(full.origin, ''), /^503 .*overloaded/)
    first.socket.destroy()
  })
})
