import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect as connectSocket, createServer, type Socket } from 'node:net'
import { it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startService } from '../../service/start.ts'
import { connect } from '../client.ts'
import { behind } from '../service/beside.ts'
import { folder, start } from '../service/child.ts'
import { childrenOf, isRunning, until } from '../service/processes.ts'
import { type WriteLog, writeUntil } from '../service/stream-of-writes.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

for (const workers of ['1', '2']) {
  it(`two signals 2 ms apart leave no write unanswered · ${workers} processes`, async (test) => {
    for (const [first, second] of [
      ['SIGTERM', 'SIGTERM'],
      ['SIGINT', 'SIGTERM'],
    ] as const) {
      const place = await folder(test)
      const child = await start(test, place, ['--workers', workers, '--log-level', 'warn'])
      const stop = new AbortController()
      const load = writeUntil(child.url, stop.signal, { clients: 16 })
      await pause(300)
      const all = workers === '1' ? [] : await childrenOf(child.process.pid)
      child.process.kill(first)
      await pause(2)
      // As a terminal does it, which signals everybody.
      for (const pid of all) process.kill(pid, second)
      const { code } = await child.end(second)
      assert.equal(code, 0, child.printed())
      stop.abort()
      await assertAnswered(await load, `sqlite:${place}/data/lapidary.db`)
    }
  })
}

it('npm start ends in good order when npm gets SIGTERM, and frees its port', async (test) => {
  const place = await folder(test)
  const databaseUrl = `sqlite:${place}/test.db`
  const npm = await npmStart(test, databaseUrl)
  const stop = new AbortController()
  const load = writeUntil(npm.url, stop.signal, { clients: 8 })
  await pause(300)
  npm.kill('SIGTERM')
  await pause(2)
  npm.kill('SIGTERM')
  assert.deepEqual(await npm.exit, [0, null])
  await assertFree(Number(new URL(npm.url).port))
  for (const pid of npm.family) assert.ok(!isRunning(pid), `${pid} is left`)
  stop.abort()
  await assertAnswered(await load, databaseUrl)
})

it('connections that are silent, busy or kept open do not hold up the end', async (test) => {
  const child = await start(test, await folder(test), ['--demo', '--log-level', 'warn'])
  const silent = await opened(child.url)
  const kept = connect(child.url)
  await kept.send('GET', '/persons')
  const busy = Array.from({ length: 8 }, () => connect(child.url))
  const answers = busy.map((each) => each.send('GET', '/persons?page[size]=0&include=computers'))
  await pause(5)
  const begun = performance.now()
  const { code } = await child.end('SIGTERM')
  assert.equal(code, 0, child.printed())
  // Below the patience that a connection in the middle of a request is given.
  assert.ok(performance.now() - begun < 9000, `${performance.now() - begun} ms`)
  for (const { status, text } of await Promise.all(answers)) {
    assert.equal(status, 200)
    assert.ok(JSON.parse(text).data.length > 100)
  }
  silent.destroy()
  for (const each of [kept, ...busy]) each.close()
})

it('a client that stops in the middle of a request holds up the end for a while only', async () => {
  const service = await startService({
    port: 0,
    logLevel: 'silent',
    databaseUrl: 'sqlite::memory:',
  })
  const half = await opened(service.url)
  half.write('POST /persons HTTP/1.1\r\nHost: x\r\nContent-Type: application/vnd.api+json\r\n')
  await pause(100)
  const closed = once(half, 'close')
  await service.close(200)
  await closed
})

it('a signal that comes before the service is ready ends it all the same', async (test) => {
  const place = await folder(test)
  for (const delay of [50, 100, 150, 200, 250, 300]) {
    const child = spawn(process.execPath, [`${root}/service/main.js`], {
      cwd: place,
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

/** What is stored is what was answered: nothing more, nothing less. */
async function assertAnswered(log: WriteLog, databaseUrl: string): Promise<void> {
  const { acknowledged, refused, hanging } = log
  assert.deepEqual([...refused], [])
  assert.deepEqual([...hanging], [])
  assert.ok(acknowledged.size > 8, `only ${acknowledged.size} writes`)
  const rows = await behind(databaseUrl, 'select name from person')
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

/** Fails unless the port can be listened on. */
async function assertFree(port: number): Promise<void> {
  const server = createServer()
  server.listen({ host: '127.0.0.1', port })
  await once(server, 'listening')
  server.close()
}
