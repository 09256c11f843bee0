import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect as connectSocket, createServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startService } from '../../service/start-service.ts'
import { connect, mediaType } from '../client.ts'
import { takePart } from '../property/seed.ts'
import { folder, start } from '../service/child.ts'
import { executeDirectly, insertMany } from '../service/direct-database.ts'
import { childrenOf, isRunning, until } from '../service/processes.ts'
import { type WriteLog, writesStored, writeUntil } from '../service/stream-of-writes.ts'

/** Milliseconds: less than the limit for a connection with an incomplete request. */
const timeout = 9000

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The first signal and the second. `npm test` sends one pair to one process or to two. */
const signals = [
  ['SIGTERM', 'SIGTERM'],
  ['SIGINT', 'SIGTERM'],
] as const

for (const workers of takePart(['1', '2'], 2)) {
  it(`two signals 2 ms apart leave no write unanswered · ${workers} processes`, async (test) => {
    for (const [first, second] of takePart(signals, signals.length, Number(workers))) {
      const directory = await folder(test)
      const child = await start(test, directory, ['--workers', workers, '--log-level', 'warn'])
      const stop = new AbortController()
      const databaseUrl = `sqlite:${directory}/data/lapidary.db`
      const load = writeUntil(child.url, stop.signal, { clients: 16 })
      await writesStored(databaseUrl)
      const all = workers === '1' ? [] : await childrenOf(child.process.pid)
      child.process.kill(first)
      await pause(2)
      // A terminal signals all processes too.
      for (const pid of all) signalled(pid, second)
      const { code } = await child.end(second)
      assert.equal(code, 0, child.printed())
      stop.abort()
      await assertAnswered(await load, databaseUrl)
    }
  })
}

it('npm start stops with all its processes when npm gets SIGTERM, and frees its port', async (test) => {
  const directory = await folder(test)
  const databaseUrl = `sqlite:${directory}/test.db`
  const npm = await npmStart(test, databaseUrl)
  const stop = new AbortController()
  const load = writeUntil(npm.url, stop.signal, { clients: 8 })
  await writesStored(databaseUrl)
  npm.kill('SIGTERM')
  await pause(2)
  npm.kill('SIGTERM')
  assert.deepEqual(await npm.exit, [0, null])
  await assertFree(Number(new URL(npm.url).port))
  for (const pid of npm.family) assert.ok(!isRunning(pid), `${pid} is left`)
  stop.abort()
  await assertAnswered(await load, databaseUrl)
})

it('idle and silent connections do not delay the stop', async (test) => {
  const child = await start(test, await folder(test), ['--log-level', 'warn'])
  const silent = await opened(child.url)
  const kept = connect(child.url)
  await kept.send('GET', '/persons')
  const begun = performance.now()
  assert.equal((await child.end('SIGTERM')).code, 0, child.printed())
  assert.ok(performance.now() - begun < timeout, `${performance.now() - begun} ms`)
  silent.destroy()
  kept.close()
})

