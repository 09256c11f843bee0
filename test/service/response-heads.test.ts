import assert from 'node:assert/strict'
import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createResponseClass } from '../../src/http/bounded-server/memoized-response-heads.ts'
import { openSocket, request } from '../raw-socket.ts'

const body = '{"data":[]}'
const usual = {
  'content-type': 'application/vnd.api+json',
  vary: 'Accept',
  'x-content-type-options': 'nosniff',
  'content-length': String(body.length),
}
let calls = 0

/** Creates a handler that sends a head and a body; an error of the head is the body of a response without a head. */
const send =
  (status: number, headers: object, text = body): RequestListener =>
  (_request, response) => {
    try {
      response.writeHead(status, { ...headers }).end(text)
    } catch (error) {
      response.removeHeader('x-set')
      response.end(Reflect.get(Object(error), 'code'))
    }
  }

/** Each is sent four times on one connection: a head of usual form is memoized after the second. */
const cases: Readonly<Record<string, RequestListener>> = {
  'the usual fields': send(200, usual),
  'another status': send(201, { ...usual, location: '/notes/1' }),
  'a value that changes': (...args) => {
    calls += 1
    send(200, { ...usual, etag: `"${calls % 2}"`, 'x-third': `${calls % 3}` })(...args)
  },
  'the length before other fields': send(200, { 'content-length': '11', vary: 'Accept' }),
  'a length that is a number': send(200, { ...usual, 'content-length': body.length }),
  'a length that is written differently': send(200, { ...usual, 'content-length': '011' }),
  'the length twice': send(200, { ...usual, 'Content-Length': '11' }),
  'no length': send(200, { vary: 'Accept' }),
  'names in upper case': send(200, { ...usual, 'X-Frame-Options': 'DENY' }),
  'a list of values': send(200, { ...usual, 'set-cookie': ['a=1', 'b=2'] }),
  'a field of the connection': send(200, { ...usual, Connection: 'close' }),
  'a hint for connections': send(200, { ...usual, 'keep-alive': 'timeout=5' }),
  'a date': send(200, { ...usual, date: 'Thu, 01 Jan 1970 00:00:00 GMT' }),
  'a file name': send(200, { ...usual, 'content-disposition': 'inline; filename="é"' }),
  chunks: send(200, { vary: 'Accept', 'transfer-encoding': 'chunked' }),
  'a line feed in a value': send(200, { ...usual, 'x-name': 'a\r\nx-other: b' }),
  'a line feed in a name': send(200, { ...usual, 'x-name\r\n': 'a' }),
  'a character beyond Latin-1': send(200, { ...usual, 'x-name': '€' }),
  'an inherited field': (_request, response) => {
    response.writeHead(200, Object.assign(Object.create({ 'x-inherited': 'a' }), usual)).end(body)
  },
  'no body': send(204, { vary: 'Accept', 'content-length': '0' }, ''),
  'a list of fields': (_request, response) => {
    response.writeHead(200, ['vary', 'Accept', 'content-length', '11']).end(body)
  },
  'fields set before': (_request, response) => {
    response.setHeader('x-set', 'a')
    response.writeHead(200, usual).end(body)
  },
  'a reason phrase': (_request, response) => {
    response.writeHead(200, 'Fine', usual).end(body)
  },
  'no date': (_request, response) => {
    response.sendDate = false
    response.writeHead(200, usual).end(body)
  },
  'no hint for connections': (_request, response) => {
    response.shouldKeepAlive = false
    response.writeHead(200, usual).end(body)
  },
  'two writes': (_request, response) => {
    response.writeHead(200, usual).write(body.slice(0, 3))
    response.end(body.slice(3))
  },
}

const paths = Object.keys(cases).map((name) => `/${encodeURIComponent(name)}`)
const listener: RequestListener = (incoming, response) =>
  cases[decodeURIComponent(incoming.url?.slice(1) ?? '')]?.(incoming, response)

/** Starts a server; returns its origin. */
async function start(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return `http://127.0.0.1:${address.port}`
}

/** Everything that a server sends for requests on one connection, with the same date, and without the last response. */
async function receive(origin: string, requests: readonly string[]): Promise<string> {
  const client = await openSocket(origin)
  calls = 0
  for (const each of requests) client.send(each)
  return (await client.closed()).replace(/^Date: .*GMT\r$/gm, 'Date: now\r')
}

describe('Response heads', () => {
  const options: ServerOptions = { keepAliveTimeout: 72_000, maxHeaderSize: 1024 * 64 }
  const plain = createServer(options, listener)
  const memoized = createServer({ ...options, ServerResponse: createResponseClass() }, listener)
  let origins: readonly string[] = []

  before(async () => {
    origins = [await start(plain), await start(memoized)]
  })
  after(() => {
    for (const server of [plain, memoized]) server.close()
  })

  for (const path of paths)
    it(`given a head with ${decodeURIComponent(path.slice(1))}, when it is sent repeatedly, then its bytes are Node's`, async () => {
      const requests = [
        ...Array.from({ length: 4 }, () => request('GET', path)),
        request('HEAD', path),
        `GET ${path} HTTP/1.0\r\nconnection: keep-alive\r\n\r\n`,
        request('GET', path, ['connection: close']),
      ]
      const expected = await receive(String(origins[0]), requests)
      assert.ok(expected.startsWith('HTTP/1.1 '))
      assert.equal(await receive(String(origins[1]), requests), expected)
    })

  it('given a head that was sent before, when it is sent again, then Node does not format it, and its date is the present one', async () => {
    const sendHead = async () => {
      const response = await fetch(`${origins[1]}/the%20usual%20fields`)
      await response.text()
      return Date.parse(response.headers.get('date') ?? '')
    }
    await sendHead()
    const replaced = replaceFormatter(() => assert.fail('Node formats a head'))
    const times = [await sendHead(), await pause(1100).then(sendHead)]
    replaced.restore()
    for (const time of times) assert.ok(Math.abs(Date.now() - time) < 4000, String(time))
    assert.ok(Number(times[1]) > Number(times[0]))
  })

  it('given a version of Node with another form of heads, when responses are sent, then they have this form', async () => {
    const server = createServer({ ...options, ServerResponse: createResponseClass() }, listener)
    const origin = await start(server)
    const replaced = replaceFormatter((response, format) => {
      format()
      const head = String(Reflect.get(response, '_header'))
      Reflect.set(response, '_header', head.replace('\r\n\r\n', '\r\nx-form: new\r\n\r\n'))
    })
    try {
      for (const attempt of [1, 2, 3]) {
        const response = await fetch(`${origin}/the%20usual%20fields`)
        await response.text()
        assert.equal(response.headers.get('x-form'), 'new', `attempt ${attempt}`)
      }
    } finally {
      replaced.restore()
      server.close()
    }
  })
})

/** Replaces Node's function that formats a head, which its types do not know. */
function replaceFormatter(replacement: (response: object, format: () => void) => void) {
  const name = '_storeHeader'
  const original = Reflect.get(ServerResponse.prototype, name)
  const descriptor = Object.getOwnPropertyDescriptor(ServerResponse.prototype, name)
  Reflect.set(ServerResponse.prototype, name, function (this: object, ...args: unknown[]) {
    replacement(this, () => Reflect.apply(original, this, args))
  })
  return {
    restore: () => {
      if (descriptor) Object.defineProperty(ServerResponse.prototype, name, descriptor)
      else Reflect.deleteProperty(ServerResponse.prototype, name)
    },
  }
}
