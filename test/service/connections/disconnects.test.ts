import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { beforeEach, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { logOf } from '../../log.ts'
import { eventually, openSocket, request } from '../../raw-socket.ts'
import { noteBody, serveNotes } from '../notes.ts'

describe('A client that disconnects', () => {
  const server = serveNotes({ logLevel: 'info', accessLog: false }, 1)
  const detailed = serveNotes({ logLevel: 'debug', accessLog: false }, 1)
  let accepted: Socket | undefined
  let requests = 0
  for (const { app } of [server, detailed]) {
    app.server.on('connection', (socket) => {
      accepted = socket
    })
    app.server.on('request', () => {
      requests += 1
    })
  }

  /** Disconnects in the middle of a body and waits until the server has seen it. */
  const leave = async (origin: string, how: 'destroy' | 'resetAndDestroy') => {
    const client = await openSocket(origin)
    const before = requests
    client.send(request('POST', '/notes', [], noteBody('x'.repeat(1000))).slice(0, -500))
    await eventually('the request', () => requests > before)
    client.socket[how]()
    await eventually('the end of the connection', () => accepted?.closed === true)
    await pause(50)
  }

  it('given half a body, when it leaves, then no error is logged', async () => {
    const lines = await logOf(async () => {
      await leave(server.origin, 'destroy')
      await leave(server.origin, 'resetAndDestroy')
    })
    assert.deepEqual(lines, [])
  })

  it('given the log level debug, when it leaves, then one line says so, without a stack', async () => {
    const lines = await logOf(async (logged) => {
      await leave(detailed.origin, 'destroy')
      await eventually('a line', () => logged() !== '')
    })
    assert.deepEqual(
      lines
        .map((line) => JSON.parse(line))
        .map(({ level, method, url, err }) => [level, method, url, err]),
      [[20, 'POST', '/notes', undefined]],
    )
  })
})

describe('The signal of a call', () => {
  /** The functions that give the signals, by the order of the reads. */
  const signals: (() => AbortSignal)[] = []
  let mayRead = Promise.resolve()
  const server = serveNotes({}, 20_000, {
    watchStore: (store) => ({
      ...store,
      read: async (plan, id, options) => {
        if (options?.signal) signals.push(options.signal)
        await mayRead
        return await store.read(plan, id, options)
      },
    }),
  })
  const sockets: Socket[] = []
  server.app.server.on('connection', (socket) => sockets.push(socket))

  beforeEach(() => {
    signals.length = 0
    sockets.length = 0
    mayRead = Promise.resolve()
  })

  const closed = () =>
    eventually('the end of the connection', () => sockets.every((each) => each.closed))

  it('given a read under way, when the client disconnects, then it aborts', async () => {
    // A client that only closes its sending side may still read (`half-closed.test.ts`).
    for (const how of ['destroy', 'resetAndDestroy'] as const) {
      const { promise, resolve } = Promise.withResolvers<void>()
      mayRead = promise
      const client = await openSocket(server.origin)
      client.send(request('GET', '/notes/1'))
      await eventually('the read', () => signals.length === 1)
      const signal = signals.pop()?.()
      assert.equal(signal?.aborted, false)
      client.socket[how]()
      await eventually('the abort', () => signal?.aborted === true)
      resolve()
    }
  })

  it('given a client that has disconnected, when the signal is made, then it is aborted', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    mayRead = promise
    const client = await openSocket(server.origin)
    client.send(request('GET', '/notes'))
    await eventually('the read', () => signals.length === 1)
    client.socket.destroy()
    await closed()
    // The event `close` of the response comes shortly after that of its socket.
    await eventually('the abort', () => signals[0]?.().aborted === true)
    resolve()
  })

  it('given a stream under way, when the client disconnects, then it aborts', async () => {
    const client = await openSocket(server.origin, { reads: false })
    client.send(request('GET', '/notes?page[size]=0'))
    await eventually('the read', () => signals.length === 1)
    const signal = signals[0]?.()
    client.socket.destroy()
    await eventually('the abort', () => signal?.aborted === true)
  })

  for (const path of ['/notes/1', '/notes', '/notes?page[size]=0', '/notes/0'])
    it(`given the response of ${path} that is sent whole, when the client disconnects later, then it does not abort`, async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      mayRead = promise
      const client = await openSocket(server.origin)
      client.send(request('GET', path, ['Connection: close']))
      await eventually('the read', () => signals.length === 1)
      const make = signals.pop()
      const early = make?.()
      resolve()
      await client.closed()
      await closed()
      assert.deepEqual([early?.aborted, make?.().aborted], [false, false], path)
    })

  it('given a request in the process, when it is answered, then it does not abort', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    mayRead = promise
    const answer = server.app.inject('/notes/1')
    // The request is sent only when its response is awaited.
    answer.catch(() => {})
    await eventually('the read', () => signals.length === 1)
    const signal = signals[0]?.()
    resolve()
    assert.equal((await answer).statusCode, 200)
    await pause(20)
    assert.equal(signal?.aborted, false)
  })
})