for (const size of takePart([400, 0], 2)) {
  it(`a client that reads slowly gets its complete response, and is then disconnected · page[size]=${size}`, async (test) => {
    const databaseUrl = `sqlite:${await folder(test)}/test.db`
    const service = await startService({ port: 0, logLevel: 'silent', databaseUrl })
    await insertMany(databaseUrl, { persons: 400, computers: 0, nameLength: 40_000 })
    const slow = await opened(service.url)
    slow.write(`GET /persons?page[size]=${size} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await once(slow, 'readable')
    await pause(200)
    const begun = performance.now()
    const closed = service.close()
    await pause(200)
    const received = await buffer(slow)
    const head = received.toString('latin1', 0, 1000)
    const length = /content-length: (\d+)/i.exec(head)?.[1]
    if (length === undefined) assert.equal(received.toString('latin1').slice(-5), '0\r\n\r\n')
    else assert.equal(received.length - received.indexOf('\r\n\r\n') - 4, Number(length))
    assert.ok(received.length > 400 * 40_000)
    await closed
    assert.ok(performance.now() - begun < timeout, `${performance.now() - begun} ms`)
  })
}

it('a request whose body arrives after the signal gets its response, and its connection is closed', async () => {
  const service = await startService({
    port: 0,
    logLevel: 'silent',
    databaseUrl: 'sqlite::memory:',
  })
  const body = JSON.stringify({ data: { type: 'person', attributes: { name: 'Ada' } } })
  const socket = await opened(service.url)
  socket.write(
    `POST /persons HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${mediaType}\r\nContent-Length: ${body.length}\r\n\r\n`,
  )
  await pause(100)
  const begun = performance.now()
  const closed = service.close()
  await pause(300)
  socket.write(body)
  assert.match(String(await buffer(socket)), /^HTTP\/1\.1 201 /)
  await closed
  assert.ok(performance.now() - begun < timeout, `${performance.now() - begun} ms`)
})

it('a client that stops in the middle of a request delays the stop only up to a limit', async () => {
  const service = await startService({
    port: 0,
    logLevel: 'silent',
    databaseUrl: 'sqlite::memory:',
  })
  const half = await opened(service.url)
  half.write(
    'POST /persons HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/vnd.api+json\r\n',
  )
  await pause(100)
  const closed = once(half, 'close')
  await service.close(200)
  await closed
})

it('a signal before the service is ready stops it', async (test) => {
  const directory = await folder(test)
  for (const delay of takePart([50, 100, 150, 200, 250, 300], 3)) {
    const child = spawn(process.execPath, [`${root}/service/main.js`], {
      cwd: directory,
      env: { PATH: process.env.PATH, PORT: '0' },
      stdio: 'ignore',
    })
    test.after(() => child.kill('SIGKILL'))
    await pause(delay)
    child.kill('SIGTERM')
    const [code, signal] = await once(child, 'exit')
    assert.ok(code === 0 || signal === 'SIGTERM', `${code} ${signal}`)
  }
})

/** Sends a signal to a process that may have ended. */
function signalled(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    assert.ok(!isRunning(pid))
  }
}

/** Asserts that exactly the acknowledged writes are stored. */
async function assertAnswered(log: WriteLog, databaseUrl: string): Promise<void> {
  const { acknowledged, rejected, hanging } = log
  assert.deepEqual([...rejected], [])
  assert.deepEqual([...hanging], [])
  assert.ok(acknowledged.size > 8, `only ${acknowledged.size} writes`)
  const rows = await executeDirectly(databaseUrl, 'select name from person')
  assert.deepEqual(rows.map(({ name }) => String(name)).sort(), [...acknowledged].sort())
}

async function opened(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connectSocket({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Runs `npm start` as a user does, in a process group of its own. */
async function npmStart(test: TestContext, databaseUrl: string) {
  const { PATH, HOME } = process.env
  const npm = spawn('npm', ['start', '--', '--database-url', databaseUrl], {
    cwd: root,
    env: { PATH, HOME, PORT: '0', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(npm, 'exit')
  let printed = ''
  npm.stdout.on('data', (piece) => {
    printed += piece
  })
  const greeting = /listens at (http:\/\/[^\s/]+)/
  await until(() => greeting.test(printed) || npm.exitCode !== null, 'npm start never listened')
  const url = greeting.exec(printed)?.[1] ?? assert.fail(printed)
  const family = await descendantsOf(npm.pid ?? 0)
  test.after(() => {
    for (const pid of [npm.pid ?? 0, ...family]) if (isRunning(pid)) process.kill(pid, 'SIGKILL')
  })
  return { url, exit, family, kill: (signal: NodeJS.Signals) => npm.kill(signal) }
}

async function descendantsOf(pid: number): Promise<number[]> {
  const children = await childrenOf(pid)
  return [...children, ...(await Promise.all(children.map(descendantsOf))).flat()]
}

/** Asserts that the port is free. */
async function assertFree(port: number): Promise<void> {
  const server = createServer()
  server.listen({ host: '127.0.0.1', port })
  await once(server, 'listening')
  server.close()
}

it('a shutdown that takes too long is aborted at its limit', async () => {
  const { href } = new URL('../../process/stop-on-signals.ts', import.meta.url)
  const program = `import { stopOnSignals } from '${href}'
    stopOnSignals(20).onStop(() => new Promise((resolve) => setTimeout(resolve, 60_000)))
    process.kill(process.pid, 'SIGTERM')
    setTimeout(() => {}, 60_000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program])
  assert.deepEqual(await once(child, 'exit'), [1, null])
})
