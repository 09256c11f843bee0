import assert from 'node:assert/strict'
import { lookup } from 'node:dns/promises'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { defineModel, resource } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { openSqlite } from 'lapidary/sqlite'
import { openSocket, request, statuses } from '../../raw-socket.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { type NotesServer, noteBody, serveNotes } from '../notes.ts'

/** Sends bytes on a new connection. @returns the complete first response */
async function responseTo(server: NotesServer, bytes: string): Promise<string> {
  const client = await openSocket(server.origin)
  client.send(bytes)
  const received = await client.until(/\r\n\r\n/)
  client.socket.destroy()
  return received
}

/** The status of the response to a request with this `Host`. */
async function statusFor(server: NotesServer, host: string, path = '/notes'): Promise<number> {
  const [status = 0] = statuses(
    await responseTo(server, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
  )
  return status
}

describe('Every response', () => {
  const server = serveNotes({ maxBody: 1000 }, 5)
  const modern = serveNotes({ maxBody: 1000 }, 5, { jsonapi: '1.1' })
  const long = 'x'.repeat(40_000)
  const long2 = 'x'.repeat(70_000)

  // biome-ignore format: a table, one status a row
  const responses: readonly (readonly [status: number, bytes: string])[] = [
    [200, request('GET', '/notes')],
    [200, request('GET', '/notes?page[size]=0')],
    [200, request('HEAD', '/notes/1')],
    [201, request('POST', '/notes', [], noteBody('new'))],
    [204, request('OPTIONS', '/notes')],
    [400, request('GET', '/notes?sort=nothing')],
    [400, 'GET /notes HTTP/1.1\r\n\r\n'],
    [400, 'garbage\r\n\r\n'],
    [404, request('GET', '/nowhere')],
    [405, request('PATCH', '/notes')],
    [406, request('GET', '/notes', ['Accept: application/vnd.api+json;a=b'])],
    [413, request('POST', '/notes', [], noteBody(long))],
    [414, request('GET', `/notes?${long}`)],
    [415, request('POST', '/notes', ['Content-Encoding: gzip'], noteBody('x'))],
    [417, request('GET', '/notes', ['Expect: 200-ok'])],
    [431, request('GET', '/notes', [`X-Long: ${long2}`])],
    [421, 'GET /notes HTTP/1.1\r\nHost: other.example\r\n\r\n'],
    [501, request('POST', '/notes', ['Transfer-Encoding: gzip, chunked'])],
    [501, request('WALK', '/notes')],
    [501, request('CONNECT', 'localhost:80')],
  ]
  for (const [status, bytes] of responses) {
    const [line] = bytes.split('\r\n', 1)
    it(`given ${line?.slice(0, 60)}, when it is ${status}, then it forbids to guess its type`, async () => {
      const received = await responseTo(server, bytes)
      assert.equal(statuses(received)[0], status)
      assert.match(received, /^x-content-type-options: nosniff\r$/m)
      assert.match(received, /^vary: Accept\r$/m)
    })
    if (status < 400) continue
    for (const [version, versioned] of [
      ['1.0', server],
      ['1.1', modern],
    ] as const)
      it(`given ${line?.slice(0, 60)}, when it is ${status}, then its errors are those of JSON:API ${version}`, async () => {
        const client = await openSocket(versioned.origin)
        client.send(bytes)
        const received = await client.until(/"jsonapi":.*\}$/)
        client.socket.destroy()
        assert.ok(received.endsWith(`"jsonapi":{"version":"${version}"}}`), received)
        // The model of 1.1 has addresses of the types of errors.
        const [, code] = /"code":"(\w+)"/.exec(received) ?? []
        const hasType = received.includes(`"links":{"type":"urn:errors:${code}"}`)
        assert.equal(hasType, version === '1.1', received)
      })
  }
})

