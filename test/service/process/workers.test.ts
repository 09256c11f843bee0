import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { assertServiceConforms } from '../../checker/check-served.ts'
import { connect } from '../../client.ts'
import { databases } from '../../databases.ts'
import { takePort } from '../../find-port.ts'
import { isExhaustive } from '../../property/seed.ts'
import { parseResponse } from '../../test-response.ts'
import { folder, run, start } from '../child.ts'
import { childrenOf } from '../processes.ts'

const workers = 2

/** `npm run test:long` starts workers on every database. */
const [first] = databases
const tested = isExhaustive || first === undefined ? databases : [first]

for (const { name, create } of tested.filter((database) => database.isShared)) {
  it(`given workers, then they share an address and a database, and one that ends is replaced · ${name}`, async (test) => {
    const database = await create()
    const args = [
      '--workers',
      String(workers),
      '--log-level',
      'warn',
      '--database-url',
      database.url,
    ]
    const child = await start(test, await folder(test), args)
    assert.match(
      child.printed(),
      new RegExp(`with ${workers} workers, listens at ${child.url} and`),
    )
    const first = await childrenOf(child.process.pid)
    assert.equal(first.length, workers)
    await assertKeeps(child.url)
    const [killed = 0] = first
    process.kill(killed, 'SIGKILL')
    const others = await replaced(child.process.pid, killed)
    assert.equal(others.length, workers)
    await assertKeeps(child.url)
    const { code } = await child.end('SIGTERM')
    assert.equal(code, 0, child.printed())
    for (const pid of others) assert.throws(() => process.kill(pid, 0), `${pid} is left`)
    await database.remove()
  })
}

it('given a database in memory and several workers, then the start is rejected', async (test) => {
  const { code, stderr } = await run(test, ['--workers', '2', '--database-url', 'sqlite::memory:'])
  assert.equal(code, 2)
  assert.match(stderr, /^lapidary: WORKERS must be 1 for sqlite::memory:/)
})

it('given workers that cannot start, then the process ends, and each reports the reason at most once', async (test) => {
  const port = String(await takePort(test))
  const { code, stderr } = await run(test, ['--workers', '2', '--port', port])
  assert.equal(code, 2)
  assert.ok(stderr.includes(port), stderr)
  assert.ok(stderr.trimEnd().split('\n').length <= workers + 1, stderr)
})

if (isExhaustive)
  it('given workers of two services, then they do not share a port', async (test) => {
    const first = await start(test, await folder(test), ['--workers', '2'])
    const { port } = new URL(first.url)
    const { code, stderr } = await run(test, ['--workers', '2', '--port', port])
    assert.equal(code, 2)
    assert.match(
      stderr,
      new RegExp(
        `^lapidary: port ${port} of 127\\.0\\.0\\.1 is in use by another program; stop it, .*\\n$`,
      ),
    )
  })

/** Writes on some connections and reads on others. */
async function assertKeeps(url: string): Promise<void> {
  await Promise.all(
    Array.from({ length: 20 }, async (_, number) => {
      const [writer, reader] = [connect(url), connect(url)]
      const body = { data: { type: 'person', attributes: { name: `Ada ${number}` } } }
      const made = await writer.send('POST', '/persons', { body })
      assertServiceConforms(made)
      const returned = await reader.send('GET', `/persons/${parseResponse(made).one.id}`)
      assertServiceConforms(returned)
      assert.equal(parseResponse(returned).one.attributes?.name, `Ada ${number}`)
      writer.close()
      reader.close()
    }),
  )
}

/** The children of a process once one of them is gone and there are as many as before. */
async function replaced(parent: number | undefined, killed: number): Promise<number[]> {
  for (let tries = 0; ; tries += 1) {
    const now = await childrenOf(parent)
    if (now.length === workers && !now.includes(killed)) return now
    assert.ok(tries < 200, `never replaced: ${now}`)
    await pause(50)
  }
}
