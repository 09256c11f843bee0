import assert from 'node:assert/strict'
import { type ChildProcess, execFile, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { connect } from '../client.ts'
import { findPort } from '../find-port.ts'
import { long } from '../long-tests.ts'
import { folder } from '../service/child.ts'
import { executeDirectly } from '../service/direct-database.ts'
import { until } from '../service/processes.ts'

const main = fileURLToPath(new URL('../../service/main.js', import.meta.url))

/** The number of requests that fail, each with a line in the log. Together the lines exceed the buffer. */
const failures = 3000

it('given closed pipes of the log, the service starts, responds to valid and failing requests, and stops with exit code 0', async (test) => {
  const child = await launch(test, ['ignore', 'pipe', 'pipe'])
  child.process.stdout?.destroy()
  child.process.stderr?.destroy()
  await child.ready()
  await child.fail(100)
  await child.end()
})

// Only Linux has a device that is always full.
if (existsSync('/dev/full')) {
  it(
    'given a full disk for the log, the service starts, responds to valid and failing requests, and stops with exit code 0',
    long,
    async (test) => {
      const full = await open('/dev/full', 'w')
      const child = await launch(test, ['ignore', full.fd, full.fd])
      await full.close()
      await child.ready()
      await child.fail(100)
      await child.end()
    },
  )
}

it('given a pipe that is not read, lines are dropped, and counted once it is read again', async (test) => {
  const child = await launch(test, ['ignore', 'ignore', 'pipe'])
  await child.ready()
  await child.fail(failures)
  const lines = linesOf(child.process.stderr)
  await until(() => countOf(lines).dropped > 0, 'nothing was said of dropped lines')
  await child.fail(10)
  await child.end()
  const total = () => {
    const { logged, dropped } = countOf(lines)
    return logged + dropped
  }
  await until(() => total() >= failures + 10, 'lines are missing that nothing was said of')
  assert.equal(total(), failures + 10)
})

it(
  'given a pipe that nobody reads to the end, the process ends all the same',
  long,
  async (test) => {
    const child = await launch(test, ['ignore', 'ignore', 'pipe'])
    await child.ready()
    await child.fail(200)
    await child.end()
  },
)

it(
  'given a pipe whose reader goes and comes back, the log goes on and says what is missing',
  long,
  async (test) => {
    const path = join(await folder(test), 'log')
    await promisify(execFile)('mkfifo', [path])
    // Opening one end waits for the other one.
    const [reader, writer] = await Promise.all([open(path, 'r+'), open(path, 'w')])
    const child = await launch(test, ['ignore', 'ignore', writer.fd])
    await writer.close()
    await child.ready()
    await reader.close()
    await child.fail(50)
    const again = await open(path, 'r')
    const lines = linesOf(again.createReadStream())
    await child.fail(5)
    await until(() => countOf(lines).logged >= 5, 'the log did not go on')
    await child.end()
    await until(() => countOf(lines).dropped >= 50, 'nothing was said of the missing lines')
    assert.deepEqual(countOf(lines), { logged: 5, dropped: 50 })
  },
)

/** Starts the service with standard streams of the test, on a database whose computers cannot be read. */
async function launch(test: TestContext, stdio: StdioOptions) {
  const directory = await folder(test)
  const port = await findPort()
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child: ChildProcess = spawn(process.execPath, [main], {
    cwd: directory,
    env: { PATH, NODE_COMPILE_CACHE, PORT: String(port), ACCESS_LOG: 'off' },
    stdio,
  })
  test.after(() => child.kill('SIGKILL'))
  const exit = once(child, 'exit')
  const client = connect(`http://127.0.0.1:${port}`)
  test.after(() => client.close())
  const status = async (path: string) => (await client.send('GET', path)).status
  return {
    process: child,
    ready: async () => {
      await until(() => status('/').then(Boolean, () => false), 'the service never answered')
      await executeDirectly(
        `sqlite:${directory}/data/lapidary.db`,
        'alter table computer rename to elsewhere',
      )
    },
    fail: async (times: number) => {
      for (let each = 0; each < times; each += 1) assert.equal(await status('/computers'), 500)
      assert.equal(await status('/'), 200)
      assert.equal(child.exitCode, null)
    },
    end: async () => {
      child.kill('SIGTERM')
      assert.deepEqual(await exit, [0, null])
    },
  }
}

/** The lines that arrive from a stream. */
function linesOf(stream: NodeJS.ReadableStream | null): () => readonly string[] {
  assert.ok(stream)
  let text = ''
  stream.on('data', (piece: unknown) => {
    text += String(piece)
  })
  return () =>
    text
      .split('\n')
      .slice(0, -1)
      .filter((line) => line !== '')
}

/** The number of failures in a log, and of the lines that it reports as dropped. Every line is JSON. */
function countOf(lines: () => readonly string[]) {
  const parsed: readonly Readonly<{ msg: string; dropped?: number }>[] = lines().map((line) =>
    JSON.parse(line),
  )
  return {
    logged: parsed.filter(({ msg }) => msg === 'a request failed').length,
    dropped: parsed.reduce((sum, { dropped = 0 }) => sum + dropped, 0),
  }
}