describe('The head of a request', () => {
  const server = serveNotes({}, 1)

  for (const fields of [
    ['Host: test', 'Host: other'],
    ['Host: test', 'host: test'],
    ['HOST: test', 'Accept: */*', 'hOST: '],
  ]) {
    it(`given ${fields.join(', ')}, when it is looked at, then the repeated Host is rejected`, async () => {
      const client = await openSocket(server.origin)
      client.send(`GET /notes/1 HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`)
      const received = await client.closed()
      assert.deepEqual(statuses(received), [400])
      assert.match(received, /"code":"invalid_request"/)
    })
  }

  for (const coding of ['gzip, chunked', 'gzip', 'chunked, chunked', 'identity', 'x']) {
    it(`given the transfer coding ${coding}, when a body follows, then nothing of it is read`, async () => {
      const client = await openSocket(server.origin)
      const body = noteBody('coded')
      const type = 'Content-Type: application/vnd.api+json'
      const head = request('POST', '/notes', [type, `Transfer-Encoding: ${coding}`])
      client.send(`${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`)
      const received = await client.closed()
      const [status = 0, ...others] = statuses(received)
      // Without a final `chunked` the end of the body is unknown: the parser rejects it by itself.
      assert.ok(status === 501 || status === 400, `${status}`)
      if (status === 501) assert.match(received, /"code":"unsupported_coding"/)
      assert.deepEqual(others, [])
      assert.equal((await server.app.inject('/notes')).json().meta.count, 1)
    })
  }

  it('given the transfer coding chunked in any case, when a body follows, then it is read', async () => {
    for (const coding of ['chunked', 'Chunked', 'CHUNKED']) {
      const body = noteBody('chunked')
      const type = 'Content-Type: application/vnd.api+json'
      const head = request('POST', '/notes', [type, `Transfer-Encoding: ${coding}`])
      const bytes = `${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
      assert.deepEqual(statuses(await responseTo(server, bytes)), [201])
    }
  })
})

describe('Allowed hosts', () => {
  const allowedHosts = ['API.example.org', 'localhost:3000', '[::1]']
  const server = serveNotes({ allowedHosts, publicUrl: 'https://public.example.org' }, 1)
  const anyHost = serveNotes({ allowedHosts: ['*'] }, 1)
  const proxied = serveNotes({ publicUrl: 'https://public.example.org' }, 1)

  for (const host of [
    'api.example.org',
    'API.EXAMPLE.ORG',
    'api.example.org:8080',
    'localhost:3000',
    '[::1]',
    '[::1]:3000',
    'public.example.org',
    'public.example.org:443',
  ]) {
    it(`given the host ${host}, when it is one of them, then it is served`, async () => {
      assert.equal(await statusFor(server, host), 200)
    })
  }

  for (const host of [
    'evil.example.org',
    'api.example.org.evil.example',
    'localhost',
    'localhost:3001',
    '127.0.0.1',
    'example.org',
    '[::2]',
    '"',
    '',
  ]) {
    it(`given the host ${JSON.stringify(host)}, when it is none of them, then it is 421 before anything else`, async () => {
      for (const path of ['/notes', '/nowhere', '/notes?sort=nothing'])
        assert.equal(await statusFor(server, host, path), 421)
    })
  }

  it('given a rejected host, when it is reported, then the response names it and links to nothing', async () => {
    const received = await responseTo(server, 'POST /notes HTTP/1.1\r\nHost: evil.org\r\n\r\n')
    const document = JSON.parse(received.split('\r\n\r\n')[1] ?? '')
    assert.deepEqual(document.errors, [
      {
        status: '421',
        code: 'misdirected_request',
        title: 'The server does not serve this host',
        detail: 'The host "evil.org" is not served here.',
      },
    ])
  })

  for (const host of ['evil.example.org', 'localhost', '127.0.0.1:1'])
    it(`given * or only the public URL, when the host is ${host}, then it is served`, async () => {
      assert.equal(await statusFor(anyHost, host), 200)
      assert.equal(await statusFor(proxied, host), 200)
    })

  it('given a request in the process, when it is injected, then its host is not checked', async () => {
    assert.equal((await server.app.inject('/notes/1')).statusCode, 200)
  })
})

describe('The hosts of a server on a loopback address', () => {
  const server = serveNotes({}, 1)
  const detail = (host: string) =>
    `The host ${JSON.stringify(host)} is not served here: the server listens on a loopback address. Set PUBLIC_URL (publicUrl) or ALLOWED_HOSTS (allowedHosts).`

  for (const host of [
    'localhost',
    'localhost:3000',
    'LocalHost',
    'localhost.',
    'localhost.:3000',
    '127.0.0.1',
    '127.0.0.1:1',
    '127.1.2.3',
    '[::1]',
    '[::1]:3000',
  ])
    it(`given the host ${host}, then the request is served`, async () => {
      assert.equal(await statusFor(server, host), 200)
      assert.equal(await statusFor(server, host, '/health/live'), 200)
    })

  for (const host of [
    'rebound.example',
    'rebound.example:3000',
    'localhost.rebound.example',
    '127.0.0.1.rebound.example',
    'rebound.example:127.0.0.1',
    'notlocalhost',
    '128.0.0.1',
    '192.168.0.1',
    '[::2]',
    '::1',
    'localhost:3000@rebound.example',
    'a!b.example',
    '',
  ])
    it(`given the host ${JSON.stringify(host)}, then it is 421 before anything else`, async () => {
      for (const path of ['/notes', '/nowhere', '/held', '/health/live'])
        assert.equal(await statusFor(server, host, path), 421)
    })

  it('given another host, then the error names the settings', async () => {
    const received = await responseTo(server, 'GET /notes HTTP/1.1\r\nHost: a.example\r\n\r\n')
    const { errors } = JSON.parse(received.split('\r\n\r\n')[1] ?? '')
    assert.deepEqual(
      [errors[0].code, errors[0].detail],
      ['misdirected_request', detail('a.example')],
    )
  })

  // biome-ignore format: a table, one head a row
  const heads: readonly (readonly [line: string, hosts: readonly string[], status: number])[] = [
    ['GET http://localhost/notes HTTP/1.1',       ['Host: localhost'],                        200],
    ['GET http://localhost/notes HTTP/1.1',       ['Host: LOCALHOST'],                        200],
    ['GET http://rebound.example/notes HTTP/1.1', ['Host: rebound.example'],                  421],
    ['GET http://rebound.example/notes HTTP/1.1', ['Host: localhost'],                        421],
    ['GET http://localhost/notes HTTP/1.1',       ['Host: rebound.example'],                  421],
    ['GET HTTP://rebound.example/notes HTTP/1.0', [],                                         421],
    ['GET /notes HTTP/1.1',                       ['Host: localhost', 'Host: rebound.example'], 400],
    ['GET /notes HTTP/1.1',                       [],                                         400],
    ['GET /notes HTTP/1.0',                       [],                                         200],
  ]
  for (const [line, hosts, status] of heads)
    it(`given ${line} with ${hosts.join(' and ') || 'no host'}, then the response is ${status}`, async () => {
      const received = await responseTo(server, [line, ...hosts, '', ''].join('\r\n'))
      assert.deepEqual(statuses(received), [status])
    })
})

describe('A server on the name localhost', () => {
  const server = serveNotes({}, 0, { host: 'localhost' })

  it('checks the host at each of its addresses', async () => {
    for (const { address, family } of await lookup('localhost', { all: true })) {
      const url = new URL(server.origin)
      url.hostname = family === 6 ? `[${address}]` : address
      const client = await openSocket(url.origin)
      client.send('GET /health/live HTTP/1.1\r\nHost: rebound.example\r\n\r\n')
      assert.deepEqual(statuses(await client.until(/\r\n\r\n/)), [421], address)
      client.socket.destroy()
    }
  })
})

describe('A server on all addresses', () => {
  const server = serveNotes({}, 0, { host: '0.0.0.0' })

  it('serves every host', async () => {
    assert.equal(await statusFor(server, 'rebound.example'), 200)
  })
})

describe('A server on a Unix socket', () => {
  it('serves every host', async (test) => {
    const note = resource('note', { path: '/notes', table: 'note', fields: {} })
    const model = defineModel([note])
    const store = openSqlite(model, ':memory:')
    const app = createServer({ model, store, logLevel: 'silent' })
    test.after(async () => {
      await app.close()
      await store.close()
    })
    const socketPath = join(temporaryFolder(), 'server.sock')
    await app.listen({ path: socketPath })
    const headers = { host: 'rebound.example', connection: 'close' }
    const response = await new Promise<IncomingMessage>((resolve) => {
      get({ socketPath, path: '/health/live', headers }, resolve)
    })
    response.resume()
    assert.equal(response.statusCode, 200)
  })
})
